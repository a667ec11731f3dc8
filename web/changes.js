// SPDX-License-Identifier: Apache-2.0
// How much the boxes of a tree grew and shrank since another profile. Unlike in a difference, their
// widths are those of the profile that is shown.
import {carried} from './carry.js';
import {filterOf, weigh} from './filter.js';
import {treeBuilding} from './tree.js';
import {inPieces} from './work.js';

/** @typedef {import('./carry.js').Profile} Profile */
/** @typedef {import('./carry.js').Stage} Stage */
/** @typedef {import('./tree.js').Tree} Tree */
/** @typedef {import('./views.js').State} State */
/** @template T @typedef {import('./work.js').Work<T>} Work */

/**
 * The numbers that the names of one profile have in another; -1: it has no such name.
 * @param {Stage} from @param {Stage} to
 */
function* numbersIn(from, to) {
  const nameOf = (/** @type {Stage} */ {data, shape: {made}}, /** @type {number} */ f) =>
    f < made.first ? data.name(f) : made.names[f - made.first];
  /** @type {Map<string, number>} */
  const known = new Map();
  // Of a function and a thread of one name, the function has the lower number.
  for (let f = to.shape.made.end - 1; f >= 0; --f) known.set(nameOf(to, f), f);
  yield known.size;
  return Int32Array.from({length: from.shape.made.end}, (_, f) => known.get(nameOf(from, f)) ?? -1);
}

/**
 * The box in another profile with the same names from the root, for each box; -1: there is none.
 * @param {Stage} from @param {Stage} to @returns {Work<Int32Array>}
 */
function* sameBoxes(from, to) {
  const {count, func, firstChild} = from.shape;
  const number = yield* numbersIn(from, to);
  const same = new Int32Array(count).fill(-1);
  same[0] = 0;
  /** Of the children of one box, by function. */
  const child = new Int32Array(to.shape.made.end).fill(-1);
  yield* inPieces(0, count, (first, last) => {
    for (let i = first; i < last; ++i) {
      if (same[i] < 0 || firstChild[i] === firstChild[i + 1]) continue;
      const [begin, end] = [to.shape.firstChild[same[i]], to.shape.firstChild[same[i] + 1]];
      for (let c = begin; c < end; ++c) child[to.shape.func[c]] = c;
      for (let c = firstChild[i]; c < firstChild[i + 1]; ++c) {
        const f = number[func[c]];
        if (f >= 0) same[c] = child[f];
      }
      for (let c = begin; c < end; ++c) child[to.shape.func[c]] = -1;
    }
  });
  return same;
}

/**
 * The tree of the same state in another profile; null: what is chosen does not exist there.
 * @param {State} state @param {Profile} from @param {Profile} to
 * @returns {Work<Tree|null>}
 */
function* treeIn(state, from, to) {
  const chosen = {...state, zoom: 0, mark: -1, func: -1, file: -1};
  const {state: there, lost} = yield* carried(chosen, from, to);
  if (lost.length > 0) return null;
  const shape = yield* to.shapes.making(there.transforms);
  const weights = weigh(to.data, filterOf(there), null);
  return yield* treeBuilding(shape, weights, {heavy: false, normalized: true});
}

/**
 * A tree whose boxes know what they weighed in another profile, of the same whole.
 * @param {Tree} tree @param {State} state @param {Profile} profile @param {Profile} previous
 * @returns {Work<Tree>}
 */
export function* withChanges(tree, state, profile, previous) {
  const {shape, total, all} = tree;
  const was = new Float64Array(shape.count);
  const then = yield* treeIn(state, profile, previous);
  if (then) {
    const scale = then.all.after > 0 ? all.after / then.all.after : 0;
    const stage = {data: profile.data, shape};
    const same = yield* sameBoxes(stage, {data: previous.data, shape: then.shape});
    yield* inPieces(0, shape.count, (from, to) => {
      for (let i = from; i < to; ++i) if (same[i] >= 0) was[i] = then.total[same[i]] * scale;
    });
  }
  let largest = 0;
  yield* inPieces(1, shape.count, (from, to) => {
    for (let i = from; i < to; ++i) largest = Math.max(largest, Math.abs(total[i] - was[i]));
  });
  return {...tree, was, largestChange: largest};
}
