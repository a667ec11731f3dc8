// SPDX-License-Identifier: Apache-2.0
// What a search found over time: in each lane, stretches of samples whose stacks match.

/** @typedef {import('./found.js').Found} Found */
/** @typedef {import('./lanes.js').Lane} Lane */

export class TimeMatches {
  /**
   * @param {Lane[]} lanes @param {Found|null} found
   * @param {(lane: Lane, sample: number, box: number) => void} select
   */
  constructor(lanes, found, select) {
    this.lanes = lanes;
    this.found = found;
    this.select = select;
    /** The first sample of each stretch. @type {number[]} */
    this.firsts = [];
    /** How many stretches the lanes up to and including each have. @type {number[]} */
    this.ends = [];
    for (const lane of lanes) {
      if (found) this.addLane(lane, found);
      this.ends.push(this.firsts.length);
    }
  }

  /** @param {Lane} lane @param {Found} found */
  addLane({samples, begin, end}, found) {
    let wasIn = false;
    for (let i = 0; i < samples.length; ++i) {
      const isIn = found.isIn(samples[i]);
      if (isIn && !(wasIn && end[i - 1] >= begin[i])) this.firsts.push(i);
      wasIn = isIn;
    }
  }

  get count() {
    return this.firsts.length;
  }

  /** @param {number} i */
  show(i) {
    const lane = this.lanes[this.ends.findIndex(end => i < end)];
    const sample = this.firsts[i];
    if (this.found) this.select(lane, sample, this.found.outermostIn(lane.samples[sample]));
  }
}
