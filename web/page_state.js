// SPDX-License-Identifier: Apache-2.0
// Which choices there are and where they come from: what a profile begins with, what the browser
// kept, and what an address asks for, as far as the profile has it.
import {PALETTES} from './color.js';
import {eventGroups, firstGroup} from './filter.js';
import {FLAME_VIEW, ICICLE_VIEW} from './flame_view.js';
import {Painter} from './paint.js';
import {PARTS_FIELD, partsOf} from './parts.js';
import {
  choiceField,
  fromFragment,
  initialState,
  keepState,
  keptField,
  keptState,
  SHARED_FIELDS,
  toFragment,
} from './state.js';
import {TIME_VIEW} from './time_view.js';
import {Shapes} from './transform.js';
import {VIEWS} from './views.js';

/** @typedef {import('./carry.js').Profile} Profile */
/** @typedef {import('./data.js').Data} Data */
/** @typedef {import('./views.js').State} State */

/** @type {import('./state.js').Field[]} */
const FIELDS = [
  ...SHARED_FIELDS,
  PARTS_FIELD,
  keptField(choiceField('colors', '', PALETTES)),
  ...VIEWS.flatMap(view => view.fields ?? []),
];

/**
 * What options of the command line chose of the choices that browsers keep. The author of a page
 * means what they wrote, so it wins over what was kept.
 * @param {Data} data @returns {Partial<State>}
 */
function writtenChoices({meta: {look}}) {
  /** @type {Partial<State>} */
  const choices = {};
  if (look.colors_chosen) choices.colors = '';
  if (look.inverted) choices.order = 'name';
  return choices;
}

/** @param {Data} data @returns {State} */
function defaultState(data) {
  const {look, has_time: hasTime} = data.meta;
  const kind = look.chart && hasTime ? TIME_VIEW : look.inverted ? ICICLE_VIEW : FLAME_VIEW;
  return {
    ...initialState(FIELDS),
    ...writtenChoices(data),
    absolute: look.absolute === true,
    event: firstGroup(data),
    view: kind.id,
    transforms: look.reversed ? [{type: 'invert', at: -1}] : [],
  };
}

/** @typedef {ReturnType<typeof opened>} Opened */

/** What the page has of a profile. @param {Data} data @param {Profile|null} previous */
export function opened(data, previous) {
  return {
    data,
    /** What colours can show changes against. */
    previous,
    painter: new Painter(data),
    shapes: new Shapes(data),
    groups: eventGroups(data),
    views: VIEWS.filter(view => view.isOffered?.(data) ?? true),
    defaults: defaultState(data),
  };
}

/** @param {Data} data @param {import('./parts.js').PartChoice} parts */
function existingParts(data, parts) {
  const {names} = partsOf(data, parts.by);
  const list = parts.list.filter(part => part < names.length);
  return list.length > 0 ? {...parts, list} : null;
}

/**
 * Null if none of them exists; but choosing no thread is valid.
 * @param {Data} data @param {number[]} threads
 */
function existingThreads(data, threads) {
  const existing = threads.filter(t => t < data.meta.threads.length);
  return existing.length > 0 || threads.length === 0 ? existing : null;
}

/**
 * What an address asks for, as far as the profile has it.
 * @param {string} fragment @param {Pick<Opened, 'data'|'groups'|'views'|'defaults'>} profile
 */
export function stateIn(fragment, {data, groups, views, defaults}) {
  const usual = {...defaults, ...keptState(FIELDS), ...writtenChoices(data)};
  /** @type {State} */
  const state = fromFragment(FIELDS, fragment, usual);
  if (!views.some(kind => kind.id === state.view)) state.view = defaults.view;
  if (!groups.includes(state.event)) state.event = defaults.event;
  if (state.threads) state.threads = existingThreads(data, state.threads);
  if (state.parts) state.parts = existingParts(data, state.parts);
  if (!data.meta.has_time) state.range = state.baseline = null;
  return state;
}

/** A state as an address has it. @param {State} state @param {State} defaults */
export const fragmentOf = (state, defaults) => toFragment(FIELDS, state, defaults);

/**
 * What can be undone in a new page, and last what is shown: each transform is a step.
 * @param {State} state @param {State} defaults
 */
export function stepsTo(state, defaults) {
  const before = state.transforms.map((_, i) => ({
    ...state,
    transforms: state.transforms.slice(0, i),
    zoom: 0,
    window: null,
  }));
  return [...before, state].map(step => fragmentOf(step, defaults));
}

/** @param {State} state @param {Partial<State>} changes @returns {State} */
export function changed(state, changes) {
  const next = {...state};
  for (const kind of VIEWS) kind.beforeChange?.(next, changes);
  return Object.assign(next, changes);
}

/** Keeps what the user chose for other pages. @param {Partial<State>} changes */
export const keepChoices = changes => keepState(FIELDS, changes);

/**
 * The choices that are functions, and their values.
 * @param {any} state @returns {[string, number][]}
 */
export const chosenFunctions = state =>
  FIELDS.filter(field => field.isFunction).map(({name}) => [name, state[name]]);
