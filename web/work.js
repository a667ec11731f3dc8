// SPDX-License-Identifier: Apache-2.0
// Work that may take long. It is a generator that pauses every few thousand rows, so that a page
// with a giant profile still answers. Who needs its result at once runs it to the end.

/**
 * What returns a T. At each pause it says how many rows it has processed since the one before.
 * @template T @typedef {Generator<number, T, void>} Work
 */

/** How many rows are processed between pauses: one or two milliseconds. */
const PIECE = 1 << 16;

/**
 * Calls `each` with parts of `from` to `to`.
 * @param {number} from @param {number} to @param {(from: number, to: number) => void} each
 * @param {number} [cost] how many ordinary rows one is worth
 * @returns {Work<void>}
 */
export function* inPieces(from, to, each, cost = 1) {
  while (from < to) {
    const end = Math.min(from + Math.ceil(PIECE / cost), to);
    each(from, end);
    yield (end - from) * cost;
    from = end;
  }
}

/**
 * Calls `step` until it returns 0: the number of rows that it has processed.
 * @param {(rows: number) => number} step @returns {Work<void>}
 */
export function* inSteps(step) {
  for (let rows = step(PIECE); rows > 0; rows = step(PIECE)) yield rows;
}

/**
 * The same from the end: first come the last rows.
 * @param {number} from @param {number} to @param {(from: number, to: number) => void} each
 * @returns {Work<void>}
 */
export function* inPiecesBackwards(from, to, each) {
  while (from < to) {
    const begin = Math.max(to - PIECE, from);
    each(begin, to);
    yield to - begin;
    to = begin;
  }
}

/** Does work without a pause. @template T @param {Work<T>} work @returns {T} */
export function finished(work) {
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
  }
}
