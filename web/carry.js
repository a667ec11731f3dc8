// SPDX-License-Identifier: Apache-2.0
// What is chosen in one profile, found in another by its name: boxes by the names of their callers,
// threads by their ids, ranges by the time of day.
import {pathTo} from './tree.js';

/** @typedef {import('./data.js').Data} Data */
/** @typedef {import('./shape.js').Shape} Shape */
/** @typedef {import('./transform.js').Shapes} Shapes */
/** @typedef {import('./transform.js').Transform} Transform */
/** @typedef {import('./views.js').State} State */
/** @template T @typedef {import('./work.js').Work<T>} Work */
/** @typedef {{data: Data, shapes: Shapes}} Profile */
/**
 * A profile after some transforms.
 * @typedef {{data: Data, shape: Shape}} Stage
 */

/** @param {Stage} stage @param {number} f */
const nameIn = ({data, shape: {made}}, f) =>
  f < made.first ? data.name(f) : made.names[f - made.first];

/** The names from the root to a box. @param {Stage} stage @param {number} box */
export const namesTo = (stage, box) =>
  pathTo(stage.shape, box).map(b => nameIn(stage, stage.shape.func[b]));

/**
 * The box with these names from the root, or the nearest of its callers that there is.
 * @param {Stage} stage @param {string[]} names
 */
export function boxNamed(stage, names) {
  const {firstChild, func} = stage.shape;
  let box = 0;
  for (const name of names) {
    let child = firstChild[box];
    const end = firstChild[box + 1];
    while (child < end && nameIn(stage, func[child]) !== name) ++child;
    if (child === end) return {box, isExact: false};
    box = child;
  }
  return {box, isExact: true};
}

/** -1: there is none. @param {Stage} from @param {Stage} to @param {number} f */
const functionIn = (from, to, f) =>
  f < 0 || f >= from.shape.made.end ? -1 : to.data.functionNamed(nameIn(from, f), to.shape.made);

/** -1: there is none. @param {Data} from @param {Data} to @param {number} string */
function stringIn(from, to, string) {
  if (string < 0) return -1;
  const text = from.strings.at(string);
  for (let i = to.strings.size - 1; i >= 0; --i) if (to.strings.at(i) === text) return i;
  return -1;
}

/**
 * The threads with the same ids; of unknown ones, those with the same name.
 * @param {Data} from @param {Data} to @param {number[]} threads
 */
function threadsIn(from, to, threads) {
  const keyOf = (/** @type {[number, number, string]} */ [pid, tid, name]) =>
    pid < 0 && tid < 0 ? name : `${pid}/${tid}`;
  const wanted = new Set(threads.map(thread => keyOf(from.meta.threads[thread])));
  return to.meta.threads.flatMap((thread, i) => (wanted.has(keyOf(thread)) ? [i] : []));
}

/**
 * The ticks of the same time; null: the profile does not reach there.
 * @param {Data} from @param {Data} to @param {[number, number]} range
 * @returns {[number, number]|null}
 */
function rangeIn(from, to, range) {
  const [begin, end] = range.map(
    tick => (tick * from.meta.tick_ns + from.meta.start_ns - to.meta.start_ns) / to.meta.tick_ns,
  );
  const first = Math.max(begin, 0);
  const last = Math.min(end, to.duration);
  return first < last ? [first, last] : null;
}

/**
 * Null: it refers to something that is not there.
 * @param {Stage} from @param {Stage} to @param {Transform} transform @returns {Transform|null}
 */
function transformIn(from, to, {type, at}) {
  if (at < 0) return {type, at};
  if (type === 'subtree') {
    const {box} = boxNamed(to, namesTo(from, at));
    return box > 0 ? {type, at: box} : null;
  }
  const found = type === 'module' ? stringIn(from.data, to.data, at) : functionIn(from, to, at);
  return found < 0 ? null : {type, at: found};
}

/**
 * @param {Transform[]} transforms @param {Profile} from @param {Profile} to
 * @returns {Work<Transform[]>}
 */
function* transformsIn(transforms, from, to) {
  /** @type {Transform[]} */
  const found = [];
  for (const [i, transform] of transforms.entries()) {
    const before = {data: from.data, shape: yield* from.shapes.making(transforms.slice(0, i))};
    const after = {data: to.data, shape: yield* to.shapes.making(found)};
    const same = transformIn(before, after, transform);
    if (same) found.push(same);
  }
  return found;
}

/** Choices that are lost with what they refer to, and what they are called. */
const LOST = {
  threads: 'the chosen threads',
  range: 'the range',
  baseline: 'the baseline',
  mark: 'the marked function',
  func: 'the function of the sandwich',
  file: 'the file of the source',
};

/**
 * A state of one profile in another.
 * @param {State} state @param {Profile} from @param {Profile} to
 * @returns {Work<{state: State, lost: string[]}>} lost: what is not there
 */
export function* carried(state, from, to) {
  const transforms = yield* transformsIn(state.transforms, from, to);
  const before = {data: from.data, shape: yield* from.shapes.making(state.transforms)};
  const after = {data: to.data, shape: yield* to.shapes.making(transforms)};
  const zoom = boxNamed(after, namesTo(before, state.zoom));
  const [a, b] = [from.data, to.data];
  const {threads, range, baseline, lanes} = state;
  const common = threads && threadsIn(a, b, threads);
  /** @type {State} */
  const found = {
    ...state,
    transforms,
    zoom: zoom.box,
    window: zoom.isExact ? state.window : null,
    threads: common && (common.length > 0 || threads.length === 0) ? common : null,
    range: range && rangeIn(a, b, range),
    baseline: baseline && rangeIn(a, b, baseline),
    lanes: lanes && rangeIn(a, b, lanes),
    mark: functionIn(before, after, state.mark),
    func: functionIn(before, after, state.func),
    file: stringIn(a, b, state.file),
    halves: null,
  };
  const isLost = (/** @type {keyof typeof LOST} */ field) =>
    state[field] !== null && state[field] !== -1 && (found[field] === null || found[field] === -1);
  const fields = /** @type {(keyof typeof LOST)[]} */ (Object.keys(LOST));
  const lost = fields.filter(isLost).map(field => LOST[field]);
  const steps = state.transforms.length - transforms.length;
  if (steps > 0)
    lost.push(steps === 1 ? 'the function of a step' : `the functions of ${steps} steps`);
  if (!zoom.isExact) lost.push('the zoomed frame');
  return {state: found, lost};
}
