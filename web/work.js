// SPDX-License-Identifier: Apache-2.0
// Work that may take long. It is a generator that pauses every few thousand rows, so that a page
// with a giant profile still answers. Who needs its result at once runs it to the end.

/**
 * What returns a T. At each pause it says how many rows it has processed since the one before.
 * @template T @typedef {Generator<number, T, void>} Work
 */

/** How many rows are processed between pauses: one or two milliseconds. */
export const PIECE = 1 << 16;

/**
 * Parts of `from` to `to`. The work pauses after each of them.
 * @param {number} from @param {number} to @param {number} [size] rows of a part
 * @returns {Generator<[number, number], void, void>}
 */
export function* pieces(from, to, size = PIECE) {
  for (; from < to; from += size) yield [from, Math.min(from + size, to)];
}

/**
 * The same from the end: first come the last rows.
 * @param {number} from @param {number} to @returns {Generator<[number, number], void, void>}
 */
export function* piecesBackwards(from, to) {
  for (; from < to; to -= PIECE) yield [Math.max(to - PIECE, from), to];
}

/** Does work without a pause. @template T @param {Work<T>} work @returns {T} */
export function finished(work) {
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
  }
}
