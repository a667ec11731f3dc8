// SPDX-License-Identifier: Apache-2.0
// The shape of the tree: which nodes of the profile are one box. Transforms are
// steps from one shape to the next; they do not look at weights, so a filter
// needs none of this again.
import {baseName, withoutTemplates} from './names.js';
import {amount} from './numbers.js';

/** @typedef {import('./data.js').Data} Data */
/**
 * Boxes level by level, each level from left to right by name: parents stand
 * before their children, and the children of a box beside each other.
 * @typedef {object} Shape
 * @property {number} count
 * @property {Int32Array} parent
 * @property {Int32Array} func the root has -1
 * @property {Int32Array} frame one of the frames that the box stands for; -1: none
 * @property {Int32Array} level where each level begins, and the end
 * @property {Int32Array} firstChild count + 1; the children of i end where those of i + 1 begin
 * @property {Int32Array} map the box of each node of the profile; -1: left out
 * @property {number} cut how many stacks lost their outermost callers, because the tree would be too large
 */
/**
 * @typedef {{type: 'function'|'subtree'|'hide'|'drop'|'recursion'|'module'|'templates'|'invert'|'callers',
 *   at: number}} Transform   at: a function, a box of the shape before, or a module's string
 */

/** So that no file can be prepared to be slow. */
const SEED = Math.floor(Math.random() * 2 ** 32);

/** A table of (parent, function) that hands out numbers, parents first. */
class Merger {
  /** @param {number} room */
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
    const larger = (/** @type {Int32Array} */ column) => {
      const copy = new Int32Array(column.length * 2);
      copy.set(column);
      return copy;
    };
    this.parent = larger(this.parent);
    this.func = larger(this.func);
    this.frame = larger(this.frame);
    this.depth = larger(this.depth);
    this.mask = (this.mask + 1) * 2 - 1;
    this.slots = new Int32Array(this.mask + 1);
    for (let i = 1; i < this.count; ++i) {
      let at = this.hash(this.parent[i], this.func[i]);
      while (this.slots[at] !== 0) at = (at + 1) & this.mask;
      this.slots[at] = i;
    }
  }

  /** @param {number} parent @param {number} func */
  hash(parent, func) {
    let h = Math.imul(parent ^ SEED, 0x9e3779b1) ^ Math.imul(func, 0x85ebca6b);
    h = Math.imul(h ^ (h >>> 15), 0x2c1b3c6d);
    return (h ^ (h >>> 13)) & this.mask;
  }

  /** @param {number} parent @param {number} func @param {number} frame */
  push(parent, func, frame) {
    let at = this.hash(parent, func);
    for (let i = this.slots[at]; i !== 0; i = this.slots[at]) {
      if (this.parent[i] === parent && this.func[i] === func) return i;
      at = (at + 1) & this.mask;
    }
    if (this.count >= this.parent.length - 1) {
      this.grow();
      at = this.hash(parent, func);
      while (this.slots[at] !== 0) at = (at + 1) & this.mask;
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
 * Where groups begin if `sizes[i]` belong to group i; one longer than `sizes`.
 * @param {Int32Array} sizes
 */
function beginnings(sizes) {
  const begin = new Int32Array(sizes.length + 1);
  for (let i = 0; i < sizes.length; ++i) begin[i + 1] = begin[i] + sizes[i];
  return begin;
}

/** @param {Int32Array} depth @param {number} count */
function levelsOf(depth, count) {
  let deepest = 0;
  for (let i = 0; i < count; ++i) if (depth[i] > deepest) deepest = depth[i];
  const sizes = new Int32Array(deepest + 1);
  for (let i = 0; i < count; ++i) ++sizes[depth[i]];
  return beginnings(sizes);
}

/** @param {Int32Array} parent @param {number} count */
function firstChildren(parent, count) {
  const first = new Int32Array(count + 1);
  for (let i = 1; i < count; ++i) ++first[parent[i] + 1];
  first[0] = 1;
  for (let i = 1; i <= count; ++i) first[i] += first[i - 1];
  return first;
}

/**
 * Puts boxes into their order. `order` lists the old numbers.
 * @param {{parent: Int32Array, func: Int32Array, frame: Int32Array, depth: Int32Array}} from
 * @param {Int32Array} order @param {Int32Array} to the old box of each node; -1: none
 * @returns {Shape}
 */
function inOrder(from, order, to) {
  const count = order.length;
  const rank = new Int32Array(count);
  for (let i = 0; i < count; ++i) rank[order[i]] = i;
  const parent = new Int32Array(count);
  const func = new Int32Array(count);
  const frame = new Int32Array(count);
  for (let i = 0; i < count; ++i) {
    parent[i] = rank[from.parent[order[i]]];
    func[i] = from.func[order[i]];
    frame[i] = from.frame[order[i]];
  }
  const map = new Int32Array(to.length);
  for (let i = 0; i < map.length; ++i) map[i] = to[i] < 0 ? -1 : rank[to[i]];
  return {
    count,
    parent,
    func,
    frame,
    level: levelsOf(from.depth, count),
    firstChild: firstChildren(parent, count),
    map,
    cut: 0,
  };
}

/** @param {Merger} merger @param {Int32Array} to @returns {Shape} */
function finish(merger, to) {
  const count = merger.count;
  // By function, then by parent, both stable: children by name.
  let functions = 0;
  for (let i = 1; i < count; ++i) if (merger.func[i] >= functions) functions = merger.func[i] + 1;
  const sizes = new Int32Array(functions);
  for (let i = 1; i < count; ++i) ++sizes[merger.func[i]];
  const next = beginnings(sizes);
  const byName = new Int32Array(count - 1);
  for (let i = 1; i < count; ++i) byName[next[merger.func[i]]++] = i;
  const childSizes = new Int32Array(count);
  for (let i = 1; i < count; ++i) ++childSizes[merger.parent[i]];
  const first = beginnings(childSizes);
  const nextChild = first.slice();
  const children = new Int32Array(count);
  for (const i of byName) children[nextChild[merger.parent[i]]++] = i;
  const order = new Int32Array(count);
  let end = 1;
  for (let at = 0; at < end; ++at) {
    const box = order[at];
    for (let c = first[box]; c < first[box + 1]; ++c) order[end++] = children[c];
  }
  return inOrder(merger, order, to);
}

/** The shape without any transform. @param {Data} data @returns {Shape} */
export function baseShape(data) {
  const {nodes, nodeParent, nodeFrame, frameFunction} = data;
  const func = new Int32Array(nodes);
  const depth = new Int32Array(nodes);
  func[0] = -1;
  // Nodes come in preorder, siblings by name: those that are one box lie beside
  // each other, if there are any (frames of different lines).
  const last = new Int32Array(nodes).fill(-1);
  let distinct = true;
  for (let i = 1; i < nodes; ++i) {
    const parent = nodeParent[i];
    func[i] = frameFunction[nodeFrame[i]];
    depth[i] = depth[parent] + 1;
    if (last[parent] === func[i]) distinct = false;
    last[parent] = func[i];
  }
  if (distinct) {
    const next = levelsOf(depth, nodes);
    const order = new Int32Array(nodes);
    const to = new Int32Array(nodes);
    for (let i = 0; i < nodes; ++i) {
      order[next[depth[i]]++] = i;
      to[i] = i;
    }
    return inOrder({parent: nodeParent, func, frame: nodeFrame, depth}, order, to);
  }
  const merger = new Merger(nodes);
  const to = new Int32Array(nodes);
  for (let i = 1; i < nodes; ++i) to[i] = merger.push(to[nodeParent[i]], func[i], nodeFrame[i]);
  return finish(merger, to);
}

/**
 * @typedef {(box: number, parent: number) => number} Step   the new box of a box; parent: that of its parent
 */

/**
 * @param {Data} data @param {Shape} shape @param {Merger} merger @param {Transform} transform
 * @returns {Step}
 */
function stepOf(data, shape, merger, {type, at}) {
  const {func, frame} = shape;
  const keep = (/** @type {number} */ box, /** @type {number} */ parent) =>
    merger.push(parent, func[box], frame[box]);
  switch (type) {
    case 'function':
      return (box, parent) =>
        parent >= 0 ? keep(box, parent) : func[box] === at ? keep(box, 0) : -1;
    case 'subtree':
      return (box, parent) => (parent >= 0 ? keep(box, parent) : box === at ? keep(box, 0) : -1);
    case 'hide':
      return (box, parent) => (func[box] === at ? parent : keep(box, parent));
    case 'drop':
      return (box, parent) => (parent < 0 || func[box] === at ? -1 : keep(box, parent));
    case 'recursion': {
      if (at < 0)
        return (box, parent) =>
          parent > 0 && merger.func[parent] === func[box] ? parent : keep(box, parent);
      const outermost = new Int32Array(shape.count);
      return (box, parent) => {
        const known = outermost[shape.parent[box]];
        const here = func[box] === at && known > 0 ? known : keep(box, parent);
        outermost[box] = known > 0 ? known : func[box] === at ? here : 0;
        return here;
      };
    }
    case 'module': {
      const made = data.madeName(`[${baseName(data.strings.at(at))}]`);
      return (box, parent) => {
        if (frame[box] < 0 || data.frameModule[frame[box]] !== at) return keep(box, parent);
        return parent > 0 && merger.func[parent] === made
          ? parent
          : merger.push(parent, made, frame[box]);
      };
    }
    case 'templates': {
      const short = new Int32Array(data.names).fill(-1);
      return (box, parent) => {
        const f = func[box];
        if (short[f] < 0) {
          const name = data.name(f);
          const cut = withoutTemplates(name);
          short[f] = cut === name ? f : data.madeName(cut);
        }
        return merger.push(parent, short[f], frame[box]);
      };
    }
    case 'callers':
    case 'invert':
      throw new Error('no step');
  }
}

/**
 * Stacks share their callers, but not their callees: inverted, a tree can be many times as large.
 */
export const MOST_BOXES = 2_000_000;

/**
 * Puts boxes and their callers under the root, innermost first, one caller of
 * all of them after the other, until there are none left or the tree is large.
 * @param {Shape} shape @param {Merger} merger @param {Int32Array} boxes @param {Int32Array} to gets the end of each
 * @returns {number} how many were left with callers that are not in it
 */
function pushCallers(shape, merger, boxes, to) {
  let left = boxes.length;
  const caller = boxes.slice();
  const start = boxes.slice();
  const end = new Int32Array(boxes.length);
  while (left > 0 && merger.count < MOST_BOXES) {
    let kept = 0;
    for (let i = 0; i < left; ++i) {
      const reached = merger.push(end[i], shape.func[caller[i]], shape.frame[caller[i]]);
      to[start[i]] = reached;
      const up = shape.parent[caller[i]];
      if (up === 0) continue;
      caller[kept] = up;
      start[kept] = start[i];
      end[kept++] = reached;
    }
    left = kept;
  }
  return left;
}

/**
 * @param {Data} data @param {Shape} shape @param {Transform} transform @returns {Shape}
 */
export function transformed(data, shape, transform) {
  const {type, at} = transform;
  const merger = new Merger(shape.count);
  const to = new Int32Array(shape.count);
  let {cut} = shape;
  if (type === 'invert') {
    const ends = new Uint8Array(shape.count);
    for (let i = 0; i < data.samples; ++i) {
      const box = shape.map[data.sampleNode[i]];
      if (box >= 0) ends[box] = 1;
    }
    const boxes = [];
    for (let i = 1; i < shape.count; ++i) if (ends[i]) boxes.push(i);
    to.fill(-1, 1);
    cut += pushCallers(shape, merger, Int32Array.from(boxes), to);
  } else if (type === 'callers') {
    const boxes = [];
    to.fill(-1);
    for (let i = 1; i < shape.count; ++i) {
      // 0: within the function.
      if (to[shape.parent[i]] === 0) to[i] = 0;
      else if (shape.func[i] === at) {
        to[i] = 0;
        boxes.push(i);
      }
    }
    cut += pushCallers(shape, merger, Int32Array.from(boxes), to);
    for (let i = 1; i < shape.count; ++i) if (to[i] === 0) to[i] = to[shape.parent[i]];
  } else {
    const step = stepOf(data, shape, merger, transform);
    to[0] = type === 'function' || type === 'subtree' ? -1 : 0;
    for (let i = 1; i < shape.count; ++i) to[i] = step(i, to[shape.parent[i]]);
  }
  const map = new Int32Array(shape.map.length);
  for (let i = 0; i < map.length; ++i) map[i] = shape.map[i] < 0 ? -1 : to[shape.map[i]];
  return {...finish(merger, map), cut};
}

/** What a shape that was cut says of itself; '' if it is complete. @param {Shape} shape */
export const cutText = ({cut}) =>
  cut === 0
    ? ''
    : `${amount(cut, 0)} stacks are without their outermost callers: a tree of more than ${amount(MOST_BOXES, 0)} boxes is not drawn`;

/** Shapes after each of a list of transforms, kept as long as the list begins the same. */
export class Shapes {
  /** @param {Data} data */
  constructor(data) {
    this.data = data;
    this.base = baseShape(data);
    /**
     * names: how many were made until then.
     * @type {{key: string, shape: Shape, names: number}[]}
     */
    this.steps = [];
  }

  /** @param {Transform[]} transforms @returns {Shape} */
  after(transforms) {
    transforms.forEach((transform, i) => {
      const key = `${transform.type} ${transform.at}`;
      if (this.steps[i]?.key === key) return;
      this.steps.length = i;
      const before = i === 0 ? {shape: this.base, names: 0} : this.steps[i - 1];
      // Numbers of made names follow from the list alone, not from what was undone: they stand in addresses.
      this.data.forgetNames(before.names);
      const shape = transformed(this.data, before.shape, transform);
      this.steps.push({key, shape, names: this.data.madeNames.length});
    });
    return transforms.length === 0 ? this.base : this.steps[transforms.length - 1].shape;
  }
}
