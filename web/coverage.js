// SPDX-License-Identifier: Apache-2.0
// How much of a stretch of a level its boxes cover, and how many of them were found there. Both are
// differences of sums from left to right, which each level gets when it is first drawn.
import {firstAt, skipTo} from './tree.js';

/** @typedef {import('./tree.js').Tree} Tree */

/**
 * Sums of extents by level, of trees by their boxes.
 * @type {WeakMap<Int32Array, Float64Array[]>}
 */
const extentSums = new WeakMap();

/** @param {Tree} tree @param {number} depth @returns {Float64Array} */
function sumsOf({boxes, extent, level}, depth) {
  let levels = extentSums.get(boxes);
  if (!levels) extentSums.set(boxes, (levels = []));
  if (levels[depth]) return levels[depth];
  const from = level[depth];
  const sums = new Float64Array(level[depth + 1] - from + 1);
  for (let i = 1; i < sums.length; ++i) sums[i] = sums[i - 1] + extent[boxes[from + i - 1]];
  return (levels[depth] = sums);
}

/**
 * What the boxes of a level cover to the left of a position.
 * @param {Tree} tree @param {number} depth @param {number} at
 * @param {number} next the index of the first box that begins at or after `at`
 */
export function coveredBefore(tree, depth, at, next) {
  const {boxes, x, extent, level} = tree;
  if (next === level[depth]) return 0;
  const last = boxes[next - 1];
  const beyond = Math.max(0, x[last] + extent[last] - at);
  return sumsOf(tree, depth)[next - level[depth]] - beyond;
}

/**
 * Sums of marked boxes by level, of trees by their boxes and by what marks functions.
 * @type {WeakMap<Int32Array, WeakMap<Uint8Array, Int32Array[]>>}
 */
const markSums = new WeakMap();

/** @param {Tree} tree @param {number} depth @param {Uint8Array} marks by function */
function marksOf({boxes, shape, level}, depth, marks) {
  let known = markSums.get(boxes);
  if (!known) markSums.set(boxes, (known = new WeakMap()));
  let levels = known.get(marks);
  if (!levels) known.set(marks, (levels = []));
  if (levels[depth]) return levels[depth];
  const from = level[depth];
  const sums = new Int32Array(level[depth + 1] - from + 1);
  for (let i = 1; i < sums.length; ++i)
    sums[i] = sums[i - 1] + (marks[shape.func[boxes[from + i - 1]]] === 1 ? 1 : 0);
  return (levels[depth] = sums);
}

/**
 * Whether a function of one of these boxes is marked.
 * @param {Tree} tree @param {number} depth @param {Uint8Array} marks by function
 * @param {number} from @param {number} to indexes in `boxes`
 */
export function hasMarked(tree, depth, marks, from, to) {
  const sums = marksOf(tree, depth, marks);
  const first = tree.level[depth];
  return sums[to - first] > sums[from - first];
}

/**
 * Frames that share a pixel, each narrower than it.
 * @typedef {object} Crowd
 * @property {number} count
 * @property {number} total of their extents
 * @property {number} widest the box
 */

/**
 * The narrow boxes of a level within a stretch; null: there are none.
 * @param {Tree} tree @param {number} depth @param {number} from @param {number} to
 * @returns {Crowd|null}
 */
export function crowdIn(tree, depth, from, to) {
  const {boxes, x, extent, level} = tree;
  if (depth < 0 || depth >= level.length - 1) return null;
  const end = level[depth + 1];
  const first = firstAt(tree, depth, from);
  if (first >= end || x[boxes[first]] >= to) return null;
  const crowd = {count: 0, total: 0, widest: -1};
  for (let i = first, last = skipTo(tree, first, end, to); i < last; ++i) {
    const box = boxes[i];
    if (extent[box] >= to - from) continue;
    ++crowd.count;
    crowd.total += extent[box];
    if (crowd.widest < 0 || extent[box] > extent[crowd.widest]) crowd.widest = box;
  }
  return crowd.count > 0 ? crowd : null;
}
