// SPDX-License-Identifier: Apache-2.0
// What a reader wants to know before clicking anything: what was recorded, how much of it is
// missing, and the functions in which most of it was spent.
import {button, byId, el} from './dom.js';
import {groupOfTime} from './filter.js';
import {KIND} from './kinds.js';
import {lossesThatMatter, lostShare} from './losses.js';
import {cutLabel, isolated} from './names.js';
import {countText, percent, spanText} from './numbers.js';
import {showCallersAndCallees} from './sandwich_view.js';
import {changeTexts, plainChange, shareOf} from './shares.js';
import {sideOf} from './sides.js';
import {finished, inPieces} from './work.js';

/** @typedef {import('./app.js').App} App */
/** @typedef {import('./data.js').Data} Data */
/** @template T @typedef {import('./work.js').Work<T>} Work */
/** @typedef {{text: string, title?: string, isLoss?: boolean}} SummaryFact */

/** How many functions are shown. */
const HOTTEST = 3;

/** How many letters of a name there is room for. */
const lettersShown = () => (innerWidth < 600 ? 15 : innerWidth < 1000 ? 22 : 32);

/** A share that is worth a word: it does not round to 0. @param {number} share */
const isNotable = share => share >= 0.00005;

/** Those that are shown. @param {App} app */
const chosenEvents = ({data, state}) =>
  data.meta.events.filter(({group, role}) => group === state.event && role !== 'before');

/** From their first sample to their last, as `wick report` has it. @param {App} app */
function spanOf(app) {
  const events = chosenEvents(app).filter(({samples}) => samples > 0);
  const begins = events.map(({begin}) => begin);
  return events.length > 0 ? Math.max(...events.map(({end}) => end)) - Math.min(...begins) : 0;
}

/** Of the chosen event. @param {App} app @returns {SummaryFact[]} */
function eventSummary(app) {
  const {data, state} = app;
  const events = chosenEvents(app);
  const sum = (/** @type {'samples'|'weight'|'unnamed'} */ field) =>
    events.reduce((all, event) => all + event[field] / 10 ** event.decimals, 0);
  const facts = [];
  const samples = events.reduce((all, event) => all + event.samples, 0);
  const name = state.event === 'samples' ? '' : state.event;
  if (samples > 0 && !data.isDifference)
    facts.push({text: countText(samples, 'sample') + (name && ` of ${name}`)});
  const unnamed = sum('unnamed') / (sum('weight') || 1);
  if (isNotable(unnamed))
    facts.push({
      text: `${percent(unnamed)} without names`,
      title: `This share of ${name || 'the samples'} ended in code without a name`,
    });
  return facts;
}

/** How many letters of a command there is room for. */
const COMMAND_SHOWN = 60;

/**
 * What the sides of a difference are: file, command and samples, as far as they are known.
 * @param {Data} data @returns {SummaryFact[]}
 */
function sideSummary(data) {
  return (data.meta.side_samples ?? []).map((samples, i) => {
    const side = i === 0 ? 'before' : 'after';
    const {file, command} = sideOf(data, side);
    const shown = command.length > COMMAND_SHOWN ? `${command.slice(0, COMMAND_SHOWN)}…` : command;
    const parts = [file, shown, countText(samples, 'sample')].filter(Boolean);
    return {text: `${side}: ${parts.join(', ')}`, title: command};
  });
}

/** @param {App} app @returns {SummaryFact[]} */
function summaryFacts(app) {
  const {meta, clock} = app.data;
  const {command, date, cpus} = meta.recorded;
  const span = spanOf(app);
  const lost = lostShare(app.data);
  const texts = [
    meta.title ? command : '',
    date,
    span > 0 ? spanText(span, clock) : '',
    cpus > 0 ? `on ${countText(cpus, 'CPU')}` : '',
  ];
  /** @type {SummaryFact[]} */
  const facts = texts.filter(Boolean).map(text => ({text}));
  facts.push(...sideSummary(app.data));
  facts.push(...eventSummary(app));
  if (isNotable(lost)) facts.push({text: `${percent(lost)} lost`, isLoss: true});
  return facts;
}

/** @param {App} app */
function showFacts(app) {
  const items = summaryFacts(app).map(({text, title = '', isLoss}) =>
    el('li', {textContent: isolated(text), title, className: isLoss ? 'loss' : ''}),
  );
  byId('facts').replaceChildren(...items);
}

/**
 * Whose weight that of each node is. Time off the CPU ends in a label, [blocked] for example, which
 * says how long but not where: it belongs to the function that waits, the innermost of the user or
 * else the innermost, since in the kernel all of them wait in the same one. So does what is below
 * the label, which is who woke it. null: there is none.
 * @param {Data} data
 */
function* waitersOf({nodes, nodeParent, nodeFrame, frameFunction, frameKind, isThreadName}) {
  if (!frameKind.includes(KIND.offCpu)) return null;
  const owner = new Int32Array(nodes);
  // Of the function itself and its callers: the innermost, and the innermost of the user.
  const any = new Int32Array(nodes).fill(-1);
  const user = new Int32Array(nodes).fill(-1);
  const waits = new Uint8Array(nodes);
  yield* inPieces(1, nodes, (from, to) => {
    for (let i = from; i < to; ++i) {
      const f = frameFunction[nodeFrame[i]];
      const kind = frameKind[nodeFrame[i]];
      const parent = nodeParent[i];
      owner[i] = f;
      if (waits[parent] === 1) {
        waits[i] = 1;
        owner[i] = owner[parent];
      } else if (isThreadName[f]) {
        continue;
      } else if (kind === KIND.offCpu) {
        waits[i] = 1;
        const waiter = user[parent] >= 0 ? user[parent] : any[parent];
        if (waiter >= 0) owner[i] = waiter;
      } else {
        any[i] = f;
        user[i] = kind === KIND.kernel ? user[parent] : f;
      }
    }
  });
  return owner;
}

/** @type {WeakMap<Data, Int32Array|null>} */
const knownWaiters = new WeakMap();

/** What functions weigh, by the weights of nodes. @type {WeakMap<Float64Array, Float64Array>} */
const knownSelf = new WeakMap();

/**
 * What each function weighs by itself and while it waits, in the filtered profile without
 * transforms.
 * @param {Data} data @param {Float64Array} weights of nodes @returns {Work<Float64Array>}
 */
function* selfByFunction(data, weights) {
  let self = knownSelf.get(weights);
  if (self) return self;
  self = new Float64Array(data.functions);
  const {nodes, nodeFrame, frameFunction} = data;
  if (!knownWaiters.has(data)) knownWaiters.set(data, yield* waitersOf(data));
  const owner = knownWaiters.get(data);
  yield* inPieces(1, nodes, (from, to) => {
    if (owner) for (let i = from; i < to; ++i) self[owner[i]] += weights[i];
    else for (let i = from; i < to; ++i) self[frameFunction[nodeFrame[i]]] += weights[i];
  });
  for (const thread of data.meta.thread_names) self[thread] = 0;
  knownSelf.set(weights, self);
  return self;
}

/** Computes what showSummary() needs. @param {import('./picture.js').Picture} picture */
export function* preparingSummary({data, weights}) {
  yield* selfByFunction(data, weights.after);
  if (weights.before) yield* selfByFunction(data, weights.before);
}

/**
 * The functions with the largest values, which are in the order of their names.
 * @param {Float64Array} values @returns {number[]}
 */
function largest(values) {
  /** @type {number[]} */
  const found = [];
  for (let f = 0; f < values.length; ++f) {
    if (values[f] <= 0) continue;
    let at = found.length;
    while (at > 0 && values[found[at - 1]] < values[f]) --at;
    if (at < HOTTEST) found.splice(at, 0, f);
    found.length = Math.min(found.length, HOTTEST);
  }
  return found;
}

/**
 * The hottest functions and their shares or, in a comparison, those that changed most.
 * @param {App} app @returns {{f: number, text: string}[]}
 */
function hottest({data, weights, tree}) {
  const after = finished(selfByFunction(data, weights.after));
  if (!weights.before)
    return largest(after).map(f => ({f, text: percent(shareOf(tree, after[f]))}));
  const before = finished(selfByFunction(data, weights.before));
  const change = after.map((weight, f) => plainChange(tree, before[f] * tree.scale, weight));
  const texts = changeTexts(tree);
  return largest(change.map(Math.abs)).map(f => ({f, text: texts.change(change[f])}));
}

/** @param {App} app @param {{f: number, text: string}} function @param {string} what */
function functionButton(app, {f, text}, what) {
  const name = app.painter.name(f).slice(0, 2000);
  const element = button('', () => showCallersAndCallees(app, f), {
    title: `${name}\n${what}: ${text}`,
  });
  element.append(
    el('span', {textContent: isolated(cutLabel(name, lettersShown()))}),
    ' ',
    el('b', {textContent: text}),
  );
  return element;
}

/** @param {App} app */
function showHottest(app) {
  const isComparison = app.weights.before !== null;
  const waits = knownWaiters.get(app.data) ? ' and waiting' : '';
  const what = isComparison ? `change of its own share${waits}` : `self${waits}`;
  const found = hottest(app);
  const isOffCpu = app.state.event === groupOfTime(app.data, 'off-cpu');
  const title = isOffCpu ? 'Waited most' : 'Hottest';
  byId('hottest').hidden = found.length === 0;
  byId('hottest').replaceChildren(
    el('span', {className: 'quiet', textContent: isComparison ? 'Self changed most' : title}),
    ...found.map(row => functionButton(app, row, what)),
  );
}

/** What was lost, above everything else, if it matters. @param {App} app */
export function fillBanner({data}) {
  const reasons = lossesThatMatter(data);
  byId('banner').hidden = reasons.length === 0;
  const lost = lostShare(data);
  const head = isNotable(lost) ? `${percent(lost)} is missing` : 'The profile is incomplete';
  byId('banner').replaceChildren(
    el('b', {textContent: `${head}: `}),
    reasons.map(({text}) => isolated(text)).join(' · '),
  );
}

/** What each summary was made from. @type {WeakMap<App, import('./tree.js').Tree>} */
const summarized = new WeakMap();

/** Shows the line anew if the numbers may have changed. @param {App} app */
export function showSummary(app) {
  if (summarized.get(app) === app.tree) return;
  summarized.set(app, app.tree);
  showFacts(app);
  showHottest(app);
}
