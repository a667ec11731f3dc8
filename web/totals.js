// SPDX-License-Identifier: Apache-2.0
// Totals by function, and the confidence interval of a change: docs/diff.md has the model;
// transform/confidence.cc is the same in C++.
import {finished, PIECE} from './work.js';

/** @typedef {import('./data.js').Data} Data */
/** @typedef {import('./tree.js').Tree} Tree */
/** @template T @typedef {import('./work.js').Work<T>} Work */
/**
 * Columns indexed by function. The total of a function is the weight of the stacks that it is in,
 * each counted once.
 * @typedef {{self: Float64Array, total: Float64Array, beforeSelf: Float64Array|null,
 *   beforeTotal: Float64Array|null, functions: number[]}} FunctionTotals   functions: those that
 *   have any weight; columns also have that of threads
 */

/** Totals that are known, by tree. @type {WeakMap<Tree, FunctionTotals>} */
const knownTotals = new WeakMap();

/** @param {Tree} tree @param {Data} data @returns {Work<FunctionTotals>} */
export function* summingUp(tree, data) {
  let totals = knownTotals.get(tree);
  if (!totals) knownTotals.set(tree, (totals = yield* sumByFunction(tree, data)));
  return totals;
}

/** @param {Tree} tree @param {Data} data */
export const functionTotals = (tree, data) => finished(summingUp(tree, data));

/** @param {Tree} tree @param {Data} data @returns {Work<FunctionTotals>} */
function* sumByFunction(tree, data) {
  const {shape} = tree;
  const names = shape.made.end;
  const {func, firstChild} = shape;
  const self = new Float64Array(names);
  const total = new Float64Array(names);
  const before = tree.beforeTotal !== null;
  const beforeSelf = before ? new Float64Array(names) : null;
  const beforeTotal = before ? new Float64Array(names) : null;
  // How often each function is on the path from the root; a total counts only the first.
  const open = new Int32Array(names);
  const path = new Int32Array(shape.level.length + 1);
  const nextChild = new Int32Array(shape.level.length + 1);
  let depth = 0;
  nextChild[0] = firstChild[0];
  const seen = new Uint8Array(names);
  /** @type {number[]} */
  const functions = [];
  while (depth >= 0) {
    let steps = 0;
    for (; steps < PIECE && depth >= 0; ++steps) {
      const box = path[depth];
      const child = nextChild[depth];
      if (child < firstChild[box + 1]) {
        ++nextChild[depth];
        if (tree.extent[child] === 0) continue;
        const f = func[child];
        if (seen[f] === 0) {
          seen[f] = 1;
          if (data.isFunction(f)) functions.push(f);
        }
        self[f] += tree.self[child];
        if (open[f]++ === 0) total[f] += tree.total[child];
        if (tree.beforeTotal && beforeTotal && beforeSelf && tree.beforeSelf) {
          beforeSelf[f] += tree.beforeSelf[child];
          if (open[f] === 1) beforeTotal[f] += tree.beforeTotal[child];
        }
        path[++depth] = child;
        nextChild[depth] = firstChild[child];
      } else {
        if (depth > 0) --open[func[box]];
        --depth;
      }
    }
    yield steps;
  }
  return {self, total, beforeSelf, beforeTotal, functions};
}

/** For 95% confidence. */
const Z = 1.959963984540054;

/** Wilson's score interval. @param {number} p @param {number} n @returns {[number, number]} */
function wilson(p, n) {
  if (n <= 0) return [0, 1];
  const square = Z * Z;
  const center = (p + square / (2 * n)) / (1 + square / n);
  const half = (Z / (1 + square / n)) * Math.sqrt((p * (1 - p)) / n + square / (4 * n * n));
  return [Math.min(Math.max(center - half, 0), p), Math.max(Math.min(center + half, 1), p)];
}

/**
 * Newcombe's interval for a change of shares.
 * @param {number} before a share @param {number} after a share
 * @param {[number, number]} samples of both sides
 * @returns {[number, number]}
 */
export function changeInterval(before, after, samples) {
  const b = wilson(before, samples[0]);
  const a = wilson(after, samples[1]);
  const change = after - before;
  return [
    change - Math.hypot(after - a[0], b[1] - before),
    change + Math.hypot(a[1] - after, before - b[0]),
  ];
}

/**
 * The interval of a change of weights: that of the shares, and the error of both totals, whose
 * numbers of samples are chance as well.
 * @param {{before: number, after: number}} shares @param {{before: number, after: number}} whole
 * @param {[number, number]} samples of both sides
 * @returns {[number, number]}
 */
export function weightInterval(shares, whole, samples) {
  const b = wilson(shares.before, samples[0]);
  const a = wilson(shares.after, samples[1]);
  const [before, after] = [shares.before * whole.before, shares.after * whole.after];
  const error = (/** @type {number} */ n) => (n > 0 ? Z / Math.sqrt(n) : 0);
  const ofTotals = Math.hypot(after * error(samples[1]), before * error(samples[0]));
  const change = after - before;
  return [
    change -
      Math.hypot(
        (shares.after - a[0]) * whole.after,
        (b[1] - shares.before) * whole.before,
        ofTotals,
      ),
    change +
      Math.hypot(
        (a[1] - shares.after) * whole.after,
        (shares.before - b[0]) * whole.before,
        ofTotals,
      ),
  ];
}
