// SPDX-License-Identifier: Apache-2.0
// The shape of the tree: which nodes of the profile share a box. It does not depend on weights, so
// a filter leaves it as it is.
import {inPieces} from './work.js';

/** @typedef {import('./data.js').Data} Data */
/** @template T @typedef {import('./work.js').Work<T>} Work */
/**
 * Boxes level by level, each level from left to right by name: parents precede their children, and
 * the children of a box are adjacent.
 * @typedef {object} Shape
 * @property {number} count
 * @property {Int32Array} parent
 * @property {Int32Array} func -1 for the root
 * @property {Int32Array} frame one of the frames of the box; -1: none
 * @property {Int32Array} level where each level begins, and the end
 * @property {Int32Array} firstChild has count + 1 entries; the children of i end where those of
 *   i + 1 begin
 * @property {Int32Array} map the box of each node of the profile; -1: none
 * @property {MadeNames} made the names that transforms made for its functions
 * @property {number} cut the number of stacks without their outermost callers, with which the tree
 *   would be too large
 */

/** Names that transforms make. They are numbered from `first`, after the functions. */
export class MadeNames {
  /** @param {number} first @param {string[]} [names] */
  constructor(first, names = []) {
    this.first = first;
    this.names = names;
    this.ids = new Map(names.map((name, i) => [name, first + i]));
  }

  /** The number after the last. */
  get end() {
    return this.first + this.names.length;
  }

  /** The number of a name; a new one if there is none. @param {string} name */
  idOf(name) {
    let id = this.ids.get(name);
    if (id === undefined) {
      id = this.end;
      this.names.push(name);
      this.ids.set(name, id);
    }
    return id;
  }

  copy() {
    return new MadeNames(this.first, this.names.slice());
  }
}

/** Random, so that no file can be crafted to make the hash table slow. */
const SEED = Math.floor(Math.random() * 2 ** 32);

/** @param {Int32Array} column */
function doubled(column) {
  const copy = new Int32Array(column.length * 2);
  copy.set(column);
  return copy;
}

/** A hash table of (parent, function) that numbers boxes, parents first. */
export class Merger {
  /** @param {number} room the expected number of boxes */
  constructor(room) {
    this.count = 1;
    this.parent = new Int32Array(room + 1);
    this.func = new Int32Array(room + 1);
    this.frame = new Int32Array(room + 1);
    this.depth = new Int32Array(room + 1);
    this.func[0] = this.frame[0] = -1;
    let slots = 16;
    while (slots < room * 2) slots *= 2;
    this.mask = slots - 1;
    this.slots = new Int32Array(slots);
  }

  grow() {
    this.parent = doubled(this.parent);
    this.func = doubled(this.func);
    this.frame = doubled(this.frame);
    this.depth = doubled(this.depth);
    this.mask = (this.mask + 1) * 2 - 1;
    this.slots = new Int32Array(this.mask + 1);
    for (let i = 1; i < this.count; ++i) {
      this.slots[this.freeSlot(this.parent[i], this.func[i])] = i;
    }
  }

  /** @param {number} parent @param {number} func */
  hash(parent, func) {
    let h = Math.imul(parent ^ SEED, 0x9e3779b1) ^ Math.imul(func, 0x85ebca6b);
    h = Math.imul(h ^ (h >>> 15), 0x2c1b3c6d);
    return (h ^ (h >>> 13)) & this.mask;
  }

  /** @param {number} parent @param {number} func */
  freeSlot(parent, func) {
    let at = this.hash(parent, func);
    while (this.slots[at] !== 0) at = (at + 1) & this.mask;
    return at;
  }

  /**
   * The box of `func` below `parent`.
   * @param {number} parent @param {number} func @param {number} frame
   */
  push(parent, func, frame) {
    let at = this.hash(parent, func);
    for (let i = this.slots[at]; i !== 0; i = this.slots[at]) {
      if (this.parent[i] === parent && this.func[i] === func) return i;
      at = (at + 1) & this.mask;
    }
    if (this.count >= this.parent.length - 1) {
      this.grow();
      at = this.freeSlot(parent, func);
    }
    const i = this.count++;
    this.slots[at] = i;
    this.parent[i] = parent;
    this.func[i] = func;
    this.frame[i] = frame;
    this.depth[i] = this.depth[parent] + 1;
    return i;
  }
}

/**
 * Where groups of these sizes begin, and the end.
 * @param {Int32Array} sizes @returns {Work<Int32Array>}
 */
function* beginnings(sizes) {
  const begin = new Int32Array(sizes.length + 1);
  yield* inPieces(0, sizes.length, (from, to) => {
    for (let i = from; i < to; ++i) begin[i + 1] = begin[i] + sizes[i];
  });
  return begin;
}

/** @param {Int32Array} depth @param {number} count @returns {Work<Int32Array>} */
function* levelsOf(depth, count) {
  let deepest = 0;
  yield* inPieces(0, count, (from, to) => {
    for (let i = from; i < to; ++i) if (depth[i] > deepest) deepest = depth[i];
  });
  const sizes = new Int32Array(deepest + 1);
  yield* inPieces(0, count, (from, to) => {
    for (let i = from; i < to; ++i) ++sizes[depth[i]];
  });
  return yield* beginnings(sizes);
}

/** @param {Int32Array} parent @param {number} count @returns {Work<Int32Array>} */
function* firstChildren(parent, count) {
  const first = new Int32Array(count + 1);
  yield* inPieces(1, count, (from, to) => {
    for (let i = from; i < to; ++i) ++first[parent[i] + 1];
  });
  first[0] = 1;
  yield* inPieces(1, count + 1, (from, to) => {
    for (let i = from; i < to; ++i) first[i] += first[i - 1];
  });
  return first;
}

/**
 * Renumbers boxes.
 * @param {{parent: Int32Array, func: Int32Array, frame: Int32Array, depth: Int32Array}} old
 * @param {Int32Array} order the old numbers in the new order
 * @param {Int32Array} boxes the old box of each node; -1: none
 * @param {MadeNames} made
 * @returns {Work<Shape>}
 */
function* inOrder(old, order, boxes, made) {
  const count = order.length;
  const rank = new Int32Array(count);
  yield* inPieces(0, count, (from, to) => {
    for (let i = from; i < to; ++i) rank[order[i]] = i;
  });
  const parent = new Int32Array(count);
  const func = new Int32Array(count);
  const frame = new Int32Array(count);
  yield* inPieces(0, count, (from, to) => {
    for (let i = from; i < to; ++i) {
      parent[i] = rank[old.parent[order[i]]];
      func[i] = old.func[order[i]];
      frame[i] = old.frame[order[i]];
    }
  });
  const map = new Int32Array(boxes.length);
  yield* inPieces(0, map.length, (from, to) => {
    for (let i = from; i < to; ++i) map[i] = boxes[i] < 0 ? -1 : rank[boxes[i]];
  });
  const level = yield* levelsOf(old.depth, count);
  const firstChild = yield* firstChildren(parent, count);
  return {count, parent, func, frame, level, firstChild, map, made, cut: 0};
}

/** The boxes of a merger but the root, by function. @param {Merger} merger */
function* sortedByFunction({count, func}) {
  let functions = 0;
  yield* inPieces(1, count, (from, to) => {
    for (let i = from; i < to; ++i) if (func[i] >= functions) functions = func[i] + 1;
  });
  const sizes = new Int32Array(functions);
  yield* inPieces(1, count, (from, to) => {
    for (let i = from; i < to; ++i) ++sizes[func[i]];
  });
  const next = yield* beginnings(sizes);
  const sorted = new Int32Array(count - 1);
  yield* inPieces(1, count, (from, to) => {
    for (let i = from; i < to; ++i) sorted[next[func[i]]++] = i;
  });
  return sorted;
}

/**
 * @param {Merger} merger @param {Int32Array} boxes the one of each node; -1: none
 * @param {MadeNames} made @returns {Work<Shape>}
 */
export function* shapeOf(merger, boxes, made) {
  const {count, parent} = merger;
  const sizes = new Int32Array(count);
  yield* inPieces(1, count, (from, to) => {
    for (let i = from; i < to; ++i) ++sizes[parent[i]];
  });
  const first = yield* beginnings(sizes);
  const next = first.slice();
  const children = new Int32Array(count);
  // Functions are numbered by name, so the children of a box end up in the order of names.
  const sorted = yield* sortedByFunction(merger);
  yield* inPieces(0, sorted.length, (from, to) => {
    for (let i = from; i < to; ++i) children[next[parent[sorted[i]]]++] = sorted[i];
  });
  const order = new Int32Array(count);
  let end = 1;
  // Every box is in the order before its children are appended.
  yield* inPieces(0, count, (from, to) => {
    for (let at = from; at < to; ++at)
      for (let c = first[order[at]]; c < first[order[at] + 1]; ++c) order[end++] = children[c];
  });
  return yield* inOrder(merger, order, boxes, made);
}

/**
 * Function and depth of each node, and whether each node is a box of its own. Nodes are in
 * preorder and siblings are sorted by name, so nodes that share a box (frames on different lines)
 * are adjacent siblings.
 * @param {Data} data
 */
function* nodeColumns({nodes, nodeParent, nodeFrame, frameFunction}) {
  const func = new Int32Array(nodes);
  const depth = new Int32Array(nodes);
  func[0] = -1;
  const lastChild = new Int32Array(nodes).fill(-1);
  let areDistinct = true;
  yield* inPieces(1, nodes, (from, to) => {
    for (let i = from; i < to; ++i) {
      const parent = nodeParent[i];
      func[i] = frameFunction[nodeFrame[i]];
      depth[i] = depth[parent] + 1;
      if (lastChild[parent] === func[i]) areDistinct = false;
      lastChild[parent] = func[i];
    }
  });
  return {func, depth, areDistinct};
}

/** The shape without any transform. @param {Data} data @returns {Work<Shape>} */
export function* baseShape(data) {
  const {nodes, nodeParent, nodeFrame} = data;
  const {func, depth, areDistinct} = yield* nodeColumns(data);
  const boxes = new Int32Array(nodes);
  const made = new MadeNames(data.functions);
  if (areDistinct) {
    const next = yield* levelsOf(depth, nodes);
    const order = new Int32Array(nodes);
    yield* inPieces(0, nodes, (from, to) => {
      for (let i = from; i < to; ++i) {
        order[next[depth[i]]++] = i;
        boxes[i] = i;
      }
    });
    const columns = {parent: nodeParent, func, frame: nodeFrame, depth};
    return yield* inOrder(columns, order, boxes, made);
  }
  const merger = new Merger(nodes);
  yield* inPieces(1, nodes, (from, to) => {
    for (let i = from; i < to; ++i)
      boxes[i] = merger.push(boxes[nodeParent[i]], func[i], nodeFrame[i]);
  });
  return yield* shapeOf(merger, boxes, made);
}

/** The depth of each box; the root has 0. @param {Shape} shape */
export function depthsOf(shape) {
  const depth = new Int32Array(shape.count);
  for (let i = 1; i < shape.count; ++i) depth[i] = depth[shape.parent[i]] + 1;
  return depth;
}
