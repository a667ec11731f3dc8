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
 * Does `each` with parts of `from` to `to`, and pauses after each of them. It is a function because
 * loops in a generator, which is begun once, are compiled late.
 * @param {number} from @param {number} to @param {(from: number, to: number) => void} each
 * @returns {Work<void>}
 */
export function* inPieces(from, to, each) {
  for (const [first, last] of pieces(from, to)) {
    each(first, last);
    yield last - first;
  }
}

/**
 * The same from the end: first come the last rows.
 * @param {number} from @param {number} to @param {(from: number, to: number) => void} each
 * @returns {Work<void>}
 */
export function* inPiecesBackwards(from, to, each) {
  for (; from < to; to -= PIECE) {
    const first = Math.max(to - PIECE, from);
    each(first, to);
    yield to - first;
  }
}

/** To look up a box in a large table, memory that is new to it included, costs as much as these. */
const LOOKUP_COST = 8;

/**
 * The same for rows with a look-up each.
 * @param {number} from @param {number} to
 * @returns {Generator<[number, number, number], void, void>} the last number is what the part costs
 */
export function* lookups(from, to) {
  for (const [first, last] of pieces(from, to, Math.ceil(PIECE / LOOKUP_COST)))
    yield [first, last, (last - first) * LOOKUP_COST];
}

/** How many items are sorted at once. */
const SORTED_AT_ONCE = 1 << 12;

/** To sort an item of them costs as much as this many rows. */
const SORT_COST = 16;

/**
 * @template T @param {T[]} a sorted @param {T[]} b sorted @param {(a: T, b: T) => number} order
 * @returns {Generator<number, T[], void>}
 */
function* merging(a, b, order) {
  const all = new Array(a.length + b.length);
  let i = 0;
  let j = 0;
  yield* inPieces(0, all.length, (from, to) => {
    for (let at = from; at < to; ++at)
      all[at] = j === b.length || (i < a.length && order(a[i], b[j]) <= 0) ? a[i++] : b[j++];
  });
  return all;
}

/**
 * The items in order; equal ones stay as they are.
 * @template T @param {T[]} items @param {(a: T, b: T) => number} order
 * @returns {Generator<number, T[], void>}
 */
export function* sorting(items, order) {
  let runs = [];
  for (const [from, to] of pieces(0, items.length, SORTED_AT_ONCE)) {
    runs.push(items.slice(from, to).sort(order));
    yield (to - from) * SORT_COST;
  }
  while (runs.length > 1) {
    const longer = [];
    for (let i = 0; i < runs.length; i += 2)
      longer.push(i + 1 < runs.length ? yield* merging(runs[i], runs[i + 1], order) : runs[i]);
    runs = longer;
  }
  return runs[0] ?? [];
}

/** Does work without a pause. @template T @param {Work<T>} work @returns {T} */
export function finished(work) {
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
  }
}
