// SPDX-License-Identifier: Apache-2.0
// Transforms: steps from one shape to the next.
import {baseName, withoutTemplates} from './names.js';
import {amount} from './numbers.js';
import {baseShape, Merger, shapeOf} from './shape.js';
import {finished, inPieces, lookups} from './work.js';

/** @typedef {import('./data.js').Data} Data */
/** @typedef {import('./shape.js').MadeNames} MadeNames */
/** @typedef {import('./shape.js').Shape} Shape */
/** @template T @typedef {import('./work.js').Work<T>} Work */
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
 * @param {Data} data @param {Shape} shape `made` is added to
 * @param {Merger} merger @param {Step} keep @param {number} at @returns {Step}
 */
function moduleStep(data, {frame, made}, merger, keep, at) {
  const name = made.idOf(`[${baseName(data.strings.at(at))}]`);
  return (box, parent) => {
    if (frame[box] < 0 || data.frameModule[frame[box]] !== at) return keep(box, parent);
    return parent > 0 && merger.func[parent] === name
      ? parent
      : merger.push(parent, name, frame[box]);
  };
}

/**
 * @param {Data} data @param {Shape} shape `made` is added to
 * @param {Merger} merger @returns {Step}
 */
function templatesStep(data, {func, frame, made}, merger) {
  const short = new Int32Array(made.end).fill(-1);
  return (box, parent) => {
    const f = func[box];
    if (short[f] < 0) {
      const name = f < made.first ? data.name(f) : made.names[f - made.first];
      const cut = withoutTemplates(name);
      short[f] = cut === name || !data.isFunction(f) ? f : made.idOf(cut);
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
 * @param {Shape} shape @param {Merger} merger @param {Int32Array} boxes
 * @param {Int32Array} to receives the outermost new box of each
 * @returns {Work<number>} how many are incomplete
 */
function* pushCallers({func, frame, parent}, merger, boxes, to) {
  let left = boxes.length;
  const caller = boxes.slice();
  const start = boxes.slice();
  const end = new Int32Array(boxes.length);
  while (left > 0 && merger.count < MOST_BOXES) {
    let kept = 0;
    for (const [first, last, cost] of lookups(0, left)) {
      for (let i = first; i < last; ++i) {
        const reached = merger.push(end[i], func[caller[i]], frame[caller[i]]);
        to[start[i]] = reached;
        const up = parent[caller[i]];
        if (up === 0) continue;
        caller[kept] = up;
        start[kept] = start[i];
        end[kept++] = reached;
      }
      yield cost;
    }
    left = kept;
  }
  return left;
}

/** The boxes in which samples end. @param {Data} data @param {Shape} shape */
function* endsOf({samples, sampleNode}, {count, map}) {
  const isEnd = new Uint8Array(count);
  let found = 0;
  yield* inPieces(0, samples, (from, to) => {
    for (let i = from; i < to; ++i) {
      const box = map[sampleNode[i]];
      if (box > 0 && isEnd[box] === 0) {
        isEnd[box] = 1;
        ++found;
      }
    }
  });
  const ends = new Int32Array(found);
  let next = 0;
  yield* inPieces(1, count, (from, to) => {
    for (let i = from; i < to; ++i) if (isEnd[i]) ends[next++] = i;
  });
  return ends;
}

/**
 * Whole stacks, from the function that ran to its outermost caller.
 * @param {Data} data @param {Shape} shape @param {Merger} merger @param {Int32Array} to
 */
function* invert(data, shape, merger, to) {
  const ends = yield* endsOf(data, shape);
  to.fill(-1, 1);
  return yield* pushCallers(shape, merger, ends, to);
}

/**
 * The callers of a function. Everything below its outermost box in a stack counts for that box.
 * @param {Shape} shape @param {Merger} merger @param {Int32Array} to @param {number} at
 */
function* pushCallersOf(shape, merger, to, at) {
  const WITHIN = 0;
  /** @type {number[]} */
  const outermost = [];
  const {count, parent, func} = shape;
  to.fill(-1);
  yield* inPieces(1, count, (first, last) => {
    for (let i = first; i < last; ++i) {
      if (to[parent[i]] === WITHIN) to[i] = WITHIN;
      else if (func[i] === at) {
        to[i] = WITHIN;
        outermost.push(i);
      }
    }
  });
  const incomplete = yield* pushCallers(shape, merger, Int32Array.from(outermost), to);
  yield* inPieces(1, count, (first, last) => {
    for (let i = first; i < last; ++i) if (to[i] === WITHIN) to[i] = to[parent[i]];
  });
  return incomplete;
}

/**
 * @param {Data} data @param {Shape} from @param {Transform} transform @returns {Work<Shape>}
 */
export function* transformed(data, from, transform) {
  const {type, at} = transform;
  const shape = {...from, made: from.made.copy()};
  const {count, parent} = shape;
  const merger = new Merger(count);
  const boxes = new Int32Array(count);
  let {cut} = shape;
  if (type === 'invert') {
    cut += yield* invert(data, shape, merger, boxes);
  } else if (type === 'callers') {
    cut += yield* pushCallersOf(shape, merger, boxes, at);
  } else {
    const step = stepOf(data, shape, merger, transform);
    boxes[0] = type === 'function' || type === 'subtree' ? -1 : 0;
    for (const [first, last, cost] of lookups(1, count)) {
      for (let i = first; i < last; ++i) boxes[i] = step(i, boxes[parent[i]]);
      yield cost;
    }
  }
  const map = new Int32Array(shape.map.length);
  yield* inPieces(0, map.length, (first, last) => {
    for (let i = first; i < last; ++i) map[i] = shape.map[i] < 0 ? -1 : boxes[shape.map[i]];
  });
  return {...(yield* shapeOf(merger, map, shape.made)), cut};
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
    type === 'subtree' ? shape.count : type === 'module' ? data.strings.size : shape.made.end;
  return at >= 0 && at < limit;
}

/** The shape after each of a list of transforms. Keeps those of the list's unchanged beginning. */
export class Shapes {
  /** @param {Data} data */
  constructor(data) {
    this.data = data;
    /** Without any transform. @type {Shape|null} */
    this.plain = null;
    /** @type {{key: string, shape: Shape}[]} */
    this.steps = [];
  }

  /**
   * Addresses hold the numbers of made names, so these depend on the list alone and not on what
   * was done before.
   * @param {Transform[]} transforms @returns {Work<Shape>}
   */
  *making(transforms) {
    let shape = (this.plain ??= yield* baseShape(this.data));
    for (const [i, transform] of transforms.entries()) {
      const key = `${transform.type} ${transform.at}`;
      if (this.steps[i]?.key !== key) {
        const made = yield* transformed(this.data, shape, transform);
        this.steps.length = i;
        this.steps.push({key, shape: made});
      }
      shape = this.steps[i].shape;
    }
    return shape;
  }

  /** @param {Transform[]} transforms */
  after(transforms) {
    return finished(this.making(transforms));
  }

  get base() {
    return this.after([]);
  }

  /**
   * The transforms before the first that is not possible.
   * @param {Transform[]} transforms @returns {Work<Transform[]>}
   */
  *possible(transforms) {
    for (const [i, transform] of transforms.entries()) {
      const before = transforms.slice(0, i);
      if (!isPossible(this.data, yield* this.making(before), transform)) return before;
    }
    return transforms;
  }
}
