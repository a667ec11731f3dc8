// SPDX-License-Identifier: Apache-2.0
// What the time view shows, one below the other: processes, the lanes of their threads, and those
// that are idle.
import {LaneRows} from './lane_rows.js';
import {firstAbove, lanesOf} from './lanes.js';
import {depthsOf} from './shape.js';

/** @typedef {import('./app.js').App} App */
/** @typedef {import('./lanes.js').Lane} Lane */
/**
 * @typedef {object} Item
 * @property {'process'|'lane'|'idle'} kind
 * @property {string} key its name in the page's address
 * @property {Lane[]} lanes what it stands for
 * @property {boolean} isInner it is below the heading of a process
 * @property {boolean} isOpen
 * @property {number} top
 * @property {number} bottom
 */

/** The heights of the axis, of a heading, of an activity track, and of the gap below an item. */
export const AXIS = 20;
export const HEADING = 18;
export const TRACK = 16;
const GAP = 6;

/** A canvas has room for no more. */
const MOST_ROWS = 2000;

/** Threads that ran less than this share of what the busiest did are idle. */
const IDLE = 0.01;

/** How many lanes show their rows at first. */
const FIRST_OPEN = 8;

/** What lanes depend on, apart from the shape. @param {App} app */
const laneKey = app => JSON.stringify({...app.filter, range: null, threads: app.state.threads});

/** What the rows and the items depend on. @param {App} app */
function itemKey({state}) {
  const {rows, callers, folds} = state;
  return JSON.stringify([rows, callers, folds]);
}

/** @param {Lane[]} lanes */
const runningOf = lanes => lanes.reduce((sum, lane) => sum + lane.track.running, 0);

export class TimeLayout {
  /** @param {App} app @param {TimeLayout|null} before whose lanes are used if they are the same */
  constructor(app, before) {
    this.laneKey = laneKey(app);
    this.itemKey = itemKey(app);
    this.data = app.data;
    this.shape = app.shape;
    this.row = app.painter.look.row;
    const isSame = before?.laneKey === this.laneKey && before.shape === app.shape;
    const kept = isSame ? before : null;
    /** @type {Int32Array} */
    this.depths = kept?.depths ?? depthsOf(app.shape);
    /** @type {Lane[]} */
    this.lanes = kept?.lanes ?? lanesOf(app.data, {...app.filter, range: null}, app.shape);
    this.most = Math.min(app.state.rows || MOST_ROWS, MOST_ROWS);
    this.isWhole = app.state.callers;
    /** @type {Map<Lane, LaneRows>} */
    this.rows = new Map();
    this.toggled = new Set(app.state.folds);
    /** @type {Item[]} */
    this.items = [];
    this.height = AXIS;
    this.opened = 0;
    this.addItems();
    this.tops = Float64Array.from(this.items, item => item.top);
  }

  /** Whether it is the layout for the app's state. @param {App} app */
  isCurrent(app) {
    return (
      this.laneKey === laneKey(app) && this.itemKey === itemKey(app) && this.shape === app.shape
    );
  }

  addItems() {
    const busiest = this.lanes[0]?.track.running ?? 0;
    const isIdle = (/** @type {Lane} */ lane) => lane.track.running < IDLE * busiest;
    /** @type {Lane[]} */
    const idle = [];
    for (const [pid, lanes] of this.processes()) {
      const busy = lanes.filter(lane => !isIdle(lane));
      if (busy.length === 0) idle.push(...lanes);
      else if (lanes.length === 1) this.addLane(lanes[0], false);
      else this.addProcess(pid, busy, lanes.filter(isIdle));
    }
    this.addIdle('i', idle, false);
  }

  /** Lanes by process, those that ran longest first. @returns {[number, Lane[]][]} */
  processes() {
    const {threads} = this.data.meta;
    /** @type {Map<number, Lane[]>} */
    const found = new Map();
    for (const lane of this.lanes) {
      // What has no process is one of its own.
      const pid = threads[lane.thread][0] < 0 ? -1 - lane.thread : threads[lane.thread][0];
      const known = found.get(pid);
      if (known) known.push(lane);
      else found.set(pid, [lane]);
    }
    return [...found].sort((a, b) => runningOf(b[1]) - runningOf(a[1]));
  }

  /** Lanes from top to bottom, if everything is open. */
  lanesInOrder() {
    const {items} = this;
    /** @type {Set<Lane>} */
    const ordered = new Set();
    for (const {kind, lanes} of items)
      if (kind !== 'idle') for (const lane of lanes) ordered.add(lane);
    for (const lane of this.lanes) ordered.add(lane);
    return [...ordered];
  }

  /** The last item with a lane: its own, or a closed one that it is in. @param {Lane} lane */
  innermost(lane) {
    return this.items.map(({lanes}) => lanes.includes(lane)).lastIndexOf(true);
  }

  /** @param {string} key @param {boolean} isOpenAtFirst */
  isOpen(key, isOpenAtFirst) {
    return isOpenAtFirst !== this.toggled.has(key);
  }

  /** @param {Omit<Item, 'top'|'bottom'>} item @param {number} height */
  add(item, height) {
    const top = this.height;
    this.height += height + GAP;
    this.items.push({...item, top, bottom: this.height});
  }

  /** @param {number} pid @param {Lane[]} busy @param {Lane[]} idle */
  addProcess(pid, busy, idle) {
    const key = `p${pid}`;
    const isOpen = this.isOpen(key, true);
    const lanes = [...busy, ...idle];
    const height = isOpen ? HEADING - GAP : HEADING + TRACK;
    this.add({kind: 'process', key, lanes, isInner: false, isOpen}, height);
    if (!isOpen) return;
    for (const lane of busy) this.addLane(lane, true);
    this.addIdle(`i${pid}`, idle, true);
  }

  /** @param {string} key @param {Lane[]} lanes @param {boolean} isInner */
  addIdle(key, lanes, isInner) {
    if (lanes.length === 0) return;
    const isOpen = this.isOpen(key, false);
    this.add({kind: 'idle', key, lanes, isInner, isOpen}, HEADING);
    if (isOpen) for (const lane of lanes) this.addLane(lane, isInner);
  }

  /** @param {Lane} lane @param {boolean} isInner */
  addLane(lane, isInner) {
    const key = `t${lane.thread}`;
    const isOpen = this.isOpen(key, this.opened < FIRST_OPEN);
    ++this.opened;
    const rows = isOpen ? this.rowsOf(lane).count * this.row : 0;
    this.add({kind: 'lane', key, lanes: [lane], isInner, isOpen}, HEADING + TRACK + rows);
  }

  /** @param {Lane} lane */
  rowsOf(lane) {
    let rows = this.rows.get(lane);
    if (!rows) {
      const {data, shape, depths, most, isWhole} = this;
      rows = new LaneRows(data, shape, depths, lane, {most, isWhole});
      this.rows.set(lane, rows);
    }
    return rows;
  }

  /** The items that are visible at least in part. @param {number} top @param {number} bottom */
  itemsWithin(top, bottom) {
    const first = Math.max(firstAbove(this.tops, top) - 1, 0);
    const end = firstAbove(this.tops, bottom);
    return this.items.slice(first, end).filter(item => item.bottom > top);
  }

  /**
   * The item at a height, and the row of its lane; HEADING_ROW, TRACK_ROW: what is above the rows.
   * @param {number} y
   */
  at(y) {
    const [item] = this.itemsWithin(y, y);
    if (!item) return null;
    const below = y - item.top;
    if (below < HEADING) return {item, row: HEADING_ROW};
    if (below < HEADING + TRACK) return {item, row: TRACK_ROW};
    return {item, row: Math.floor((below - HEADING - TRACK) / this.row)};
  }
}

export const HEADING_ROW = -2;
export const TRACK_ROW = -1;
