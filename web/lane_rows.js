// SPDX-License-Identifier: Apache-2.0
// The stacks of a lane as rows. Callers that nearly all of its stacks share are skipped: the first
// row has what follows them, or in a stack that leaves them earlier, what follows there.
import {firstAbove} from './lanes.js';

/** @typedef {import('./data.js').Data} Data */
/** @typedef {import('./lanes.js').Lane} Lane */
/** @typedef {import('./shape.js').Shape} Shape */

/** How many stacks of a lane are looked at for what they share, and how many must share it. */
const LOOKED_AT = 256;
const SHARED = 0.9;

/**
 * The boxes that nearly all stacks of a lane begin with, outermost first.
 * @param {Data} data @param {Shape} shape @param {Lane} lane @returns {number[]}
 */
export function commonCallers(data, {map, parent}, {samples}) {
  const looked = Math.min(samples.length, LOOKED_AT);
  const paths = [];
  for (let i = 0; i < looked; ++i) {
    const path = [];
    const at = samples[Math.floor((i * samples.length) / looked)];
    for (let box = map[data.sampleNode[at]]; box > 0; box = parent[box]) path.push(box);
    paths.push(path.reverse());
  }
  /** @type {number[]} */
  const common = [];
  for (let left = paths; ;) {
    const counts = new Map();
    for (const path of left) {
      const box = path[common.length];
      if (box !== undefined) counts.set(box, (counts.get(box) ?? 0) + 1);
    }
    const [box, count] = [...counts].reduce((a, b) => (b[1] > a[1] ? b : a), [0, 0]);
    if (count < SHARED * looked || count === 0) return common;
    // Where most stacks end is no caller.
    const ends = left.filter(path => path.length === common.length + 1).length;
    if (ends * 2 > looked) return common;
    common.push(box);
    left = left.filter(path => path[common.length - 1] === box);
  }
}

/**
 * The boxes of each level that a box contains: from, to.
 * @param {Shape} shape @param {number} box @param {number} depth
 */
function inside({firstChild, level}, box, depth) {
  const from = new Int32Array(level.length).fill(1);
  const to = new Int32Array(level.length);
  for (let d = depth, a = box, b = box + 1; d < level.length - 1 && a < b; ++d) {
    from[d] = a;
    to[d] = b;
    a = firstChild[a];
    b = firstChild[b];
  }
  return {from, to};
}

/**
 * Adjacent samples whose stacks share a box.
 * @typedef {object} Slice
 * @property {number} box
 * @property {number} first @property {number} last indexes of samples in the lane
 * @property {number} begin @property {number} end ticks
 */

/** Pieces of a lane from left to right, and what each row shows of them. */
export class Pieces {
  /** @param {number} width pixels @param {number} rows */
  constructor(width, rows) {
    // A pixel has at most one group of narrow samples, and at most two others touch it.
    this.room = width * 3 + 4;
    this.count = 0;
    this.left = new Float64Array(this.room);
    this.right = new Float64Array(this.room);
    /** 1: samples that are narrower than a pixel. */
    this.narrow = new Uint8Array(this.room);
    /** How many rows each piece has. */
    this.rows = rows;
    /** By piece and row: a box; NONE; SEVERAL. */
    this.box = new Int32Array(this.room * rows);
    /** By piece and row, the share of the width that is covered. */
    this.share = new Float32Array(this.room * rows);
  }
}

/** Lanes are drawn one after the other, so they share one. */
let lastPieces = new Pieces(0, 0);

export const NONE = -1;
export const SEVERAL = -2;

/** How many samples of a pixel are looked at. */
const PROBES = 3;

export class LaneRows {
  /**
   * @param {Data} data @param {Shape} shape @param {Int32Array} depths of its boxes
   * @param {Lane} lane @param {{most: number, isWhole: boolean}} options the number of rows, and
   *   whether they begin at the root
   */
  constructor(data, shape, depths, lane, {most, isWhole}) {
    this.data = data;
    this.shape = shape;
    this.depths = depths;
    this.lane = lane;
    this.skipped = isWhole ? [] : commonCallers(data, shape, lane);
    this.insides = this.skipped.map((box, i) => inside(shape, box, i + 1));
    this.count = this.countRows(most);
    /** By sample, what lowestOf() found; 0: not yet. */
    this.lowest = new Int32Array(lane.samples.length);
  }

  /** @param {number} i a sample of the lane */
  leafOf(i) {
    return this.shape.map[this.data.sampleNode[this.lane.samples[i]]];
  }

  /** How many of the skipped callers a box has above it. @param {number} box */
  skippedOf(box) {
    const depth = this.depths[box];
    for (let k = Math.min(this.insides.length, depth); k > 0; --k) {
      const {from, to} = this.insides[k - 1];
      // A stack that ends in a skipped caller shows it.
      if (box >= from[depth] && box < to[depth]) return depth === k ? k - 1 : k;
    }
    return 0;
  }

  /** The row of a box. @param {number} box */
  rowOf(box) {
    return this.depths[box] - this.skippedOf(box) - 1;
  }

  /** @param {number} most */
  countRows(most) {
    const {depths, lane} = this;
    let rows = 1;
    for (let i = 0; i < lane.samples.length && rows < most; ++i) {
      const box = this.leafOf(i);
      if (depths[box] > rows) rows = Math.max(rows, this.rowOf(box) + 1);
    }
    return Math.min(rows, most);
  }

  /**
   * The innermost box of a sample that has a row. It is kept: stacks may be deep, and frames show
   * the same samples again.
   * @param {number} i
   */
  lowestOf(i) {
    const known = this.lowest[i];
    if (known > 0) return known;
    const {parent} = this.shape;
    let box = this.leafOf(i);
    if (box <= 0) return box;
    for (let row = this.rowOf(box); row >= this.count; --row) box = parent[box];
    return (this.lowest[i] = box);
  }

  /** The box of a sample in a row; NONE. @param {number} i @param {number} row */
  boxAt(i, row) {
    const {depths, shape} = this;
    let box = this.leafOf(i);
    if (box <= 0) return NONE;
    const depth = row + this.skippedOf(box) + 1;
    if (depths[box] < depth) return NONE;
    while (depths[box] > depth) box = shape.parent[box];
    return box;
  }

  /**
   * The slice around a sample that is drawn in a row with it.
   * @param {number} i @param {number} box in the stack of the sample @returns {Slice}
   */
  sliceAt(i, box) {
    const {lane, shape, depths} = this;
    const {begin, end} = lane;
    const {from, to} = inside(shape, box, depths[box]);
    const has = (/** @type {number} */ other) => {
      const leaf = this.leafOf(other);
      return leaf >= from[depths[leaf]] && leaf < to[depths[leaf]];
    };
    let first = i;
    while (first > 0 && end[first - 1] >= begin[first] && has(first - 1)) --first;
    let last = i;
    while (last + 1 < begin.length && end[last] >= begin[last + 1] && has(last + 1)) ++last;
    return {box, first, last, begin: begin[first], end: end[last]};
  }

  /**
   * The sample at a time, or else one that shares its pixel; -1: there is none.
   * @param {number} tick @param {number} pixel ticks
   */
  sampleAt(tick, pixel) {
    const {begin, end} = this.lane;
    const i = firstAbove(end, tick);
    if (i < begin.length && begin[i] <= tick) return i;
    const near = firstAbove(end, tick - pixel / 2);
    return near < begin.length && begin[near] < tick + pixel / 2 ? near : -1;
  }

  /**
   * The visible part as pieces. Valid until the next call, for any lane.
   * @param {[number, number]} visible ticks @param {number} width pixels @param {number} rows
   * @param {import('./found.js').Found|null} found what a search found
   */
  piecesOf([from, to], width, rows, found) {
    const {lane} = this;
    const {begin, end, covered} = lane;
    if (lastPieces.room < width * 3 + 4 || lastPieces.box.length < lastPieces.room * rows)
      lastPieces = new Pieces(width, Math.max(rows, this.count));
    const pieces = lastPieces;
    pieces.rows = rows;
    const scale = width / (to - from);
    const sums = found?.sumsOf(lane) ?? null;
    let n = 0;
    let i = firstAbove(end, from);
    for (; i < begin.length && begin[i] < to; ++n) {
      const x = (begin[i] - from) * scale;
      const edge = (end[i] - from) * scale;
      // Both kinds take the same way: one of its own, first needed in the midst of a zoom, would
      // not be compiled yet, and the frame would take long.
      const isNarrow = edge - x < 1;
      const left = isNarrow ? Math.max(Math.floor(x), 0) : x;
      const right = isNarrow ? left + 1 : edge;
      const until = from + right / scale;
      const next = this.endOfPiece(i, isNarrow ? until : begin[i], 1 / scale);
      const beyond = Math.max(0, end[next - 1] - until);
      const ticks = covered[next] - covered[i] - beyond;
      pieces.left[n] = left;
      pieces.right[n] = right;
      pieces.narrow[n] = isNarrow ? 1 : 0;
      this.clear(pieces, n, rows);
      const probes = Math.min(next - i, PROBES);
      const weight = Math.min(1, ticks * scale) / probes;
      for (let p = 0; p < probes; ++p)
        this.putStack(pieces, n, rows, i + Math.floor(((next - i) * p) / probes), weight);
      if (found && sums && sums[next] > sums[i])
        this.putFound(pieces, n, rows, firstAbove(sums, sums[i], i) - 1, found);
      i = next;
    }
    pieces.count = n;
    return pieces;
  }

  /**
   * The sample after those that begin before a time with the given one. The last may be wide.
   * @param {number} i @param {number} until ticks @param {number} pixel ticks
   */
  endOfPiece(i, until, pixel) {
    const {begin, end} = this.lane;
    const next = Math.max(firstAbove(begin, until, i), i + 1);
    return next > i + 1 && end[next - 1] - begin[next - 1] >= pixel ? next - 1 : next;
  }

  /** @param {Pieces} pieces @param {number} n @param {number} rows */
  clear({box, share}, n, rows) {
    for (let at = n * rows; at < (n + 1) * rows; ++at) {
      box[at] = NONE;
      share[at] = 0;
    }
  }

  /**
   * Adds the stack of a sample to a piece.
   * @param {Pieces} pieces @param {number} n @param {number} rows @param {number} i
   * @param {number} weight
   */
  putStack({box, share}, n, rows, i, weight) {
    const {parent} = this.shape;
    let at = this.lowestOf(i);
    if (at <= 0) return;
    let row = this.rowOf(at);
    for (; row >= rows; --row) at = parent[at];
    let place = n * rows + row;
    // Callers of a box that is there already are, too.
    for (; row >= 0 && box[place] !== at; --row, --place, at = parent[at]) {
      box[place] = box[place] === NONE ? at : SEVERAL;
      share[place] += weight;
    }
    for (; row >= 0; --row, --place) share[place] += weight;
  }

  /**
   * Shows what a search found in a sample.
   * @param {Pieces} pieces @param {number} n @param {number} rows @param {number} i
   * @param {import('./found.js').Found} found
   */
  putFound({box, share}, n, rows, i, found) {
    const {depths, shape} = this;
    let at = this.leafOf(i);
    const above = this.skippedOf(at) + 1;
    for (; depths[at] >= above; at = shape.parent[at]) {
      const row = depths[at] - above;
      if (row >= rows || !found.isHit(at)) continue;
      box[n * rows + row] = at;
      share[n * rows + row] = 1;
    }
  }

  /**
   * Calls `each` with what a row shows: slices, and narrow samples of several boxes.
   * @param {Pieces} pieces @param {number} row
   * @param {(box: number, first: number, last: number) => void} each the box, or SEVERAL, and its
   *   pieces
   */
  eachPart({left, right, narrow, box, count, rows}, row, each) {
    for (let i = 0; i < count;) {
      const here = box[i * rows + row];
      let next = i + 1;
      while (
        next < count &&
        here !== SEVERAL &&
        box[next * rows + row] === here &&
        left[next] - right[next - 1] < 0.5
      )
        ++next;
      // What is seen in a single pixel only is narrower than it.
      const isNarrow = next === i + 1 && narrow[i] === 1;
      if (here !== NONE) each(isNarrow ? SEVERAL : here, i, next - 1);
      i = next;
    }
  }
}
