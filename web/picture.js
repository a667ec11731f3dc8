// SPDX-License-Identifier: Apache-2.0
// What a state leads to: shape, weights and tree. Of what is shown already, only what depends on
// the change is computed.
import {withChanges} from './changes.js';
import {filterOf, weigh} from './filter.js';
import {hasLegend, preparingLegend} from './legend.js';
import {chosenFunctions} from './page_state.js';
import {findingParts} from './parts.js';
import {preparingSummary} from './summary.js';
import {treeBuilding} from './tree.js';
import {VIEWS} from './views.js';

/** @typedef {import('./app.js').App} App */
/** @typedef {import('./data.js').Data} Data */
/** @typedef {import('./page_state.js').Opened} Opened */
/** @typedef {import('./shape.js').MadeNames} MadeNames */
/** @typedef {import('./tree.js').Tree} Tree */
/** @typedef {import('./views.js').State} State */
/** @typedef {import('./views.js').ViewKind} ViewKind */
/** @template T @typedef {import('./work.js').Work<T>} Work */
/**
 * A state and what is computed from it.
 * @typedef {object} Picture
 * @property {Data} data
 * @property {State} state
 * @property {import('./shape.js').Shape} shape
 * @property {import('./filter.js').Weights} weights
 * @property {Tree} tree
 */

/** @param {State} state */
export const kindOf = state => /** @type {ViewKind} */ (VIEWS.find(kind => kind.id === state.view));

/** Whether siblings are ordered by weight. @param {State} state */
export const isHeavyFirstIn = state =>
  state.order === '' ? (kindOf(state).isHeavyFirst ?? false) : state.order === 'heavy';

/** The palette. @param {{state: State, data: Data}} shown */
export const colorsIn = ({state, data}) => state.colors || data.meta.look.colors;

/** @param {State} state */
const treeOptions = state => ({heavy: isHeavyFirstIn(state), normalized: !state.absolute});

/** What weights and tree are computed for. @param {State} state */
export function keysOf(state) {
  const {event, threads, cpu, parts, range, baseline, side} = state;
  return {
    weights: JSON.stringify([event, threads, cpu, parts, range, baseline, side]),
    tree: JSON.stringify([treeOptions(state), state.changes]),
  };
}

/**
 * Transforms number the names that they make, so chosen ones are found anew.
 * @param {Data} data @param {State} state @param {MadeNames} now
 * @param {MadeNames|null} before null: the same
 */
function findFunctions(data, state, now, before) {
  for (const [field, f] of chosenFunctions(state)) {
    if (f < now.first) continue;
    const name = (before ?? now).names[f - now.first];
    const found = name === undefined ? -1 : data.functionNamed(name, now);
    Object.assign(state, {[field]: found});
  }
}

/**
 * @param {App} app what is shown now
 * @param {State} state is made possible
 * @param {MadeNames|null} made what its functions refer to; null: what its own transforms make
 * @param {Pick<Opened, 'data'|'shapes'|'previous'>} [profile]
 * @returns {Work<Picture>}
 */
export function* computing(app, state, made, {data, shapes, previous} = app) {
  const keys = keysOf(state);
  state.transforms = yield* shapes.possible(state.transforms);
  const shape = yield* shapes.making(state.transforms);
  findFunctions(data, state, shape.made, made);
  const areSame = data === app.data && app.keys.weights === keys.weights;
  if (state.parts) yield* findingParts(data, state.parts.by);
  const weights = areSame ? app.weights : weigh(data, filterOf(state), state.baseline);
  yield data.samples;
  const isKnown = areSame && shape === app.shape && app.keys.tree === keys.tree;
  let tree = isKnown ? app.tree : yield* treeBuilding(shape, weights, treeOptions(state));
  if (previous && state.changes && !isKnown)
    tree = yield* withChanges(tree, state, {data, shapes}, previous);
  if (state.zoom >= shape.count || tree.extent[state.zoom] === 0) {
    state.zoom = 0;
    state.window = null;
  }
  const picture = {data, state, shape, weights, tree};
  yield* app.searchBar.preparing(picture);
  yield* preparingSummary(picture);
  const kind = kindOf(state);
  if (hasLegend(kind, tree)) yield* preparingLegend(picture, colorsIn(picture));
  yield* kind.preparing?.(picture, app.view) ?? [];
  return picture;
}
