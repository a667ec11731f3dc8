// SPDX-License-Identifier: Apache-2.0
// Columns of numbers and strings in the page's data. All values are checked while they are read.
import {DataError, Numbers} from './bytes.js';

/** @typedef {{rows: number, bytes: Uint8Array}} Column */

const outOfRange = () => new DataError('its data refers to a row that does not exist');

/** @param {Column} column @param {number} rows */
function expectRows(column, rows) {
  if (column.rows !== rows) throw new DataError('the columns of its data have different lengths');
}

/** Numbers below `limit`. @param {Column} from @param {number} rows @param {number} limit */
export function plainNumbers(from, rows, limit) {
  expectRows(from, rows);
  const values = new Int32Array(rows);
  const numbers = new Numbers(from.bytes);
  for (let i = 0; i < rows; ++i) {
    const value = numbers.next();
    if (value >= limit) throw outOfRange();
    values[i] = value;
  }
  numbers.end();
  return values;
}

/**
 * Ascending numbers below `limit`, stored as differences.
 * @param {Column} from @param {number} limit
 */
export function ascendingNumbers(from, limit) {
  const values = new Int32Array(from.rows);
  const numbers = new Numbers(from.bytes);
  let value = 0;
  for (let i = 0; i < values.length; ++i) {
    value += numbers.next();
    if (value >= limit) throw outOfRange();
    values[i] = value;
  }
  numbers.end();
  return values;
}

/**
 * Numbers below `limit`, stored as differences.
 * @param {Column} from @param {number} rows @param {number} limit
 */
export function summedNumbers(from, rows, limit) {
  expectRows(from, rows);
  const values = new Int32Array(rows);
  const numbers = new Numbers(from.bytes);
  let value = 0;
  for (let i = 0; i < rows; ++i) {
    value += numbers.nextSigned();
    if (value < 0 || value >= limit) throw outOfRange();
    values[i] = value;
  }
  numbers.end();
  return values;
}

/** Times, stored as differences. @param {Column} from @param {number} rows */
export function readTicks(from, rows) {
  expectRows(from, rows);
  const values = new Float64Array(rows);
  const numbers = new Numbers(from.bytes);
  let value = 0;
  for (let i = 0; i < rows; ++i) {
    value += numbers.nextSigned();
    if (value < 0 || !Number.isSafeInteger(value)) throw outOfRange();
    values[i] = value;
  }
  numbers.end();
  return values;
}

/** @param {Column} from */
export function readWeights(from) {
  const values = new Float64Array(from.rows);
  const numbers = new Numbers(from.bytes);
  for (let i = 0; i < values.length; ++i) values[i] = numbers.next();
  numbers.end();
  return values;
}

/** The parents of nodes, stored as distances; the root has none. @param {Column} from */
export function readParents(from) {
  const parents = new Int32Array(from.rows + 1);
  const numbers = new Numbers(from.bytes);
  for (let i = 1; i < parents.length; ++i) {
    const back = numbers.next();
    if (back < 1 || back > i) throw outOfRange();
    parents[i] = i - back;
  }
  numbers.end();
  return parents;
}

/** Where strings of these sizes begin, and the end. @param {Column} sizes @param {number} end */
function readStarts(sizes, end) {
  const starts = new Uint32Array(sizes.rows + 1);
  const numbers = new Numbers(sizes.bytes);
  let at = 0;
  for (let i = 0; i < sizes.rows; ++i) {
    at += numbers.next();
    if (at > end) throw outOfRange();
    starts[i + 1] = at;
  }
  numbers.end();
  return starts;
}

/** Strings, decoded on first use. */
export class Strings {
  /** @param {Column} sizes @param {Column} text */
  constructor(sizes, text) {
    // A copy, so that the columns beside it are not kept for it.
    this.text = text.bytes.slice();
    this.starts = readStarts(sizes, text.bytes.length);
    this.decoder = new TextDecoder();
    /** @type {(string|undefined)[]} */
    this.known = new Array(sizes.rows);
    /**
     * The whole text, if each of its bytes is a letter; null: it is not.
     * @type {string|null|undefined}
     */
    this.whole = undefined;
  }

  get size() {
    return this.starts.length - 1;
  }

  /** @param {number} i @returns {string} */
  at(i) {
    let text = this.known[i];
    if (text !== undefined) return text;
    const from = this.starts[i];
    const to = this.starts[i + 1];
    // Slices of one decoded text are faster than many small decodings.
    if (this.whole === undefined) {
      const whole = this.decoder.decode(this.text);
      this.whole = whole.length === this.text.length ? whole : null;
    }
    text =
      this.whole !== null
        ? this.whole.slice(from, to)
        : this.decoder.decode(this.text.subarray(from, to));
    this.known[i] = text;
    return text;
  }
}
