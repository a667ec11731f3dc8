// SPDX-License-Identifier: Apache-2.0
// A shape with weights, laid out for drawing. docs/flame-graphs.md has the rules of layout;
// src/render/layout.cc follows them for the SVG.
import {finished, inPieces, inPiecesBackwards, pieces, sorting} from './work.js';

/** @typedef {import('./shape.js').Shape} Shape */
/** @typedef {import('./filter.js').Weights} Weights */
/** @template T @typedef {import('./work.js').Work<T>} Work */
/**
 * @typedef {object} Tree
 * @property {Shape} shape
 * @property {Float64Array} self
 * @property {Float64Array} total
 * @property {Float64Array|null} beforeSelf in a difference; multiplied by `scale`
 * @property {Float64Array|null} beforeTotal
 * @property {Float64Array|null} was totals in another profile that colours show the change from
 * @property {Float64Array} extent in units of weight
 * @property {Float64Array} x the left edge, in units of weight
 * @property {Int32Array} boxes those with an extent, level by level, from left to right
 * @property {Int32Array} level where each level of `boxes` begins, and the end
 * @property {number} whole the extent of the root
 * @property {{after: number, before: number}} all what shares are of: the weights of each side
 *   before a transform left stacks out; that before is multiplied by `scale`
 * @property {boolean} isAbsolute the sides of a difference are compared as they are
 * @property {number} largestChange
 * @property {number} decimals
 * @property {string} unit
 * @property {number} unit_ns 0: the unit is not one of time
 * @property {[number, number]} samples the effective number on each side
 * @property {number} scale the factor of the weights before
 */

/**
 * The weights of boxes, from those of nodes.
 * @param {Shape} shape @param {Float64Array} weights @returns {Work<Float64Array>}
 */
function* selfOf({count, map}, weights) {
  const self = new Float64Array(count);
  yield* inPieces(0, map.length, (from, to) => {
    for (let i = from; i < to; ++i) if (weights[i] !== 0 && map[i] >= 0) self[map[i]] += weights[i];
  });
  return self;
}

/** @param {Shape} shape @param {Float64Array} self @returns {Work<Float64Array>} */
function* totalOf({count, parent}, self) {
  const total = self.slice();
  yield* inPiecesBackwards(1, count, (from, to) => {
    for (let i = to - 1; i >= from; --i) if (total[i] !== 0) total[parent[i]] += total[i];
  });
  return total;
}

/** @param {Float64Array} weights @returns {Work<number>} */
function* sumOfAll(weights) {
  let sum = 0;
  yield* inPieces(0, weights.length, (from, to) => {
    for (let i = from; i < to; ++i) sum += weights[i];
  });
  return sum;
}

/**
 * The weights before, multiplied by `scale`: if normalised, those of all nodes add up to the
 * weights after, whatever the shape leaves out.
 * @param {Shape} shape @param {Float64Array} weights of nodes @param {number} sumAfter
 * @param {boolean} isNormalized
 */
function* sideBefore(shape, weights, sumAfter, isNormalized) {
  const self = yield* selfOf(shape, weights);
  const sum = yield* sumOfAll(weights);
  const scale = isNormalized && sum > 0 && sumAfter > 0 ? sumAfter / sum : 1;
  if (scale !== 1)
    yield* inPieces(0, self.length, (from, to) => {
      for (let i = from; i < to; ++i) self[i] *= scale;
    });
  return {self, total: yield* totalOf(shape, self), scale, all: sum * scale};
}

/** Smaller changes, as shares of the whole, are errors of rounding. */
const LEAST_CHANGE = 1e-9;

/**
 * How much the weight of a box changed.
 * @param {Tree} tree with a side before, or changes @param {number} box
 */
export function changeOfBox({total, beforeTotal, was, all}, box) {
  const before = /** @type {Float64Array} */ (beforeTotal ?? was);
  const change = total[box] - before[box];
  return Math.abs(change) > LEAST_CHANGE * Math.max(all.after, all.before) ? change : 0;
}

/** @param {Float64Array} a @param {Float64Array} b @returns {Work<Float64Array>} */
function* larger(a, b) {
  const result = new Float64Array(a.length);
  yield* inPieces(0, a.length, (from, to) => {
    for (let i = from; i < to; ++i) result[i] = Math.max(a[i], b[i]);
  });
  return result;
}

/** @param {Float64Array} after @param {Float64Array} before @returns {Work<number>} */
function* largestChangeOf(after, before) {
  let largest = 0;
  yield* inPieces(1, after.length, (from, to) => {
    for (let i = from; i < to; ++i) largest = Math.max(largest, Math.abs(after[i] - before[i]));
  });
  return largest;
}

/** So many boxes are sorted by insertion. */
const FEW_BOXES = 24;

/**
 * Sorts part of `boxes` by descending extent.
 * @param {Int32Array} boxes @param {number} from @param {number} to @param {Float64Array} extent
 */
function* sortingMany(boxes, from, to, extent) {
  const part = boxes.subarray(from, to);
  part.set(yield* sorting(Array.from(part), (a, b) => extent[b] - extent[a] || a - b));
}

/**
 * The same for a few boxes, which takes less.
 * @param {Int32Array} boxes @param {number} from @param {number} to @param {Float64Array} extent
 */
function sortFew(boxes, from, to, extent) {
  for (let i = from + 1; i < to; ++i) {
    const box = boxes[i];
    const size = extent[box];
    let j = i - 1;
    for (; j >= from && extent[boxes[j]] < size; --j) boxes[j + 1] = boxes[j];
    boxes[j + 1] = box;
  }
}

/**
 * Boxes in the order of drawing as far as they are known.
 * @typedef {object} Order
 * @property {Int32Array} boxes
 * @property {number} end of them
 * @property {number[]} level where each level begins
 * @property {number} levelEnd of the one whose children are being added
 */

/**
 * Adds the children of the box at a place. They are those from `end` before to `end` after.
 * @param {Order} order @param {number} at @param {Int32Array} firstChild
 * @param {Float64Array} extent
 */
function addChildren(order, at, firstChild, extent) {
  const {boxes} = order;
  if (at === order.levelEnd) {
    order.level.push(at);
    order.levelEnd = order.end;
  }
  const box = boxes[at];
  let {end} = order;
  for (let c = firstChild[box]; c < firstChild[box + 1]; ++c) if (extent[c] > 0) boxes[end++] = c;
  order.end = end;
}

/**
 * The boxes that have an extent, level by level from left to right, and where levels begin.
 * @param {Shape} shape @param {Float64Array} extent @param {boolean} isHeavyFirst
 */
function* drawingOrder({count, firstChild}, extent, isHeavyFirst) {
  const root = extent[0] > 0 ? 1 : 0;
  /** @type {Order} */
  const order = {boxes: new Int32Array(count), end: root, level: [0], levelEnd: root};
  const {boxes, level} = order;
  if (isHeavyFirst) {
    for (const [from, to] of pieces(0, count)) {
      for (let at = from; at < to && at < order.end; ++at) {
        const first = order.end;
        addChildren(order, at, firstChild, extent);
        if (order.end - first < 2) continue;
        if (order.end - first > FEW_BOXES) yield* sortingMany(boxes, first, order.end, extent);
        else sortFew(boxes, first, order.end, extent);
      }
      yield to - from;
    }
  } else
    yield* inPieces(0, count, (from, to) => {
      for (let at = from; at < to && at < order.end; ++at)
        addChildren(order, at, firstChild, extent);
    });
  if (order.end > 0) level.push(order.end);
  return {boxes: boxes.subarray(0, order.end), level: Int32Array.from(level)};
}

/**
 * The left edges of boxes: within a box, its own weight comes first, then its children.
 * @param {Shape} shape @param {Int32Array} boxes in the order of drawing
 * @param {Float64Array} own @param {Float64Array} extent @returns {Work<Float64Array>}
 */
function* leftEdges({count, parent}, boxes, own, extent) {
  const x = new Float64Array(count);
  yield* inPieces(1, boxes.length, (from, to) => {
    // The box before is a sibling or has another parent.
    let before = boxes[from - 1];
    for (let i = from; i < to; ++i) {
      const box = boxes[i];
      const around = parent[box];
      x[box] =
        before > 0 && parent[before] === around
          ? x[before] + extent[before]
          : x[around] + own[around];
      before = box;
    }
  });
  return x;
}

/** @typedef {{heavy: boolean, normalized: boolean}} TreeOptions */

/**
 * @param {Shape} shape @param {Weights} weights @param {TreeOptions} options
 * @returns {Work<Tree>}
 */
export function* treeBuilding(shape, weights, {heavy, normalized}) {
  const self = yield* selfOf(shape, weights.after);
  const total = yield* totalOf(shape, self);
  const {unit, unit_ns, decimals, samples} = weights;
  const all = yield* sumOfAll(weights.after);
  const before = weights.before ? yield* sideBefore(shape, weights.before, all, normalized) : null;
  // In a difference, each stack is as wide as the larger of its two weights.
  const own = before ? yield* larger(self, before.self) : self;
  const extent = before ? yield* totalOf(shape, own) : total;
  const {boxes, level} = yield* drawingOrder(shape, extent, heavy);
  return {
    shape,
    self,
    total,
    beforeSelf: before?.self ?? null,
    beforeTotal: before?.total ?? null,
    was: null,
    extent,
    x: yield* leftEdges(shape, boxes, own, extent),
    boxes,
    level,
    whole: extent[0],
    all: {after: all, before: before?.all ?? 0},
    isAbsolute: !normalized,
    largestChange: before ? yield* largestChangeOf(total, before.total) : 0,
    decimals,
    unit,
    unit_ns,
    samples,
    scale: before?.scale ?? 1,
  };
}

/** @param {Shape} shape @param {Weights} weights @param {TreeOptions} options @returns {Tree} */
export const buildTree = (shape, weights, options) =>
  finished(treeBuilding(shape, weights, options));

/** The depth of a box; the root has 0. @param {Shape} shape @param {number} box */
export function depthOf(shape, box) {
  let low = 0;
  let high = shape.level.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (shape.level[middle] <= box) low = middle;
    else high = middle;
  }
  return low;
}

/**
 * The index in `boxes` of the first box of a level that ends to the right of `at`.
 * @param {Tree} tree @param {number} depth @param {number} at
 */
export function firstAt(tree, depth, at) {
  const {boxes, x, extent} = tree;
  let low = tree.level[depth];
  let high = tree.level[depth + 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (x[boxes[middle]] + extent[boxes[middle]] > at) high = middle;
    else low = middle + 1;
  }
  return low;
}

/**
 * The index of the first box from `from` that begins at or after `at`. Fast if it is near `from`.
 * @param {Tree} tree @param {number} from @param {number} end @param {number} at
 */
export function skipTo(tree, from, end, at) {
  const {boxes, x} = tree;
  let step = 1;
  let low = from;
  while (low + step < end && x[boxes[low + step]] < at) {
    low += step;
    step *= 2;
  }
  let high = Math.min(end, low + step);
  while (low < high) {
    const middle = (low + high) >> 1;
    if (x[boxes[middle]] < at) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The box at a position, or -1. @param {Tree} tree @param {number} depth @param {number} at */
export function boxAt(tree, depth, at) {
  if (depth < 0 || depth >= tree.level.length - 1) return -1;
  const i = firstAt(tree, depth, at);
  if (i >= tree.level[depth + 1]) return -1;
  const box = tree.boxes[i];
  return tree.x[box] <= at ? box : -1;
}

/**
 * The boxes on the way from the root to a box, without the root.
 * @param {Shape} shape @param {number} box @returns {number[]}
 */
export function pathTo(shape, box) {
  const path = [];
  for (let i = box; i > 0; i = shape.parent[i]) path.push(i);
  return path.reverse();
}

/**
 * Whether a box is another one or below it. Parents have lower numbers.
 * @param {Shape} shape @param {number} box @param {number} other
 */
export function isWithin(shape, box, other) {
  let at = box;
  while (at > other) at = shape.parent[at];
  return at === other;
}

/** @param {Tree} tree @param {number} box */
export function widestChild({shape, extent}, box) {
  let widest = -1;
  for (let c = shape.firstChild[box]; c < shape.firstChild[box + 1]; ++c)
    if (extent[c] > 0 && (widest < 0 || extent[c] > extent[widest])) widest = c;
  return widest;
}

/**
 * The next box of the level that is at least a pixel wide in the window; -1: none.
 * @param {Tree} tree @param {number} box @param {1|-1} by
 * @param {{window: [number, number], width: number}} visible the window's shares, and its pixels
 */
export function neighbour(tree, box, by, {window, width}) {
  const {boxes, level, x, extent, whole} = tree;
  const depth = depthOf(tree.shape, box);
  const [from, to] = window.map(share => share * whole);
  const least = (to - from) / Math.max(width, 1);
  let i = boxes.subarray(level[depth], level[depth + 1]).indexOf(box) + level[depth];
  for (i += by; i >= level[depth] && i < level[depth + 1]; i += by) {
    const other = boxes[i];
    const isVisible = x[other] < to && x[other] + extent[other] > from;
    if (extent[other] >= least && isVisible) return other;
  }
  return -1;
}
