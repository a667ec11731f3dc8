// SPDX-License-Identifier: Apache-2.0
// The table for other programs.
import {allColumns} from './table_columns.js';
import {pieces} from './work.js';

/** @typedef {import('./table_columns.js').Columns} Columns */

/**
 * Text as a spreadsheet reads it. Names come from elsewhere: none of them becomes a formula.
 * @param {string} text
 */
function cell(text) {
  const plain = /^[=+\-@\t\r]/.test(text) && !/^[+-]?[\d.]+%?$/.test(text) ? `'${text}` : text;
  return /["',\t\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
}

/** How many lines become bytes at once, and what a line costs in rows. */
const LINES_AT_ONCE = 1 << 10;
const LINE_COST = 64;

/**
 * All functions with all that is known of them. A text of a million lines may be longer than a
 * string can be, and takes seconds.
 * @param {ArrayLike<number>} functions @param {Columns} columns @param {string} separator
 * @returns {import('./work.js').Work<Blob>}
 */
export function* tableFile(functions, columns, separator) {
  const all = allColumns(columns);
  const line = (/** @type {string[]} */ texts) => `${texts.map(cell).join(separator)}\r\n`;
  const parts = [new Blob([line(all.map(({title}) => title))])];
  for (const [from, to] of pieces(0, functions.length, LINES_AT_ONCE)) {
    let text = '';
    for (let i = from; i < to; ++i)
      text += line(all.map(column => (column.whole ?? column.text)(functions[i])));
    parts.push(new Blob([text]));
    yield (to - from) * LINE_COST;
  }
  return new Blob(parts, {type: 'text/csv'});
}
