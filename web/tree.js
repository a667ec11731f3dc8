// SPDX-License-Identifier: Apache-2.0
// A shape with weights: what is drawn. The rules of layout are those of
// docs/flame-graphs.md, as src/render/layout.cc has them.

/** @typedef {import('./merge.js').Shape} Shape */
/** @typedef {import('./filter.js').Weights} Weights */
/**
 * @typedef {object} Tree
 * @property {Shape} shape
 * @property {Float64Array} self
 * @property {Float64Array} total
 * @property {Float64Array|null} beforeSelf in a difference; scaled, if that was asked for
 * @property {Float64Array|null} beforeTotal
 * @property {Float64Array} extent in units of weight
 * @property {Float64Array} x where a box begins
 * @property {Int32Array} boxes those that have an extent, level by level, from left to right
 * @property {Int32Array} level where each level of `boxes` begins, and the end
 * @property {number} whole the extent of the root
 * @property {number} largestChange
 * @property {number} decimals
 * @property {string} unit
 * @property {[number, number]} samples how many each side is worth
 * @property {number} scale what the weights before were multiplied by
 */

/** Weights of boxes from those of nodes. @param {Shape} shape @param {Float64Array} weights */
function selfOf(shape, weights) {
  const self = new Float64Array(shape.count);
  const map = shape.map;
  for (let i = 0; i < map.length; ++i)
    if (weights[i] !== 0 && map[i] >= 0) self[map[i]] += weights[i];
  return self;
}

/** @param {Shape} shape @param {Float64Array} self */
function totalOf(shape, self) {
  const total = self.slice();
  const parent = shape.parent;
  for (let i = shape.count - 1; i > 0; --i) if (total[i] !== 0) total[parent[i]] += total[i];
  return total;
}

/**
 * In a difference, each stack is as wide as the larger of its weights.
 * @param {Shape} shape @param {Float64Array} after @param {Float64Array} before
 */
function extentOf(shape, after, before) {
  const self = new Float64Array(shape.count);
  for (let i = 0; i < shape.count; ++i) self[i] = Math.max(after[i], before[i]);
  return {own: self, extent: totalOf(shape, self)};
}

/**
 * Sorts part of `boxes` by falling extent.
 * @param {Int32Array} boxes @param {number} from @param {number} to @param {Float64Array} extent
 */
function heaviestFirst(boxes, from, to, extent) {
  if (to - from > 24) {
    const part = boxes.subarray(from, to);
    part.set(Array.from(part).sort((a, b) => extent[b] - extent[a] || a - b));
    return;
  }
  for (let i = from + 1; i < to; ++i) {
    const box = boxes[i];
    const size = extent[box];
    let j = i - 1;
    for (; j >= from && extent[boxes[j]] < size; --j) boxes[j + 1] = boxes[j];
    boxes[j + 1] = box;
  }
}

/**
 * @param {Shape} shape @param {Weights} weights
 * @param {{heavy: boolean, normalized: boolean}} options
 * @returns {Tree}
 */
export function buildTree(shape, weights, {heavy, normalized}) {
  const {count, parent, firstChild} = shape;
  const self = selfOf(shape, weights.after);
  const total = totalOf(shape, self);
  let own = self;
  let extent = total;
  let scale = 1;
  let beforeSelf = null;
  let beforeTotal = null;
  let largestChange = 0;
  if (weights.before) {
    beforeSelf = selfOf(shape, weights.before);
    const sum = beforeSelf.reduce((a, b) => a + b, 0);
    if (normalized && sum > 0 && total[0] > 0) {
      scale = total[0] / sum;
      for (let i = 0; i < count; ++i) beforeSelf[i] *= scale;
    }
    beforeTotal = totalOf(shape, beforeSelf);
    ({own, extent} = extentOf(shape, self, beforeSelf));
    for (let i = 1; i < count; ++i)
      largestChange = Math.max(largestChange, Math.abs(total[i] - beforeTotal[i]));
  }

  const x = new Float64Array(count);
  const next = new Float64Array(count);
  const boxes = new Int32Array(count);
  const level = new Int32Array(shape.level.length);
  let end = 0;
  let levels = 0;
  const place = (/** @type {number} */ box) => {
    if (box > 0) {
      const up = parent[box];
      x[box] = next[up];
      next[up] += extent[box];
    }
    next[box] = x[box] + own[box];
  };
  if (extent[0] > 0) {
    boxes[end++] = 0;
    place(0);
    levels = 1;
    level[1] = 1;
    for (; levels < shape.level.length - 1; ++levels) {
      const from = end;
      for (let at = level[levels - 1]; at < level[levels]; ++at) {
        const box = boxes[at];
        const first = end;
        for (let c = firstChild[box]; c < firstChild[box + 1]; ++c)
          if (extent[c] > 0) boxes[end++] = c;
        if (heavy && end - first > 1) heaviestFirst(boxes, first, end, extent);
        for (let i = first; i < end; ++i) place(boxes[i]);
      }
      if (end === from) break;
      level[levels + 1] = end;
    }
  }
  return {
    shape,
    self,
    total,
    beforeSelf,
    beforeTotal,
    extent,
    x,
    boxes: boxes.subarray(0, end),
    level: level.slice(0, levels + 1),
    whole: extent[0],
    largestChange,
    decimals: weights.decimals,
    unit: weights.unit,
    samples: weights.samples,
    scale,
  };
}

/** How deep a box lies; the root 0. @param {Shape} shape @param {number} box */
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
 * The place in `boxes` of the first one of a level that ends right of `at`.
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
 * As firstAt, for one who expects it soon behind `from`.
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

/** The box at a place, or -1. @param {Tree} tree @param {number} depth @param {number} at */
export function boxAt(tree, depth, at) {
  if (depth < 0 || depth >= tree.level.length - 1) return -1;
  const i = firstAt(tree, depth, at);
  if (i >= tree.level[depth + 1]) return -1;
  const box = tree.boxes[i];
  return tree.x[box] <= at ? box : -1;
}

/**
 * Functions from the root to a box.
 * @param {Shape} shape @param {number} box @returns {number[]}
 */
export function pathTo(shape, box) {
  const path = [];
  for (let i = box; i > 0; i = shape.parent[i]) path.push(i);
  return path.reverse();
}
