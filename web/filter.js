// SPDX-License-Identifier: Apache-2.0
// Which samples count: by event, thread, time, and on or off the CPU. A filter
// changes weights only, never the shape of the tree.

/** @typedef {import('./data.js').Data} Data */
/**
 * @typedef {{group: string, threads: Set<number>|null, cpu: ''|'on'|'off',
 *   range: [number, number]|null}} Filter   range: ticks, the second one excluded
 */

/** Events that are one: of several kinds of core, or of kernel and user mode. @param {Data} data @returns {string[]} */
export function eventGroups(data) {
  return [...new Set(data.meta.events.filter(event => event.role !== 'before').map(event => event.group))];
}

/** The events that a filter lets through, 1 or 0 each. @param {Data} data @param {string} group */
function eventMask(data, group) {
  return Uint8Array.from(data.meta.events, event => event.group === group ? 1 : 0);
}

/** @param {Data} data @param {Filter} filter */
function threadMask(data, filter) {
  return Uint8Array.from(data.meta.threads, (_, i) => !filter.threads || filter.threads.has(i) ? 1 : 0);
}

/** How perf/off_cpu.cc names the ends of stacks off the CPU. */
const OFF_CPU = ['[blocked]', '[in I/O]', '[preempted]', '[off the CPU, near here]'];

/** @type {WeakMap<Data, Uint8Array|null>} */
const offNodes = new WeakMap();

/** Which nodes are stacks off the CPU; null if none is. @param {Data} data */
export function offCpuNodes(data) {
  let found = offNodes.get(data);
  if (found !== undefined) return found;
  found = null;
  const functions = new Set();
  for (let f = 0; f < data.functions; ++f) {
    // Names are sorted by their bytes: those that begin with "[" lie together.
    const first = data.strings.text[data.strings.starts[f]];
    if (first > 0x5b) break;
    if (first === 0x5b && OFF_CPU.includes(data.name(f))) functions.add(f);
  }
  const offEvents = data.meta.events.some(event => event.name === 'offcpu-time');
  if (functions.size > 0 || offEvents) {
    found = new Uint8Array(data.nodes);
    for (let i = 1; i < data.nodes; ++i)
      if (functions.has(data.frameFunction[data.nodeFrame[i]])) found[i] = 1;
  }
  offNodes.set(data, found);
  return found;
}

/** 1 for every sample that passes. @param {Data} data @param {Filter} filter */
export function passing(data, filter) {
  const events = eventMask(data, filter.group), threads = threadMask(data, filter);
  const [from, to] = filter.range ?? [0, Infinity];
  const {sampleEvent, sampleThread, sampleTick, sampleNode, samples} = data;
  const passes = new Uint8Array(samples);
  for (let i = 0; i < samples; ++i)
    if (sampleTick[i] >= from && sampleTick[i] < to) passes[i] = events[sampleEvent[i]] & threads[sampleThread[i]];
  const off = filter.cpu ? offCpuNodes(data) : null;
  if (off) {
    const offEvent = Uint8Array.from(data.meta.events, event => event.name === 'offcpu-time' ? 1 : 0);
    const wanted = filter.cpu === 'off' ? 1 : 0;
    for (let i = 0; i < samples; ++i)
      if ((off[sampleNode[i]] | offEvent[sampleEvent[i]]) !== wanted) passes[i] = 0;
  }
  return passes;
}

/**
 * What is drawn: the weight of each node, and in a difference the one before.
 * @typedef {{after: Float64Array, before: Float64Array|null, unit: string, decimals: number,
 *   samples: [number, number]}} Weights   samples: how many each side is worth, before and after
 */

/** @param {Data} data @param {Filter} filter */
function sumOf(data, filter) {
  const sum = new Float64Array(data.nodes);
  const {sampleNode, sampleWeight, sampleEvent} = data;
  const events = data.meta.events.filter(event => event.group === filter.group);
  const decimals = Math.max(0, ...events.map(event => event.decimals));
  const scales = Float64Array.from(data.meta.events, event => 10 ** (decimals - event.decimals));
  const counts = Uint8Array.from(data.meta.events, event => event.counts_samples ? 1 : 0);
  const one = 10 ** decimals, passes = passing(data, filter);
  let whole = 0, squares = 0;
  for (let i = 0; i < data.samples; ++i) {
    if (passes[i] === 0) continue;
    const event = sampleEvent[i], weight = sampleWeight[i] * scales[event];
    sum[sampleNode[i]] += weight;
    whole += weight;
    squares += counts[event] !== 0 ? weight * one : weight * weight;
  }
  return {sum, decimals, unit: events[0]?.unit ?? 'samples', samples: squares > 0 ? whole * whole / squares : 0};
}

/** The two sides of a profile that is a difference. @param {Data} data @param {Filter} filter @returns {Weights} */
function sides(data, filter) {
  const after = new Float64Array(data.nodes), before = new Float64Array(data.nodes);
  const events = data.meta.events;
  const decimals = Math.max(0, ...events.map(event => event.decimals));
  const threads = threadMask(data, filter);
  for (let i = 0; i < data.samples; ++i) {
    if (threads[data.sampleThread[i]] === 0) continue;
    const event = events[data.sampleEvent[i]];
    (event.role === 'before' ? before : after)[data.sampleNode[i]] += data.sampleWeight[i] * 10 ** (decimals - event.decimals);
  }
  return {after, before, unit: events[0]?.unit ?? 'samples', decimals, samples: data.meta.side_samples ?? [0, 0]};
}

/**
 * @param {Data} data @param {Filter} filter
 * @param {[number, number]|null} baseline a range that the filter's is compared with
 * @returns {Weights}
 */
export function weigh(data, filter, baseline) {
  if (data.isDifference) return sides(data, filter);
  const now = sumOf(data, filter);
  const before = baseline ? sumOf(data, {...filter, range: baseline}) : null;
  return {after: now.sum, before: before?.sum ?? null, unit: now.unit, decimals: now.decimals,
    samples: [before?.samples ?? 0, now.samples]};
}
