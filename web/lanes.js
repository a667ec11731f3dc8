// SPDX-License-Identifier: Apache-2.0
// Samples in the order of time, a lane for each thread. A sample of time lasts as long as its
// weight says; any other as long as the usual gap between samples of the busiest thread, so that
// the time in which a thread did not run stays empty.
import {Track} from './activity.js';
import {groupOfTime, groupsInTime, isLasting, passing, ticksOfOne} from './filter.js';

/** @typedef {import('./data.js').Data} Data */
/** @typedef {import('./filter.js').Filter} Filter */
/** @typedef {import('./shape.js').Shape} Shape */
/**
 * Samples in the order of time; they do not overlap.
 * @typedef {object} Stretches
 * @property {Int32Array} samples
 * @property {Float64Array} begin ticks
 * @property {Float64Array} end ticks
 */
/**
 * What is drawn of a thread. A thread that changed its name is one.
 * @typedef {object} LaneFacts
 * @property {number} thread under the name that has the most samples
 * @property {number} weight
 * @property {Track} track what it does, on and off the CPU as far as both are known
 * @property {Float64Array} covered the ticks of the samples before each, and all
 */
/** @typedef {Stretches & LaneFacts} Lane */

/** Clocks tick unevenly: a gap up to this many times the usual one is none. */
const JITTER = 1.5;

/**
 * The median gap between samples, from up to a thousand of them; 0: there is none.
 * @param {Data} data @param {Int32Array} samples
 */
function usualGap(data, samples) {
  const gaps = [];
  const stride = Math.max(1, Math.floor(samples.length / 1000));
  for (let i = 0; i + 1 < samples.length; i += stride) {
    const gap = data.sampleTick[samples[i + 1]] - data.sampleTick[samples[i]];
    if (gap > 0) gaps.push(gap);
  }
  gaps.sort((a, b) => a - b);
  return gaps.length > 0 ? gaps[gaps.length >> 1] : 0;
}

/**
 * @param {Data} data @param {Int32Array} samples
 * @param {number} common the usual gap in the busiest thread
 * @returns {Stretches}
 */
function stretchesOf(data, samples, common) {
  const begin = new Float64Array(samples.length);
  const end = new Float64Array(samples.length);
  const usual = Math.min(usualGap(data, samples) || common, common);
  const {sampleTick, sampleWeight, sampleEvent} = data;
  const {events} = data.meta;
  const jitters = Float64Array.from(events, event => (isLasting(event) ? 1 : JITTER));
  const ticks = ticksOfOne(data);
  for (let i = 0; i < samples.length;) {
    const event = sampleEvent[samples[i]];
    let at = sampleTick[samples[i]];
    let after = i + 1;
    let weight = sampleWeight[samples[i]];
    while (after < samples.length && sampleTick[samples[after]] === at)
      weight += sampleWeight[samples[after++]];
    const lasts = ticks[event] > 0 ? weight * ticks[event] : usual;
    const gap = after < samples.length ? sampleTick[samples[after]] - at : Infinity;
    const size = Math.max(gap <= lasts * jitters[event] ? gap : lasts, 0);
    // Samples of one tick share its time by their weights.
    for (; i < after; ++i) {
      begin[i] = at;
      end[i] = at += weight > 0 ? (size * sampleWeight[samples[i]]) / weight : 0;
    }
  }
  return {samples, begin, end};
}

/**
 * Samples by thread, each in the order of time.
 * @param {Data} data @param {Uint8Array} passes 1 for those that are shown
 * @returns {Int32Array[]}
 */
function samplesByThread(data, passes) {
  const {meta, samples, sampleThread, sampleTick} = data;
  const begin = new Int32Array(meta.threads.length + 1);
  for (let i = 0; i < samples; ++i) if (passes[i] === 1) ++begin[sampleThread[i] + 1];
  for (let t = 1; t < begin.length; ++t) begin[t] += begin[t - 1];
  const sorted = new Int32Array(begin[begin.length - 1]);
  const next = begin.slice();
  for (let i = 0; i < samples; ++i) if (passes[i] === 1) sorted[next[sampleThread[i]]++] = i;
  return meta.threads.map((_, t) => {
    const lane = sorted.subarray(begin[t], begin[t + 1]);
    // The samples of a thread and an event are in this order already.
    let isSorted = true;
    for (let i = 1; i < lane.length; ++i)
      if (sampleTick[lane[i - 1]] > sampleTick[lane[i]]) isSorted = false;
    if (!isSorted) lane.set(Array.from(lane).sort((a, b) => sampleTick[a] - sampleTick[b]));
    return lane;
  });
}

/**
 * The usual gap between samples in the busiest lane.
 * @param {Data} data @param {Int32Array[]} all
 */
const commonGap = (data, all) =>
  usualGap(
    data,
    all.reduce((a, b) => (b.length > a.length ? b : a), new Int32Array(0)),
  ) || 1;

/**
 * The events of a track: with those of one kind of time, those of the other.
 * @param {Data} data @param {Filter} filter @param {string[]} groups that the lanes show
 */
function trackGroups(data, {cpu}, groups) {
  const both = [groupOfTime(data, 'on-cpu'), groupOfTime(data, 'off-cpu')];
  const isPart = cpu === '' && groups.every(group => both.includes(group));
  return isPart ? both.filter(group => group !== undefined) : groups;
}

/** @param {Data} data @param {Int32Array} samples */
function weightOf(data, samples) {
  let weight = 0;
  for (let i = 0; i < samples.length; ++i) weight += data.sampleWeight[samples[i]];
  return weight;
}

/** @param {Stretches} stretches */
function coveredBy({begin, end}) {
  const covered = new Float64Array(begin.length + 1);
  for (let i = 0; i < begin.length; ++i) covered[i + 1] = covered[i] + end[i] - begin[i];
  return covered;
}

/**
 * The lanes that a filter and the shape leave, those that ran longest first.
 * @param {Data} data @param {Filter} filter @param {Shape} shape @returns {Lane[]}
 */
export function lanesOf(data, filter, shape) {
  const {map} = shape;
  const {sampleNode} = data;
  const samplesOf = (/** @type {string[]} */ groups) => {
    const passes = passing(data, filter, groups);
    for (let i = 0; i < passes.length; ++i) if (map[sampleNode[i]] < 0) passes[i] = 0;
    return samplesByThread(data, passes);
  };
  const groups = groupsInTime(data, filter.group);
  const all = samplesOf(groups);
  const common = commonGap(data, all);
  const ofTrack = trackGroups(data, filter, groups);
  const others = ofTrack.length === groups.length ? all : samplesOf(ofTrack);
  /** @type {Lane[]} */
  const lanes = [];
  all.forEach((samples, thread) => {
    if (samples.length === 0) return;
    const stretches = stretchesOf(data, samples, common);
    const other = others === all ? stretches : stretchesOf(data, others[thread], common);
    lanes.push({
      ...stretches,
      thread,
      weight: weightOf(data, samples),
      track: new Track(data, other),
      covered: coveredBy(stretches),
    });
  });
  return lanes.sort((a, b) => b.track.running - a.track.running || b.weight - a.weight);
}

/**
 * The index of the first of sorted values that is above `at`.
 * @param {Float64Array|Int32Array} values @param {number} at @param {number} [from] an index
 */
export function firstAbove(values, at, from = 0) {
  let step = 1;
  let low = from;
  // Most steps are short.
  while (low + step < values.length && values[low + step] <= at) {
    low += step;
    step *= 2;
  }
  let high = Math.min(values.length, low + step);
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle] > at) high = middle;
    else low = middle + 1;
  }
  return low;
}

/**
 * The ticks of each activity in each column of pixels, column by column.
 * @param {Track} track @param {number} from @param {number} to ticks @param {number} width pixels
 */
export function activityColumns(track, from, to, width) {
  const kinds = track.all.length;
  const columns = new Float64Array(width * kinds);
  let left = from;
  let first = firstAbove(track.end, from);
  for (let x = 0; x < width; ++x) {
    const right = from + ((to - from) * (x + 1)) / width;
    const next = firstAbove(track.end, right, first);
    track.addBetween(left, right, first, next, columns, x * kinds);
    left = right;
    first = next;
  }
  return columns;
}
