// SPDX-License-Identifier: Apache-2.0
// Transforms: steps from one shape to the next.
import {baseName, withoutTemplates} from './names.js';
import {amount} from './numbers.js';
import {baseShape, Merger, shapeOf} from './shape.js';

/** @typedef {import('./data.js').Data} Data */
/** @typedef {import('./shape.js').Shape} Shape */
/**
 * @typedef {object} Transform
 * @property {'function'|'subtree'|'hide'|'drop'|'recursion'|'module'|'templates'|'invert'|
 *   'callers'} type
 * @property {number} at a function, a box of the shape before, or the string of a module; -1: none
 */
/**
 * Gives the new box of a box, whose parent has become `parent`; -1: left out.
 * @typedef {(box: number, parent: number) => number} Step
 */

/** @param {Shape} shape @param {Merger} merger @returns {Step} */
const keepStep =
  ({func, frame}, merger) =>
  (box, parent) =>
    merger.push(parent, func[box], frame[box]);

/**
 * Keeps what is below the boxes that `isRoot` selects.
 * @param {Step} keep @param {(box: number) => boolean} isRoot @returns {Step}
 */
const focusStep = (keep, isRoot) => (box, parent) =>
  parent >= 0 ? keep(box, parent) : isRoot(box) ? keep(box, 0) : -1;

/**
 * @param {Shape} shape @param {Merger} merger @param {Step} keep @param {number} at @returns {Step}
 */
function recursionStep(shape, merger, keep, at) {
  const {func} = shape;
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

/**
 * @param {Data} data @param {Shape} shape @param {Merger} merger @param {Step} keep
 * @param {number} at @returns {Step}
 */
function moduleStep(data, {frame}, merger, keep, at) {
  const name = data.madeName(`[${baseName(data.strings.at(at))}]`);
  return (box, parent) => {
    if (frame[box] < 0 || data.frameModule[frame[box]] !== at) return keep(box, parent);
    return parent > 0 && merger.func[parent] === name
      ? parent
      : merger.push(parent, name, frame[box]);
  };
}

/** @param {Data} data @param {Shape} shape @param {Merger} merger @returns {Step} */
function templatesStep(data, {func, frame}, merger) {
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

/**
 * The step of a transform that keeps callers above their callees.
 * @param {Data} data @param {Shape} shape @param {Merger} merger @param {Transform} transform
 * @returns {Step}
 */
function stepOf(data, shape, merger, {type, at}) {
  const {func} = shape;
  const keep = keepStep(shape, merger);
  switch (type) {
    case 'function':
      return focusStep(keep, box => func[box] === at);
    case 'subtree':
      return focusStep(keep, box => box === at);
    case 'hide':
      return (box, parent) => (func[box] === at ? parent : keep(box, parent));
    case 'drop':
      return (box, parent) => (parent < 0 || func[box] === at ? -1 : keep(box, parent));
    case 'recursion':
      return recursionStep(shape, merger, keep, at);
    case 'module':
      return moduleStep(data, shape, merger, keep, at);
    case 'templates':
      return templatesStep(data, shape, merger);
    default:
      throw new Error(`${type} does not keep callers above their callees`);
  }
}

/** Stacks share callers but not callees, so an inverted tree can be many times as large. */
export const MOST_BOXES = 2_000_000;

/**
 * Puts boxes and their callers below the root, innermost first. Adds one caller to every stack
 * before the next, until all are complete or the tree is too large.
 * @param {Shape} shape @param {Merger} merger @param {number[]} boxes
 * @param {Int32Array} to receives the outermost new box of each
 * @returns {number} how many are incomplete
 */
function pushCallers(shape, merger, boxes, to) {
  let left = boxes.length;
  const caller = Int32Array.from(boxes);
  const start = caller.slice();
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
 * Whole stacks, from the function that ran to its outermost caller.
 * @param {Data} data @param {Shape} shape @param {Merger} merger @param {Int32Array} to
 */
function invert(data, shape, merger, to) {
  const isEnd = new Uint8Array(shape.count);
  for (let i = 0; i < data.samples; ++i) {
    const box = shape.map[data.sampleNode[i]];
    if (box >= 0) isEnd[box] = 1;
  }
  const ends = [];
  for (let i = 1; i < shape.count; ++i) if (isEnd[i]) ends.push(i);
  to.fill(-1, 1);
  return pushCallers(shape, merger, ends, to);
}

/**
 * The callers of a function. Everything below its outermost box in a stack counts for that box.
 * @param {Shape} shape @param {Merger} merger @param {Int32Array} to @param {number} at
 */
function pushCallersOf(shape, merger, to, at) {
  const WITHIN = 0;
  const outermost = [];
  to.fill(-1);
  for (let i = 1; i < shape.count; ++i) {
    if (to[shape.parent[i]] === WITHIN) to[i] = WITHIN;
    else if (shape.func[i] === at) {
      to[i] = WITHIN;
      outermost.push(i);
    }
  }
  const incomplete = pushCallers(shape, merger, outermost, to);
  for (let i = 1; i < shape.count; ++i) if (to[i] === WITHIN) to[i] = to[shape.parent[i]];
  return incomplete;
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
    cut += invert(data, shape, merger, to);
  } else if (type === 'callers') {
    cut += pushCallersOf(shape, merger, to, at);
  } else {
    const step = stepOf(data, shape, merger, transform);
    to[0] = type === 'function' || type === 'subtree' ? -1 : 0;
    for (let i = 1; i < shape.count; ++i) to[i] = step(i, to[shape.parent[i]]);
  }
  const map = new Int32Array(shape.map.length);
  for (let i = 0; i < map.length; ++i) map[i] = shape.map[i] < 0 ? -1 : to[shape.map[i]];
  return {...shapeOf(merger, map), cut};
}

/** What a cut shape reports; '' if it is complete. @param {Shape} shape */
export const cutText = ({cut}) =>
  cut === 0
    ? ''
    : `${amount(cut, 0)} stacks lack their outermost callers: ` +
      `a tree is limited to ${amount(MOST_BOXES, 0)} boxes`;

/**
 * Whether a transform refers to something that exists.
 * @param {Data} data @param {Shape} shape @param {Transform} transform
 */
function isPossible(data, shape, {type, at}) {
  if (type === 'invert' || type === 'templates') return true;
  if (type === 'recursion' && at < 0) return true;
  const limit =
    type === 'subtree' ? shape.count : type === 'module' ? data.strings.size : data.names;
  return at >= 0 && at < limit;
}

/** The shape after each of a list of transforms. Keeps those of the list's unchanged beginning. */
export class Shapes {
  /** @param {Data} data */
  constructor(data) {
    this.data = data;
    this.base = baseShape(data);
    /**
     * names: how many names had been made after the step.
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
      // Addresses hold the numbers of made names, so these must depend on the list alone and not
      // on undone transforms.
      this.data.forgetNames(before.names);
      const shape = transformed(this.data, before.shape, transform);
      this.steps.push({key, shape, names: this.data.madeNames.length});
    });
    return transforms.length === 0 ? this.base : this.steps[transforms.length - 1].shape;
  }

  /** The transforms before the first that is not possible. @param {Transform[]} transforms */
  possible(transforms) {
    /** @type {Transform[]} */
    const good = [];
    for (const transform of transforms) {
      if (!isPossible(this.data, this.after(good), transform)) break;
      good.push(transform);
    }
    return good;
  }
}
