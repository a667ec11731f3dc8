// SPDX-License-Identifier: Apache-2.0
// Samples in the order of time, a lane for each thread. A sample of time lasts as long as its
// weight says; any other as long as the usual gap between samples of the busiest thread, so that
// the time in which a thread did not run stays empty.
import {groupsInTime, isLasting, passing} from './filter.js';
import {depthsOf} from './shape.js';

/** @typedef {import('./data.js').Data} Data */
/** @typedef {import('./filter.js').Filter} Filter */
/** @typedef {import('./shape.js').Shape} Shape */
/**
 * Samples in the order of time; they do not overlap.
 * @typedef {object} Lane
 * @property {number} thread
 * @property {Int32Array} samples
 * @property {Float64Array} begin ticks
 * @property {Float64Array} end ticks
 * @property {number} weight
 * @property {number} depth of the deepest stack
 */

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
 * @returns {{begin: Float64Array, end: Float64Array}}
 */
function extents(data, samples, common) {
  const begin = new Float64Array(samples.length);
  const end = new Float64Array(samples.length);
  const usual = Math.min(usualGap(data, samples) || common, common);
  const tick = (/** @type {number} */ i) => data.sampleTick[samples[i]];
  for (let i = 0; i < samples.length;) {
    let after = i + 1;
    let weight = data.sampleWeight[samples[i]];
    while (after < samples.length && tick(after) === tick(i))
      weight += data.sampleWeight[samples[after++]];
    const event = data.meta.events[data.sampleEvent[samples[i]]];
    const lasts = event.unit_ns
      ? ((weight / 10 ** event.decimals) * event.unit_ns) / data.meta.tick_ns
      : usual;
    const gap = after < samples.length ? tick(after) - tick(i) : Infinity;
    const size = Math.max(gap <= lasts * (isLasting(event) ? 1 : JITTER) ? gap : lasts, 0);
    // Samples of one tick share its time by their weights.
    let at = tick(i);
    for (; i < after; ++i) {
      begin[i] = at;
      end[i] = at += weight > 0 ? (size * data.sampleWeight[samples[i]]) / weight : 0;
    }
  }
  return {begin, end};
}

/**
 * The samples that a filter leaves, by thread.
 * @param {Data} data @param {Filter} filter @param {string[]} groups of events
 * @returns {Int32Array[]}
 */
function samplesByThread(data, filter, groups) {
  const {samples, sampleThread} = data;
  const begin = new Int32Array(data.meta.threads.length + 1);
  const passes = passing(data, filter, groups);
  for (let i = 0; i < samples; ++i) if (passes[i]) ++begin[sampleThread[i] + 1];
  for (let t = 1; t < begin.length; ++t) begin[t] += begin[t - 1];
  const sorted = new Int32Array(begin[begin.length - 1]);
  const next = begin.slice();
  for (let i = 0; i < samples; ++i) if (passes[i]) sorted[next[sampleThread[i]]++] = i;
  return data.meta.threads.map((_, t) => sorted.subarray(begin[t], begin[t + 1]));
}

/**
 * @param {Data} data @param {Shape} shape @param {Int32Array} depths of its boxes
 * @param {Int32Array} samples
 */
function weightAndDepth(data, shape, depths, samples) {
  let weight = 0;
  let depth = 1;
  for (const i of samples) {
    weight += data.sampleWeight[i];
    const box = shape.map[data.sampleNode[i]];
    if (box >= 0 && depths[box] > depth) depth = depths[box];
  }
  return {weight, depth};
}

/**
 * The lanes that a filter leaves, heaviest first.
 * @param {Data} data @param {Filter} filter @param {Shape} shape @returns {Lane[]}
 */
export function lanesOf(data, filter, shape) {
  const groups = groupsInTime(data, filter.group);
  const threads = samplesByThread(data, filter, groups);
  const busiest = threads.reduce((a, b) => (b.length > a.length ? b : a), new Int32Array(0));
  const common = usualGap(data, busiest) || 1;
  // The samples of each event are in the order of time.
  const isSorted = data.meta.events.filter(event => groups.includes(event.group)).length <= 1;
  const depths = depthsOf(shape);
  /** @type {Lane[]} */
  const lanes = [];
  threads.forEach((samples, thread) => {
    if (samples.length === 0) return;
    if (!isSorted)
      samples.set(Array.from(samples).sort((a, b) => data.sampleTick[a] - data.sampleTick[b]));
    const size = weightAndDepth(data, shape, depths, samples);
    lanes.push({thread, samples, ...size, ...extents(data, samples, common)});
  });
  return lanes.sort((a, b) => b.weight - a.weight);
}

/**
 * The index of the first of sorted values that is above `at`.
 * @param {Float64Array} values @param {number} at @param {number} [from] an index
 */
function firstAbove(values, at, from = 0) {
  let low = from;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle] > at) high = middle;
    else low = middle + 1;
  }
  return low;
}

/**
 * The visible part of a lane, as pieces from left to right. Of several samples that share a pixel,
 * the first is shown.
 * @param {Lane} lane @param {number} from @param {number} to ticks @param {number} width pixels
 * @returns {{left: number[], right: number[], sample: number[]}}
 */
export function pieces(lane, from, to, width) {
  const left = [];
  const right = [];
  const sample = [];
  const scale = width / (to - from);
  for (let i = firstAbove(lane.end, from); i < lane.samples.length && lane.begin[i] < to;) {
    const x = (lane.begin[i] - from) * scale;
    let edge = (lane.end[i] - from) * scale;
    let next = i + 1;
    if (edge - x < 1) {
      edge = Math.floor(x) + 1;
      next = Math.max(next, firstAbove(lane.end, from + edge / scale, i + 1));
    }
    left.push(x);
    right.push(edge);
    sample.push(lane.samples[i]);
    i = next;
  }
  return {left, right, sample};
}

/**
 * Calls `each` with the boxes of one level of a lane. Adjacent pieces of a box are joined.
 * @param {{left: number[], right: number[]}} pieces
 * @param {Int32Array} boxes the box of each piece at this level; -1: none
 * @param {(box: number, left: number, width: number) => void} each
 */
export function joinPieces({left, right}, boxes, each) {
  const isJoined = (/** @type {number} */ i) =>
    i < boxes.length && boxes[i] === boxes[i - 1] && left[i] - right[i - 1] < 0.5;
  for (let i = 0; i < boxes.length;) {
    const box = boxes[i];
    let next = i + 1;
    while (isJoined(next)) ++next;
    if (box > 0) each(box, left[i], right[next - 1] - left[i]);
    i = next;
  }
}
