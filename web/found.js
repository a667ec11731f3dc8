// SPDX-License-Identifier: Apache-2.0
// Which stacks a search found.

/** @typedef {import('./data.js').Data} Data */
/** @typedef {import('./lanes.js').Lane} Lane */
/** @typedef {import('./shape.js').Shape} Shape */

export class Found {
  /** @param {Data} data @param {Shape} shape @param {Uint8Array} hits 1 for functions that match */
  constructor(data, shape, hits) {
    this.data = data;
    this.shape = shape;
    this.hits = hits;
    /** 1 for boxes of a match and those below it. */
    this.within = new Uint8Array(shape.count);
    const {within} = this;
    const {parent, func, count} = shape;
    for (let i = 1; i < count; ++i) within[i] = within[parent[i]] | hits[func[i]];
    /** @type {WeakMap<Lane, Int32Array>} */
    this.sums = new WeakMap();
  }

  /** Whether a box itself is a match. @param {number} box */
  isHit(box) {
    return this.hits[this.shape.func[box]] === 1;
  }

  /** Whether the stack of a sample has a match. @param {number} sample */
  isIn(sample) {
    const box = this.shape.map[this.data.sampleNode[sample]];
    return box >= 0 && this.within[box] === 1;
  }

  /** The outermost match in the stack of a sample; -1: none. @param {number} sample */
  outermostIn(sample) {
    const {parent} = this.shape;
    let outermost = -1;
    for (let box = this.shape.map[this.data.sampleNode[sample]]; box > 0; box = parent[box])
      if (this.isHit(box)) outermost = box;
    return outermost;
  }

  /**
   * How many samples with a match are before each sample of a lane, and in all.
   * @param {Lane} lane
   */
  sumsOf(lane) {
    let sums = this.sums.get(lane);
    if (sums) return sums;
    const {samples} = lane;
    sums = new Int32Array(samples.length + 1);
    const {within, shape, data} = this;
    const {map} = shape;
    const {sampleNode} = data;
    // Samples of a lane are in the shape.
    for (let i = 0; i < samples.length; ++i)
      sums[i + 1] = sums[i] + within[map[sampleNode[samples[i]]]];
    this.sums.set(lane, sums);
    return sums;
  }
}

/** @type {Found|null} */
let last = null;

/**
 * What the current search found; null: there is no search.
 * @param {import('./app.js').App} app @returns {Found|null}
 */
export function foundBy({data, shape, painter}) {
  if (!painter.hits) return null;
  if (last?.hits !== painter.hits || last.shape !== shape)
    last = new Found(data, shape, painter.hits);
  return last;
}
