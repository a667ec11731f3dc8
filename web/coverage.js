// SPDX-License-Identifier: Apache-2.0
// How much of a stretch of a level its boxes cover, and how many of them were found there. Both are
// differences of sums from left to right, which each level gets when it is first drawn. A sum is kept
// for a few boxes together, since there may be millions.
import {firstAt, skipTo} from './tree.js';

/** @typedef {import('./tree.js').Tree} Tree */

/** So many boxes share a sum. */
const BOX_BLOCK = 8;

/**
 * Sums of extents by level before every BLOCKth box, of trees by their boxes.
 * @type {WeakMap<Int32Array, Float64Array[]>}
 */
const extentSums = new WeakMap();

/** @param {Tree} tree @param {number} depth @returns {Float64Array} */
function sumsOf({boxes, extent, level}, depth) {
  let levels = extentSums.get(boxes);
  if (!levels) extentSums.set(boxes, (levels = []));
  if (levels[depth]) return levels[depth];
  const from = level[depth];
  const end = level[depth + 1];
  const sums = new Float64Array(Math.ceil((end - from) / BOX_BLOCK) + 1);
  let sum = 0;
  for (let i = from; i < end; ++i) {
    if ((i - from) % BOX_BLOCK === 0) sums[(i - from) / BOX_BLOCK] = sum;
    sum += extent[boxes[i]];
  }
  sums[sums.length - 1] = sum;
  return (levels[depth] = sums);
}

/**
 * What the boxes of a level cover to the left of a position.
 * @param {Tree} tree @param {number} depth @param {number} at
 * @param {number} next the index of the first box that begins at or after `at`
 */
export function coveredBefore(tree, depth, at, next) {
  const {boxes, x, extent, level} = tree;
  const from = level[depth];
  if (next === from) return 0;
  const last = boxes[next - 1];
  const block = Math.floor((next - from) / BOX_BLOCK);
  let sum = sumsOf(tree, depth)[block];
  for (let i = from + block * BOX_BLOCK; i < next; ++i) sum += extent[boxes[i]];
  return sum - Math.max(0, x[last] + extent[last] - at);
}

/**
 * How many boxes of marked functions are before every BOX_BLOCKth box, levels included.
 * @typedef {{marks: Uint8Array, sums: Int32Array}} Marked
 */

/** What was marked last: what a search found, and what is highlighted. */
const MARKS_KNOWN = 2;

/** Of trees by their boxes, the newest last. @type {WeakMap<Int32Array, Marked[]>} */
const marked = new WeakMap();

/** Counts marked boxes, from the first to the last. */
export class MarkCounter {
  /** @param {Tree} tree */
  constructor({boxes}) {
    this.boxes = boxes;
    this.sums = new Int32Array(Math.ceil(boxes.length / BOX_BLOCK) + 1);
    this.sum = 0;
  }

  /**
   * @param {number} from @param {number} to indexes of boxes
   * @param {Uint8Array} state of each box @param {number} shift to the bit that says it is marked
   */
  add(from, to, state, shift) {
    const {boxes, sums} = this;
    let {sum} = this;
    for (let i = from; i < to; ++i) {
      if (i % BOX_BLOCK === 0) sums[i / BOX_BLOCK] = sum;
      sum += (state[boxes[i]] >> shift) & 1;
    }
    this.sum = sum;
  }

  /** Keeps the sums for hasMarked(). @param {Uint8Array} marks by function */
  end(marks) {
    const {boxes, sums} = this;
    sums[sums.length - 1] = this.sum;
    const known = (marked.get(boxes) ?? []).filter(one => one.marks !== marks);
    marked.set(boxes, [...known, {marks, sums}].slice(-MARKS_KNOWN));
    return sums;
  }
}

/**
 * What marksOf() found last: it is called for each pixel of a picture.
 * @type {{boxes: Int32Array|null, known: Marked}}
 */
let lastMarked = {boxes: null, known: {marks: new Uint8Array(0), sums: new Int32Array(0)}};

/** @param {Tree} tree @param {Uint8Array} marks by function */
function marksOf(tree, marks) {
  const {boxes, known} = lastMarked;
  if (boxes !== tree.boxes || known.marks !== marks)
    lastMarked = {boxes: tree.boxes, known: {marks, sums: foundMarks(tree, marks)}};
  return lastMarked.known.sums;
}

/** @param {Tree} tree @param {Uint8Array} marks by function */
function foundMarks(tree, marks) {
  const known = marked.get(tree.boxes)?.find(one => one.marks === marks);
  if (known) return known.sums;
  const {func, count} = tree.shape;
  const state = new Uint8Array(count);
  for (let box = 0; box < count; ++box) state[box] = marks[func[box]];
  const counter = new MarkCounter(tree);
  counter.add(0, tree.boxes.length, state, 0);
  return counter.end(marks);
}

/**
 * Whether a function of one of these boxes is marked.
 * @param {Tree} tree @param {Uint8Array} marks by function
 * @param {number} from @param {number} to indexes in `boxes`
 */
export function hasMarked(tree, marks, from, to) {
  const {boxes, shape} = tree;
  const {func} = shape;
  const first = Math.ceil(from / BOX_BLOCK);
  const last = Math.floor(to / BOX_BLOCK);
  const sums = marksOf(tree, marks);
  if (first < last && sums[last] > sums[first]) return true;
  // Most often there is none nearby.
  if (sums[Math.ceil(to / BOX_BLOCK)] === sums[Math.floor(from / BOX_BLOCK)]) return false;
  // What is not in whole blocks.
  const begin = Math.min(to, first * BOX_BLOCK);
  for (let i = from; i < begin; ++i) if (marks[func[boxes[i]]] === 1) return true;
  for (let i = Math.max(begin, last * BOX_BLOCK); i < to; ++i)
    if (marks[func[boxes[i]]] === 1) return true;
  return false;
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
