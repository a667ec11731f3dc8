// SPDX-License-Identifier: Apache-2.0
// Which samples count: by event, thread, time, and on or off the CPU. A filter
// changes weights only, never the shape of the tree.
import {chosenParts, offCpuNodes} from './parts.js';

/** @typedef {import('./data.js').Data} Data */
/**
 * @typedef {object} Filter
 * @property {string} group of events
 * @property {Set<number>|null} threads
 * @property {''|'on'|'off'} cpu
 * @property {[number, number]|null} range ticks, without the last
 * @property {import('./parts.js').PartChoice|null} [parts] those that samples end in
 * @property {''|'before'|'after'} [side] the side of a difference that is shown alone
 */

/** @param {import('./views.js').State} state @returns {Filter} */
export const filterOf = ({event, threads, cpu, parts, range, side}) => ({
  group: event,
  threads: threads && new Set(threads),
  cpu,
  parts,
  range,
  side,
});

/**
 * The groups of events that have samples: one group has those of all kinds of cores, or of kernel
 * and user mode.
 * @param {Data} data @returns {string[]}
 */
export function eventGroups(data) {
  const {events} = data.meta;
  const isUsed = new Uint8Array(events.length);
  for (let i = 0; i < data.samples; ++i) isUsed[data.sampleEvent[i]] = 1;
  const isNone = isUsed.every(used => used === 0);
  const shown = events.filter((event, i) => event.role !== 'before' && (isUsed[i] || isNone));
  return [...new Set(shown.map(event => event.group))];
}

/** The group that a page shows at first. @param {Data} data */
export function firstGroup(data) {
  const groups = eventGroups(data);
  return groups.includes(data.meta.event) ? data.meta.event : (groups[0] ?? '');
}

/** 1 for each event of these groups. @param {Data} data @param {string[]} groups */
const eventMask = (data, groups) =>
  Uint8Array.from(data.meta.events, event => (groups.includes(event.group) ? 1 : 0));

/**
 * The group of the first event that stands for this time.
 * @param {Data} data @param {import('./data.js').Time} time @returns {string|undefined}
 */
export const groupOfTime = (data, time) =>
  data.meta.events.find(event => event.time === time)?.group;

/** Whether the events of this group are wall time. @param {Data} data @param {string} group */
export const isWall = (data, group) => group === groupOfTime(data, 'wall');

/**
 * The groups whose samples show when something happened. Wall time on the CPU is
 * shared out over a thread's life, so it is replaced by the samples it was made
 * from; the calls and instructions of a trace are replaced by its clock.
 * @param {Data} data @param {string} group @returns {string[]}
 */
export function groupsInTime(data, group) {
  if (isWall(data, group))
    return [
      groupOfTime(data, 'on-cpu') ?? eventGroups(data)[0],
      groupOfTime(data, 'off-cpu'),
    ].filter(found => found !== undefined);
  return [data.meta.events.find(event => event.is_clock)?.group ?? group];
}

/**
 * Whether samples on the CPU and time off it cannot be added up, since their units differ.
 * @param {Data} data @param {Filter} filter
 */
export const isOnlyOnCpu = (data, filter) =>
  isWall(data, filter.group) &&
  filter.cpu === '' &&
  data.meta.events.some(
    event => groupsInTime(data, filter.group).includes(event.group) && event.unit !== 'nanoseconds',
  );

/**
 * The groups that a range and the heat map add up; for wall time, those with known times.
 * @param {Data} data @param {Filter} filter @returns {string[]}
 */
export function groupsToAdd(data, filter) {
  const groups = groupsInTime(data, filter.group);
  if (groups.length === 1) return groups;
  if (filter.cpu === 'off') return groups.slice(1);
  return filter.cpu === 'on' || isOnlyOnCpu(data, filter) ? groups.slice(0, 1) : groups;
}

/** @param {Data} data @param {Filter} filter */
function threadMask(data, filter) {
  return Uint8Array.from(data.meta.threads, (_, i) =>
    !filter.threads || filter.threads.has(i) ? 1 : 0,
  );
}

/**
 * Whether its samples have a beginning and last as many nanoseconds as they weigh.
 * @param {import('./data.js').EventInfo} event
 */
export const isLasting = event =>
  event.is_clock || (event.time === 'off-cpu' && event.unit_ns === 10 ** event.decimals);

/**
 * The ticks that a sample lasts; 0 if its event has no durations.
 * @param {Data} data @param {number} i @param {boolean[]} lasting by event
 */
const lengthOf = (data, i, lasting) =>
  lasting[data.sampleEvent[i]] ? data.sampleWeight[i] / data.meta.tick_ns : 0;

/**
 * The ticks that a weight of an event is; undefined: it counts something else than time.
 * @param {Data} data @param {import('./data.js').EventInfo} event @param {number} weight
 */
export const ticksOf = ({meta}, {unit_ns: unit, decimals}, weight) =>
  unit ? ((weight / 10 ** decimals) * unit) / meta.tick_ns : undefined;

/** The ticks that a weight of 1 is, by event; 0: it counts something else than time. @param {Data} data */
export const ticksOfOne = data =>
  Float64Array.from(data.meta.events, event => ticksOf(data, event, 1) ?? 0);

/** @param {Data} data */
export const lastingEvents = data => data.meta.events.map(isLasting);

/**
 * 1 for every sample that passes.
 * @param {Data} data @param {Filter} filter @param {string[]} [groups] instead of the filter's
 */
export function passing(data, filter, groups = [filter.group]) {
  const events = eventMask(data, groups);
  const threads = threadMask(data, filter);
  const {sampleEvent, sampleThread, sampleTick, sampleNode, samples} = data;
  const passes = new Uint8Array(samples);
  for (let i = 0; i < samples; ++i) passes[i] = events[sampleEvent[i]] & threads[sampleThread[i]];
  if (filter.range) {
    const [from, to] = filter.range;
    const lasting = lastingEvents(data);
    for (let i = 0; i < samples; ++i)
      if (
        sampleTick[i] >= to ||
        (sampleTick[i] < from && sampleTick[i] + lengthOf(data, i, lasting) <= from)
      )
        passes[i] = 0;
  }
  if (filter.parts) {
    const {isShown, ofNode} = chosenParts(data, filter.parts);
    for (let i = 0; i < samples; ++i) passes[i] &= isShown[ofNode[sampleNode[i]]];
  }
  if (filter.cpu) {
    const off = offCpuNodes(data);
    const offEvent = Uint8Array.from(data.meta.events, event => (event.time === 'off-cpu' ? 1 : 0));
    const wanted = filter.cpu === 'off' ? 1 : 0;
    for (let i = 0; i < samples; ++i)
      if ((off[sampleNode[i]] | offEvent[sampleEvent[i]]) !== wanted) passes[i] = 0;
  }
  return passes;
}

/**
 * The weight of each node, and in a difference the one before.
 * @typedef {object} Weights
 * @property {Float64Array} after
 * @property {Float64Array|null} before
 * @property {string} unit
 * @property {number} decimals
 * @property {number} unit_ns 0: the unit is not one of time
 * @property {[number, number]} samples the effective number before and after
 * @property {[number, number]} selected which share of all samples passes, before and after
 */

/**
 * What the weights of an event count, unless the user said what to call it.
 * @param {Data} data @param {import('./data.js').EventInfo} [event]
 */
function unitOf({meta}, event) {
  const {count} = meta.look;
  return {
    unit: count || (event?.unit ?? 'samples'),
    // The clock of a trace is read as nanoseconds, but counts cycles.
    unit_ns: count || event?.is_clock ? 0 : (event?.unit_ns ?? 0),
  };
}

/**
 * The weights of nodes, or of something else that samples have.
 * @param {Data} data @param {Filter} filter @param {string[]} groups
 * @param {string[]} wholeGroups those of which a share is selected
 * @param {ArrayLike<number>} [rowOf] of a sample @param {number} [rows]
 */
function sumOf(data, filter, groups, wholeGroups, rowOf = data.sampleNode, rows = data.nodes) {
  const sum = new Float64Array(rows);
  const {sampleWeight, sampleEvent} = data;
  const isOfWhole = eventMask(data, wholeGroups);
  const events = data.meta.events.filter(event => groups.includes(event.group));
  const decimals = Math.max(0, ...events.map(event => event.decimals));
  const scales = Float64Array.from(data.meta.events, event => 10 ** (decimals - event.decimals));
  const counts = Uint8Array.from(data.meta.events, event => (event.counts_samples ? 1 : 0));
  const one = 10 ** decimals;
  const passes = passing(data, filter, groups);
  const lasting = lastingEvents(data);
  const [from, to] = filter.range ?? [0, Infinity];
  let all = 0;
  let whole = 0;
  let squares = 0;
  for (let i = 0; i < data.samples; ++i) {
    const event = sampleEvent[i];
    let weight = sampleWeight[i] * scales[event];
    all += weight * isOfWhole[event];
    if (passes[i] === 0) continue;
    // Only the part within the range counts.
    if (filter.range && lasting[event]) {
      const tick = data.sampleTick[i];
      const end = tick + lengthOf(data, i, lasting);
      if (end > tick) weight *= (Math.min(end, to) - Math.max(tick, from)) / (end - tick);
    }
    sum[rowOf[i]] += weight;
    whole += weight;
    squares += counts[event] !== 0 ? weight * one : weight * weight;
  }
  return {
    sum,
    decimals,
    ...unitOf(data, events[0]),
    samples: squares > 0 ? (whole * whole) / squares : 0,
    selected: whole / (all || 1),
  };
}

/**
 * The two sides of a difference, or the one that is shown alone: the weights of nodes, or of
 * something else that samples have.
 * @param {Data} data @param {Filter} filter
 * @param {ArrayLike<number>} [rowOf] of a sample @param {number} [rows] @returns {Weights}
 */
function sides(data, filter, rowOf = data.sampleNode, rows = data.nodes) {
  const after = new Float64Array(rows);
  const before = new Float64Array(rows);
  const events = data.meta.events;
  const decimals = Math.max(0, ...events.map(event => event.decimals));
  const threads = threadMask(data, filter);
  const parts = filter.parts ? chosenParts(data, filter.parts) : null;
  const whole = [0, 0];
  const part = [0, 0];
  for (let i = 0; i < data.samples; ++i) {
    const event = events[data.sampleEvent[i]];
    const side = event.role === 'before' ? 0 : 1;
    const weight = data.sampleWeight[i] * 10 ** (decimals - event.decimals);
    whole[side] += weight;
    if (threads[data.sampleThread[i]] === 0) continue;
    if (parts && parts.isShown[parts.ofNode[data.sampleNode[i]]] === 0) continue;
    part[side] += weight;
    (side === 0 ? before : after)[rowOf[i]] += weight;
  }
  /** @type {[number, number]} */
  const selected = [part[0] / (whole[0] || 1), part[1] / (whole[1] || 1)];
  const known = data.meta.side_samples ?? [0, 0];
  // The page has sums of samples, so those of all threads are worth the same.
  /** @type {[number, number]} */
  const samples = [known[0] * selected[0], known[1] * selected[1]];
  const rest = {...unitOf(data, events[0]), decimals, samples};
  if (filter.side === 'before')
    return {after: before, before: null, ...rest, selected: [0, selected[0]]};
  return {after, before: filter.side ? null : before, ...rest, selected};
}

/**
 * What each thread weighs; in a difference after, or on the side that is shown alone.
 * @param {Data} data @param {Filter} filter
 */
export function threadWeights(data, filter) {
  const all = {...filter, threads: null};
  const rows = /** @type {const} */ ([data.sampleThread, data.meta.threads.length]);
  if (data.isDifference) return sides(data, all, ...rows).after;
  const groups = filter.range ? groupsToAdd(data, filter) : [filter.group];
  return sumOf(data, all, groups, groups, ...rows).sum;
}

/**
 * @param {Data} data @param {Filter} filter
 * @param {[number, number]|null} baseline the range to compare with
 * @returns {Weights}
 */
export function weigh(data, filter, baseline) {
  if (data.isDifference) return sides(data, filter);
  // Both ranges of a comparison add up the same groups.
  const groupsOf = (/** @type {Filter} */ chosen) =>
    filter.range || baseline ? groupsToAdd(data, chosen) : [filter.group];
  const groups = groupsOf(filter);
  const all = groupsOf({...filter, cpu: ''});
  const now = sumOf(data, filter, groups, all);
  const before = baseline ? sumOf(data, {...filter, range: baseline}, groups, all) : null;
  return {
    after: now.sum,
    before: before?.sum ?? null,
    unit: now.unit,
    unit_ns: now.unit_ns,
    decimals: now.decimals,
    samples: [before?.samples ?? 0, now.samples],
    selected: [before?.selected ?? 0, now.selected],
  };
}
