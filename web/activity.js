// SPDX-License-Identifier: Apache-2.0
// What threads do over time: run code of the user or of the kernel, or wait, and for what.
import {ticksOfOne} from './filter.js';
import {KIND} from './kinds.js';

/** @typedef {import('./data.js').Data} Data */
/** @typedef {import('./lanes.js').Stretches} Stretches */

/**
 * What a track shows, from the bottom up: in the colours of the kinds of code, time off the CPU in
 * blues. The labels of time off the CPU are those of
 * src/profile/off_cpu_reason.cc.
 * @type {{title: string, isRunning: boolean, label?: string, light: number, dark: number}[]}
 */
export const ACTIVITIES = [
  {title: 'user code', isRunning: true, light: 0xf1b636, dark: 0xf1b636},
  {title: 'kernel', isRunning: true, light: 0xe45e2e, dark: 0xe45e2e},
  {
    title: 'preempted',
    isRunning: false,
    label: '[preempted]',
    light: 0x2f6fb5,
    dark: 0x3f86d8,
  },
  {title: 'in I/O', isRunning: false, label: '[in I/O]', light: 0x78b7ff, dark: 0x8ec4ff},
  {title: 'blocked', isRunning: false, label: '[blocked]', light: 0xcfe1f4, dark: 0x2d4660},
  {title: 'off the CPU, unknown why', isRunning: false, light: 0xe2e2dc, dark: 0x32353a},
];
const USER = 0;
const KERNEL = 1;
const UNKNOWN = ACTIVITIES.length - 1;

/** @type {WeakMap<Data, Uint8Array>} */
const activities = new WeakMap();

/** What a thread does in each node: an index into ACTIVITIES. @param {Data} data */
export function nodeActivities(data) {
  let found = activities.get(data);
  if (found) return found;
  const {nodes, nodeParent, nodeFrame, frameKind, frameFunction} = data;
  const byFrame = Uint8Array.from(frameKind, (kind, i) => {
    if (kind === KIND.kernel) return KERNEL;
    if (kind !== KIND.offCpu) return USER;
    const label = data.name(frameFunction[i]).replace(/_\[.\]$/, '');
    const at = ACTIVITIES.findIndex(activity => activity.label === label);
    return at < 0 ? UNKNOWN : at;
  });
  const isRunning = Uint8Array.from(ACTIVITIES, kind => (kind.isRunning ? 1 : 0));
  found = new Uint8Array(nodes);
  for (let i = 1; i < nodes; ++i) {
    // Wakers are below the frame that says why a thread waits.
    const above = found[nodeParent[i]];
    found[i] = isRunning[above] === 1 ? byFrame[nodeFrame[i]] : above;
  }
  activities.set(data, found);
  return found;
}

/** How many stretches share a row of sums. */
const BLOCK = 32;

/** The sums of the time that a thread spends on each activity. */
export class Track {
  /** @param {Data} data @param {Stretches} stretches */
  constructor(data, {samples, begin, end}) {
    const {length} = samples;
    const kinds = ACTIVITIES.length;
    const nodes = nodeActivities(data);
    this.begin = begin;
    this.end = end;
    this.activity = new Uint8Array(length);
    /** By activity, what is before every BLOCKth stretch. */
    this.sums = new Float64Array((Math.ceil(length / BLOCK) + 1) * kinds);
    const sum = new Float64Array(kinds);
    const {activity, sums} = this;
    const {sampleNode} = data;
    for (let i = 0; i < length; ++i) {
      activity[i] = nodes[sampleNode[samples[i]]];
      if (i % BLOCK === 0) sums.set(sum, (i / BLOCK) * kinds);
      sum[activity[i]] += end[i] - begin[i];
    }
    this.sums.set(sum, Math.ceil(length / BLOCK) * kinds);
    this.all = sum;
    /** The ticks on the CPU, as the other views count them. */
    this.running = this.runningTicks(data, samples);
  }

  /**
   * A sample weighs the time since the one before, but is drawn until the thread leaves the CPU, so
   * stretches add up to less than what was sampled.
   * @param {Data} data @param {Int32Array} samples
   */
  runningTicks(data, samples) {
    const {activity, begin, end} = this;
    const {sampleEvent, sampleWeight} = data;
    const isRunning = Uint8Array.from(ACTIVITIES, kind => (kind.isRunning ? 1 : 0));
    const ofOne = ticksOfOne(data);
    let ticks = 0;
    for (let i = 0; i < samples.length; ++i) {
      if (isRunning[activity[i]] === 0) continue;
      const one = ofOne[sampleEvent[samples[i]]];
      ticks += one > 0 ? sampleWeight[samples[i]] * one : end[i] - begin[i];
    }
    return ticks;
  }

  /**
   * Adds the ticks of each activity between two times to `sums`.
   * @param {number} from @param {number} to
   * @param {number} first @param {number} next the first stretches that end after these
   * @param {Float64Array} sums @param {number} at where those of the first activity are
   */
  addBetween(from, to, first, next, sums, at) {
    const {begin, end, activity} = this;
    if (next - first > BLOCK) {
      this.addBefore(from, first, -1, sums, at);
      this.addBefore(to, next, 1, sums, at);
      for (let k = at; k < at + ACTIVITIES.length; ++k) sums[k] = Math.max(0, sums[k]);
      return;
    }
    const last = Math.min(next, begin.length - 1);
    for (let i = first; i <= last; ++i) {
      const ticks = Math.min(end[i], to) - Math.max(begin[i], from);
      if (ticks > 0) sums[at + activity[i]] += ticks;
    }
  }

  /**
   * Adds the ticks of each activity before a time to `into`, each multiplied by `sign`.
   * @param {number} tick @param {number} next the first stretch that ends after `tick`
   * @param {1|-1} sign @param {Float64Array} into @param {number} at
   */
  addBefore(tick, next, sign, into, at) {
    const {begin, end, activity, sums} = this;
    const kinds = ACTIVITIES.length;
    const block = Math.floor(next / BLOCK);
    for (let k = 0; k < kinds; ++k) into[at + k] += sign * sums[block * kinds + k];
    for (let i = block * BLOCK; i < next; ++i) into[at + activity[i]] += sign * (end[i] - begin[i]);
    if (next < begin.length && begin[next] < tick)
      into[at + activity[next]] += sign * (tick - begin[next]);
  }
}
