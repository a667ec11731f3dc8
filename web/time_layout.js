// SPDX-License-Identifier: Apache-2.0
// Lanes of the time view, one below the other, and the boxes in them.
import {joinPieces, lanesOf, pieces} from './lanes.js';
import {depthsOf} from './shape.js';

/** @typedef {import('./app.js').App} App */
/** @typedef {import('./lanes.js').Lane} Lane */
/** @typedef {[number, number]} Range */

/** The heights of the axis, of a lane's heading, and of the gap below a lane. */
export const AXIS = 20;
export const HEADING = 18;
const GAP = 6;

/** A canvas has room for no more. */
const MOST_ROWS = 2000;

/** What lanes depend on, apart from the shape. @param {App} app */
function laneKey({state}) {
  const {event, threads, cpu, rows} = state;
  return JSON.stringify([event, threads, cpu, rows]);
}

export class TimeLayout {
  /** @param {App} app */
  constructor(app) {
    this.key = laneKey(app);
    this.data = app.data;
    this.shape = app.shape;
    this.row = app.painter.look.row;
    this.mostRows = Math.min(app.state.rows || MOST_ROWS, MOST_ROWS);
    this.depths = depthsOf(app.shape);
    this.lanes = lanesOf(app.data, {...app.filter, range: null}, app.shape);
    /** The upper edge of each lane, and the lower edge of the last. */
    this.tops = [AXIS];
    for (const lane of this.lanes)
      this.tops.push(this.height + HEADING + this.rowsOf(lane) * this.row + GAP);
    /** Reused by boxesOf. */
    this.room = new Int32Array(0);
  }

  /** Whether it is the layout for the app's state. @param {App} app */
  isCurrent(app) {
    return this.key === laneKey(app) && this.shape === app.shape;
  }

  get height() {
    return this.tops[this.tops.length - 1];
  }

  /** @param {Lane} lane */
  rowsOf(lane) {
    return Math.min(lane.depth, this.mostRows);
  }

  /** The upper edge of a level within its lane. @param {number} level */
  levelTop(level) {
    return HEADING + level * this.row;
  }

  /**
   * The box of each sample, one level after the other; valid until the next call.
   * @param {number[]} samples @param {number} levels
   */
  boxesOf(samples, levels) {
    const count = samples.length;
    if (this.room.length < count * levels) this.room = new Int32Array(count * levels * 2);
    const boxes = this.room.subarray(0, count * levels).fill(-1);
    const {data, depths} = this;
    const {map, parent} = this.shape;
    for (let i = 0; i < count; ++i) {
      let box = map[data.sampleNode[samples[i]]];
      while (box > 0 && depths[box] > levels) box = parent[box];
      for (; box > 0; box = parent[box]) boxes[(depths[box] - 1) * count + i] = box;
    }
    return boxes;
  }

  /**
   * Calls `each` with the visible boxes of levels of a lane, and `endLevel` after each level.
   * @param {Lane} lane @param {{visible: Range, width: number, from: number, to: number}} part
   * @param {(level: number, box: number, left: number, width: number) => void} each
   * @param {(level: number) => void} [endLevel]
   */
  eachBox(lane, {visible, width, from, to}, each, endLevel = () => {}) {
    if (to <= from) return;
    const found = pieces(lane, visible[0], visible[1], width);
    const count = found.sample.length;
    const boxes = this.boxesOf(found.sample, to);
    for (let level = from; level < to; ++level) {
      const row = boxes.subarray(level * count, (level + 1) * count);
      joinPieces(found, row, (box, left, size) => each(level, box, left, size));
      endLevel(level);
    }
  }

  /**
   * The lane and the box at a height and a time; -1: none.
   * @param {number} y @param {number} tick @param {number} pixelTicks the ticks of a pixel
   */
  at(y, tick, pixelTicks) {
    const {data, shape, depths, tops} = this;
    const i = this.lanes.findIndex((_, n) => y >= tops[n] && y < tops[n + 1]);
    if (i < 0) return {lane: -1, box: -1};
    const lane = this.lanes[i];
    const level = Math.floor((y - tops[i] - HEADING) / this.row);
    const {sample} = pieces(lane, tick - pixelTicks / 2, tick + pixelTicks / 2, 1);
    const none = {lane: i, box: -1};
    if (level < 0 || level >= this.rowsOf(lane) || sample.length === 0) return none;
    let box = shape.map[data.sampleNode[sample[0]]];
    if (box < 0 || depths[box] <= level) return none;
    while (depths[box] > level + 1) box = shape.parent[box];
    return {lane: i, box};
  }
}
