// SPDX-License-Identifier: Apache-2.0
// Samples in the order of time, a lane for each thread. A sample of time lasts as
// long as it says, others as long as it usually is from one to the next in the
// thread that has the most: time in which a thread did not run stays empty.
import {groupsInTime, isLasting, passing} from './filter.js';

/** @typedef {import('./data.js').Data} Data */
/** @typedef {import('./filter.js').Filter} Filter */
/**
 * @typedef {{thread: number, samples: Int32Array, begin: Float64Array, end: Float64Array, weight: number,
 *   depth: number}} Lane   begin, end: ticks, in the order of time and not overlapping
 */

/** A gap that is hardly longer is none: clocks do not tick that evenly. */
const JITTER = 1.5;

/**
 * The value in the middle of a sample of the gaps; 0: there is none.
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
 * @param {number} common what is usual in the busiest thread
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

/** How deep the box of each sample's stack lies. @param {import('./merge.js').Shape} shape */
export function depthsOf(shape) {
  const depth = new Int32Array(shape.count);
  for (let i = 1; i < shape.count; ++i) depth[i] = depth[shape.parent[i]] + 1;
  return depth;
}

/**
 * The lanes that a filter leaves, heaviest first.
 * @param {Data} data @param {Filter} filter @param {import('./merge.js').Shape} shape
 * @returns {Lane[]}
 */
export function lanesOf(data, filter, shape) {
  const counts = new Int32Array(data.meta.threads.length + 1);
  const groups = groupsInTime(data, filter.group);
  const passes = passing(data, filter, groups);
  for (let i = 0; i < data.samples; ++i) if (passes[i]) ++counts[data.sampleThread[i] + 1];
  for (let t = 1; t < counts.length; ++t) counts[t] += counts[t - 1];
  const all = new Int32Array(counts[counts.length - 1]);
  const next = counts.slice();
  for (let i = 0; i < data.samples; ++i) if (passes[i]) all[next[data.sampleThread[i]]++] = i;
  const severalEvents = data.meta.events.filter(event => groups.includes(event.group)).length > 1;
  const depth = depthsOf(shape);
  let busiest = 0;
  for (let t = 0; t + 1 < counts.length; ++t)
    if (counts[t + 1] - counts[t] > counts[busiest + 1] - counts[busiest]) busiest = t;
  const common = usualGap(data, all.subarray(counts[busiest], counts[busiest + 1])) || 1;
  /** @type {Lane[]} */
  const lanes = [];
  for (let thread = 0; thread + 1 < counts.length; ++thread) {
    const samples = all.subarray(counts[thread], counts[thread + 1]);
    if (samples.length === 0) continue;
    if (severalEvents)
      samples.set(Array.from(samples).sort((a, b) => data.sampleTick[a] - data.sampleTick[b]));
    let weight = 0;
    let deepest = 1;
    for (const i of samples) {
      weight += data.sampleWeight[i];
      const box = shape.map[data.sampleNode[i]];
      if (box >= 0 && depth[box] > deepest) deepest = depth[box];
    }
    lanes.push({thread, samples, weight, depth: deepest, ...extents(data, samples, common)});
  }
  return lanes.sort((a, b) => b.weight - a.weight);
}

/**
 * @param {Float64Array} values @param {number} at
 * @param {number} [from] the first that is above `at`
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
 * What can be seen of a lane: pieces from left to right. Where several samples
 * share a pixel, the first one is shown.
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
 * Calls `each` with the boxes of one level of the lane.
 * @param {{left: number[], right: number[]}} seen @param {Int32Array} boxes the box of each piece at this level, -1: none
 * @param {(box: number, left: number, width: number) => void} each
 */
export function joinPieces(seen, boxes, each) {
  for (let i = 0; i < boxes.length;) {
    const box = boxes[i];
    let last = i;
    while (
      last + 1 < boxes.length &&
      boxes[last + 1] === box &&
      seen.left[last + 1] - seen.right[last] < 0.5
    )
      ++last;
    if (box > 0) each(box, seen.left[i], seen.right[last] - seen.left[i]);
    i = last + 1;
  }
}
