// SPDX-License-Identifier: Apache-2.0
// What the table lists: the functions that the search found, sorted by a column.
import {hitsOf} from './search_bar.js';
import {allColumns, columnsOf} from './table_columns.js';
import {summingUp} from './totals.js';
import {finished, pieces, sorting} from './work.js';

/** @typedef {import('./table_columns.js').Columns} Columns */
/** @typedef {import('./table_columns.js').TableColumn} TableColumn */
/** @typedef {import('./table_callers.js').Shown} Shown */
/** @typedef {import('./totals.js').FunctionTotals} FunctionTotals */
/** @typedef {import('./tree.js').Tree} Tree */
/** @template T @typedef {import('./work.js').Work<T>} Work */
/**
 * @typedef {object} TableState
 * @property {string} sort the key of a column and a direction: 'self.down'; '': the default
 */
/**
 * @typedef {object} TableList
 * @property {Columns} columns
 * @property {TableColumn} sorted the column that they are sorted by
 * @property {boolean} isUp
 * @property {boolean} isComparison
 * @property {number[]} functions
 */

/** To ask a column for a value costs as much as this many rows. */
const VALUE_COST = 16;
const VALUES_AT_ONCE = 1 << 12;

/**
 * Sorts functions by a column; equal ones by their weight, heaviest first, and then by name, as in
 * `wick report`.
 * @param {number[]} functions @param {number} names how many there are
 * @param {{column: TableColumn, isUp: boolean, ties: Float64Array|null}} by
 * @returns {Work<number[]>}
 */
function* sortedBy(functions, names, {column, isUp, ties}) {
  const sign = isUp ? 1 : -1;
  const values = new Float64Array(names);
  for (const [from, to] of pieces(0, functions.length, VALUES_AT_ONCE)) {
    for (let i = from; i < to; ++i) values[functions[i]] = column.value(functions[i]);
    yield (to - from) * VALUE_COST;
  }
  return yield* sorting(
    functions,
    (a, b) => sign * (values[a] - values[b]) || (ties ? ties[b] - ties[a] : 0) || a - b,
  );
}

/**
 * @param {number[]} functions @param {Uint8Array|null} hits null: all @returns {Work<number[]>}
 */
function* matchingIn(functions, hits) {
  if (!hits) return functions;
  /** @type {number[]} */
  const found = [];
  for (const [from, to] of pieces(0, functions.length)) {
    for (let i = from; i < to; ++i) if (hits[functions[i]]) found.push(functions[i]);
    yield to - from;
  }
  return found;
}

/**
 * What was listed last of each tree, and how.
 * @type {WeakMap<Tree, {sort: string, hits: Uint8Array|null, list: TableList}>}
 */
const knownLists = new WeakMap();

/** @param {Shown} picture @returns {Work<TableList>} */
export function* listing(picture) {
  const {data, tree, state} = picture;
  const hits = yield* hitsOf(picture);
  const known = knownLists.get(tree);
  if (known?.sort === state.sort && known.hits === hits) return known.list;
  const totals = yield* summingUp(tree, data);
  const columns = yield* columnsOf(picture, totals);
  const [key, direction] = (state.sort || `${columns.before[0].key}.down`).split('.');
  const isUp = direction === 'up';
  const sorted = allColumns(columns).find(column => column.key === key) ?? columns.before[0];
  const isComparison = totals.beforeTotal !== null;
  const ties = isComparison ? null : sorted.key.startsWith('self') ? totals.total : totals.self;
  const found = yield* matchingIn(totals.functions, hits);
  const by = {column: sorted, isUp, ties};
  const functions = yield* sortedBy(found, totals.self.length, by);
  const list = {columns, sorted, isUp, isComparison, functions};
  knownLists.set(tree, {sort: state.sort, hits, list});
  return list;
}

/** @param {Shown} picture */
export const listOf = picture => finished(listing(picture));
