// SPDX-License-Identifier: Apache-2.0
// What was recorded, how, and what is missing.
import {el} from './dom.js';
import {amount, countText, duration, quantityText} from './numbers.js';

/** @typedef {import('./app.js').App} App */
/** @typedef {import('./data.js').Data} Data */
/** @typedef {[string, string]} Fact */

const NO_COMMON_TIME =
  'two recordings do not share a clock: the samples of each are summed by stack, ' +
  'so there is no heat map and no time view';

/** @param {string} label @param {...HTMLElement} children */
function textView(label, ...children) {
  const properties = {className: 'page', tabIndex: 0, role: 'region', 'aria-label': label};
  const element = el('div', properties, ...children);
  return {
    element,
    show() {},
    remove() {
      element.remove();
    },
  };
}

/** Replaces the views of time in a difference. */
export const noTimeView = () =>
  textView(
    'Why there is no time axis',
    el('h2', {textContent: 'A difference has no time axis'}),
    el('p', {textContent: `${NO_COMMON_TIME[0].toUpperCase()}${NO_COMMON_TIME.slice(1)}.`}),
    el('p', {
      textContent:
        'The page of a single recording has both; its heat map can compare two ranges of it.',
    }),
  );

/**
 * Whether to offer the views of time: also where there is a reason for not having them.
 * @param {Data} data
 */
export const isTimeOffered = data => data.meta.has_time || data.isDifference;

/** @param {Data} data @returns {Fact[]} */
function eventFacts({meta, samples, sampleEvent, sampleWeight}) {
  const sums = new Float64Array(meta.events.length);
  const counts = new Float64Array(meta.events.length);
  for (let i = 0; i < samples; ++i) {
    sums[sampleEvent[i]] += sampleWeight[i];
    ++counts[sampleEvent[i]];
  }
  return meta.events.flatMap(({name, role, decimals, unit, unit_ns, is_clock}, i) => {
    // A dummy event carries mappings and names, and never has samples.
    if (name.startsWith('dummy') && counts[i] === 0) return [];
    const measure = {decimals, unit, unit_ns: is_clock ? 0 : unit_ns};
    const quantity = quantityText(measure, sums[i]);
    const samples = countText(counts[i], 'sample');
    const isCounted = meta.has_time && !meta.summed && quantity !== samples;
    const value = `${name || 'samples'}: ${quantity}${isCounted ? ` in ${samples}` : ''}`;
    return [[role ? `event, ${role}` : 'event', value]];
  });
}

/** @param {Data} data @returns {Fact[]} */
function threadFacts({meta}) {
  const processes = new Set(meta.threads.map(([pid]) => pid).filter(pid => pid >= 0)).size;
  const threads = meta.threads.filter(([, tid]) => tid >= 0).length;
  if (threads === 0 || processes === 0) return [];
  const among = countText(processes, 'process', 'processes');
  return [['threads', `${amount(threads, 0)} in ${among}`]];
}

/** @param {Data} data */
function distinctStacks({nodes, samples, sampleNode}) {
  const isKnown = new Uint8Array(nodes);
  let count = 0;
  for (let i = 0; i < samples; ++i) {
    count += 1 - isKnown[sampleNode[i]];
    isKnown[sampleNode[i]] = 1;
  }
  return count;
}

/** @param {Data} data @returns {Fact[]} */
function facts(data) {
  const {meta} = data;
  const all = [...meta.about, ...eventFacts(data)];
  if (meta.has_time) {
    if (meta.samples > 0) all.push(['samples', amount(meta.samples, 0)]);
    all.push(['time', duration(data.duration * meta.tick_ns, data.clock)]);
  }
  all.push(
    ...threadFacts(data),
    ['functions', amount(data.functionCount, 0)],
    ['distinct stacks', amount(distinctStacks(data), 0)],
  );
  if (meta.side_samples) {
    const [before, after] = meta.side_samples.map(samples => amount(samples, 0));
    all.push(['effective samples', `before ${before}, after ${after}`]);
  }
  return all;
}

/** @param {Data} data */
function missingItems(data) {
  const {meta} = data;
  const item = (/** @type {string} */ text, isLoss = false) =>
    el('li', {className: isLoss ? 'loss' : '', textContent: text});
  const items = meta.notes.map(note => item(note.text, note.loss));
  if (meta.summed) {
    const tick = duration(meta.tick_ns, data.clock);
    items.push(
      item(`samples with the same stack and thread within ${tick} are summed in this page`),
    );
  }
  if (data.isDifference) items.push(item(NO_COMMON_TIME));
  else if (!meta.has_time)
    items.push(item('the input has no timestamps, so there is no heat map and no time view'));
  return items;
}

/** @param {App} app */
function aboutView({data}) {
  const items = missingItems(data);
  const rows = facts(data).flatMap(([key, value]) => [
    el('dt', {textContent: key}),
    el('dd', {textContent: value}),
  ]);
  return textView(
    'About the profile',
    el('h2', {textContent: 'What was recorded'}),
    el('dl', {}, ...rows),
    el('h2', {textContent: 'What is missing'}),
    items.length > 0
      ? el('ul', {}, ...items)
      : el('p', {textContent: 'Nothing that wick knows of.'}),
  );
}

/** @type {import('./views.js').ViewKind} */
export const ABOUT_VIEW = {id: 'about', title: 'About', make: aboutView};

/** @param {App} app */
export const showAbout = app => app.set({view: ABOUT_VIEW.id});
