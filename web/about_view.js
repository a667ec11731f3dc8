// SPDX-License-Identifier: Apache-2.0
// The truth about the profile: what was recorded, how, and what is missing.
import {el} from './dom.js';
import {amount, duration} from './numbers.js';

const NO_COMMON_TIME =
  'two recordings have no time in common: the samples of each are added up by stack, so there is neither a heat map nor an order of time';

/** Instead of the views of time, in a difference. */
export function noTimeView() {
  const element = el(
    'div',
    {className: 'page', tabIndex: 0, role: 'region', 'aria-label': 'Why there is no time'},
    el('h2', {textContent: 'A difference has no order of time'}),
    el('p', {textContent: `${NO_COMMON_TIME[0].toUpperCase()}${NO_COMMON_TIME.slice(1)}.`}),
    el(
      'p',
      {},
      'A page of each recording has both: ',
      el('code', {textContent: 'wick flame RECORDING -o page.html'}),
      '. There, two ranges of one recording can be compared, in the heat map.',
    ),
  );
  return {
    element,
    show() {},
    remove() {
      element.remove();
    },
  };
}

/** @param {import('./app.js').App} app */
export function aboutView(app) {
  const {data} = app;
  const {meta} = data;
  /** @type {[string, string][]} */
  const facts = [...meta.about];
  const sums = new Float64Array(meta.events.length);
  const counts = new Float64Array(meta.events.length);
  for (let i = 0; i < data.samples; ++i) {
    sums[data.sampleEvent[i]] += data.sampleWeight[i];
    ++counts[data.sampleEvent[i]];
  }
  meta.events.forEach((event, i) =>
    facts.push([
      event.role ? `event, ${event.role}` : 'event',
      `${event.name || 'samples'}: ${amount(sums[i], event.decimals)} ${event.unit}` +
        (meta.has_time && !meta.summed ? ` in ${amount(counts[i], 0)} samples` : ''),
    ]),
  );
  if (meta.samples > 0 && meta.has_time) facts.push(['samples', amount(meta.samples, 0)]);
  if (meta.has_time) facts.push(['time', duration(data.duration * meta.tick_ns, data.clock)]);
  const processes = new Set(meta.threads.filter(t => t[0] >= 0).map(t => t[0]));
  const threads = meta.threads.filter(t => t[1] >= 0);
  if (threads.length > 0 && processes.size > 0)
    facts.push([
      'threads',
      `${amount(threads.length, 0)} in ${processes.size === 1 ? '1 process' : `${amount(processes.size, 0)} processes`}`,
    ]);
  facts.push(
    ['functions', amount(data.functions, 0)],
    ['distinct stacks', amount(new Set(data.sampleNode).size, 0)],
  );
  if (meta.side_samples)
    facts.push([
      'worth as samples',
      `before ${amount(meta.side_samples[0], 0)}, after ${amount(meta.side_samples[1], 0)}`,
    ]);
  const notes = meta.notes.map(note =>
    el('li', {className: note.loss ? 'loss' : '', textContent: note.text}),
  );
  if (meta.summed)
    notes.push(
      el('li', {
        textContent: `samples of equal stack and thread within ${duration(meta.tick_ns, data.clock)} are added up in this page`,
      }),
    );
  if (data.isDifference) notes.push(el('li', {textContent: NO_COMMON_TIME}));
  else if (!meta.has_time)
    notes.push(
      el('li', {
        textContent: 'the input has no times, so there is neither a heat map nor an order of time',
      }),
    );
  const element = el(
    'div',
    {className: 'page', tabIndex: 0, role: 'region', 'aria-label': 'About the profile'},
    el('h2', {textContent: 'What was recorded'}),
    el(
      'dl',
      {},
      ...facts.flatMap(([key, value]) => [
        el('dt', {textContent: key}),
        el('dd', {textContent: value}),
      ]),
    ),
    el('h2', {textContent: 'What is missing'}),
    notes.length > 0
      ? el('ul', {}, ...notes)
      : el('p', {textContent: 'Nothing that wick knows of.'}),
  );
  return {
    element,
    show() {},
    remove() {
      element.remove();
    },
  };
}
