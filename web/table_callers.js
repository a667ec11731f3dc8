// SPDX-License-Identifier: Apache-2.0
// The callers of functions that are open in the table. Those of a function are computed once.
import {transformed} from './transform.js';
import {treeBuilding} from './tree.js';

/** @typedef {import('./tree.js').Tree} Tree */
/** @typedef {import('./picture.js').Picture} Picture */
/** @typedef {Pick<Picture, 'data'|'state'|'shape'|'weights'|'tree'>} Shown */

/** By tree. @type {WeakMap<Tree, Map<number, Tree>>} */
const knownCallers = new WeakMap();

/** @param {Shown} picture @param {number} f @returns {import('./work.js').Work<Tree>} */
export function* callersOf({data, state, shape, weights, tree}, f) {
  let known = knownCallers.get(tree);
  if (!known) knownCallers.set(tree, (known = new Map()));
  let callers = known.get(f);
  if (callers) return callers;
  const callersShape = yield* transformed(data, shape, {type: 'callers', at: f});
  const options = {heavy: true, normalized: !state.absolute};
  callers = yield* treeBuilding(callersShape, weights, options);
  known.set(f, callers);
  return callers;
}

/** Frees their memory. @param {Tree} tree @param {number} f */
export const forgetCallers = (tree, f) => knownCallers.get(tree)?.delete(f);
