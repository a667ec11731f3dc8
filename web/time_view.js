// SPDX-License-Identifier: Apache-2.0
// Samples over time: a lane for each thread, with an axis above.
import {isTimeOffered, noTimeView} from './about_view.js';
import {button, choice, el, oncePerFrame} from './dom.js';
import {panned, scaled, within} from './gestures.js';
import {amount, clamp, moment, percent} from './numbers.js';
import {choiceField, rangeField} from './state.js';
import {TimeDrawing, timeSvg} from './time_draw.js';
import {listenToTime} from './time_input.js';
import {AXIS, TimeLayout} from './time_layout.js';

/** @typedef {import('./app.js').App} App */
/** @typedef {[number, number]} Range */
/**
 * @typedef {object} TimeState
 * @property {Range|null} lanes the visible ticks; null: all
 * @property {number} rows of a lane; 0: all
 */

const TIME_LABEL =
  'Samples over time, a lane for each thread. Arrow keys move, plus and minus zoom, ' +
  'brackets go from sample to sample, Page Up and Page Down from thread to thread, ' +
  'Enter selects the visible range';

const NOTHING = {lane: -1, box: -1};

export class TimeView {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this.layout = new TimeLayout(app);
    /** The visible ticks. @type {Range} */
    this.visible = [0, app.data.duration];
    /** The range that is being selected. @type {Range|null} */
    this.pending = null;
    this.hovered = NOTHING;
    /** The sample that keys move; -1: none yet. */
    this.cursor = {lane: 0, sample: -1};
    /** @type {HTMLCanvasElement} */
    this.picture = el('canvas', {tabIndex: 0, role: 'img', 'aria-label': TIME_LABEL});
    this.spacer = el('div', {className: 'spacer'});
    /** @type {HTMLElement} */
    this.stage = el('div', {className: 'stage'}, this.picture, this.spacer);
    this.rowsChoice = choice(
      'Rows of a lane',
      [
        ['0', 'all rows'],
        ['8', '8 rows each'],
        ['1', '1 row each'],
      ],
      '0',
      value => app.set({rows: Number(value)}),
    );
    this.element = el('div', {className: 'half'}, this.bar(), this.stage);
    this.drawing = new TimeDrawing(this);
    this.redraw = oncePerFrame(() => this.drawing.draw());
    this.sizes = new ResizeObserver(() => this.drawing.draw());
    this.sizes.observe(this.stage);
    listenToTime(this);
  }

  bar() {
    const hint = 'Drag to move, Ctrl-wheel to zoom, Shift-drag to select a range.';
    return el(
      'div',
      {className: 'bar'},
      button('Select the visible range', () => this.selectVisible()),
      button('Show all', () => this.showAll()),
      el('span', {className: 'quiet', textContent: hint}),
      this.rowsChoice,
    );
  }

  show() {
    const {app} = this;
    if (!this.layout.isCurrent(app)) {
      this.cursor = {lane: 0, sample: -1};
      this.hovered = NOTHING;
      this.layout = new TimeLayout(app);
    }
    this.rowsChoice.value = String(app.state.rows);
    this.spacer.style.height = `${this.layout.height}px`;
    this.visible = this.inRecording(app.state.lanes ?? [0, app.data.duration]);
    this.drawing.draw();
  }

  // --- moving

  /** @param {Range} ticks */
  inRecording(ticks) {
    return within(ticks, 1, this.app.data.duration);
  }

  /** @param {Range} ticks */
  go(ticks) {
    const {app} = this;
    this.visible = this.inRecording(ticks);
    const isAll = this.visible[1] - this.visible[0] === app.data.duration;
    app.state.lanes = isAll ? null : this.visible;
    app.rememberSoon();
    this.redraw();
  }

  showAll() {
    this.go([0, this.app.data.duration]);
  }

  /** @param {number} factor @param {number} at what stays in place, 0 to 1 of the width */
  scale(factor, at) {
    this.go(scaled(this.visible, factor, at));
  }

  /** @param {number} share of the visible ticks */
  pan(share) {
    this.go(panned(this.visible, share));
  }

  /** @param {number} rows */
  scrollRows(rows) {
    this.stage.scrollTop += rows * this.layout.row;
  }

  /** @param {number} by */
  goToSample(by) {
    const {cursor, app} = this;
    const lane = this.layout.lanes[cursor.lane];
    if (!lane) return;
    const [from, to] = this.visible;
    const first = lane.begin.findIndex(tick => tick >= from);
    const next = cursor.sample < 0 ? first : cursor.sample + by;
    cursor.sample = clamp(next, lane.samples.length - 1);
    const tick = lane.begin[cursor.sample];
    if (tick < from || tick >= to) this.go([tick - (to - from) / 2, tick + (to - from) / 2]);
    const box = app.shape.map[app.data.sampleNode[lane.samples[cursor.sample]]];
    this.hovered = {lane: cursor.lane, box};
    const place = this.placeText(tick, app.data.meta.tick_ns, cursor.lane);
    if (box > 0) app.tips.announce(`${app.painter.name(app.shape.func[box])} · ${place}`);
    this.redraw();
  }

  /** @param {number} by */
  goToLane(by) {
    const {tops, lanes} = this.layout;
    this.cursor = {lane: clamp(this.cursor.lane + by, lanes.length - 1), sample: -1};
    this.stage.scrollTop = (tops[this.cursor.lane] ?? AXIS) - AXIS;
    this.goToSample(0);
  }

  // --- the pointer

  /** Where the pointer is, 0 to 1 of the width. @param {MouseEvent} event */
  shareAt(event) {
    return (event.clientX - this.picture.getBoundingClientRect().left) / this.stage.clientWidth;
  }

  /** @param {MouseEvent} event */
  tickAt(event) {
    const [from, to] = this.visible;
    return from + this.shareAt(event) * (to - from);
  }

  /** The lane and the box under the pointer. @param {MouseEvent} event */
  at(event) {
    const {stage, visible} = this;
    const y = event.clientY - this.picture.getBoundingClientRect().top;
    if (y < AXIS) return NOTHING;
    const pixelTicks = (visible[1] - visible[0]) / stage.clientWidth;
    return this.layout.at(y + stage.scrollTop, this.tickAt(event), pixelTicks);
  }

  /** @param {MouseEvent} event */
  hover(event) {
    const {app, visible} = this;
    const found = this.at(event);
    if (found.box !== this.hovered.box) {
      this.hovered = found;
      this.redraw();
    }
    if (found.box < 0) {
      app.tips.hide();
      return;
    }
    const {tree} = app;
    const step = ((visible[1] - visible[0]) * app.data.meta.tick_ns) / 1000;
    const total = tree.total[found.box];
    const share = percent(total / (tree.total[0] || 1));
    const lines = [
      this.placeText(this.tickAt(event), step, found.lane),
      `this stack in total: ${amount(total, tree.decimals)} ${app.unit}, ${share}`,
    ];
    app.tips.show(app.painter.name(tree.shape.func[found.box]), lines, event);
  }

  /** @param {number} tick @param {number} step in ns, how exact the time is @param {number} lane */
  placeText(tick, step, lane) {
    const {app} = this;
    const time = moment(tick * app.data.meta.tick_ns, step, app.data.clock);
    return `at ${time} in ${app.threadName(this.layout.lanes[lane].thread)}`;
  }

  leave() {
    this.hovered = NOTHING;
    this.app.tips.hide();
    this.redraw();
  }

  /** @param {MouseEvent} event */
  openMenu(event) {
    const {app} = this;
    const {box} = this.at(event);
    if (box <= 0) return;
    event.preventDefault();
    app.tips.hide();
    app.functionMenu(app.shape.func[box], event.clientX, event.clientY);
  }

  func() {
    return this.hovered.box > 0 ? this.app.shape.func[this.hovered.box] : -1;
  }

  // --- selecting a range

  selectVisible() {
    const [from, to] = this.visible;
    this.app.set({range: [Math.floor(from), Math.ceil(to)]});
  }

  /** Selects from one tick to another, in either order. @param {number} a @param {number} b */
  selectTo(a, b) {
    this.pending = [Math.max(0, Math.floor(Math.min(a, b))), Math.ceil(Math.max(a, b))];
    this.redraw();
  }

  endSelection() {
    const range = this.pending;
    this.pending = null;
    if (range && range[1] > range[0]) this.app.set({range});
  }

  /** @param {string} title */
  svg(title) {
    return timeSvg(this, title);
  }

  remove() {
    this.sizes.disconnect();
  }
}

/** @type {import('./views.js').ViewKind} */
export const TIME_VIEW = {
  id: 'time',
  title: 'Time',
  make: app => (app.data.meta.has_time ? new TimeView(app) : noTimeView()),
  isOffered: isTimeOffered,
  showsTime: true,
  fields: [choiceField('rows', 0, [1, 8]), rangeField('lanes', 'lanes', Math.round)],
  keys: [
    ['drag', 'move; with Shift, select a range'],
    ['Enter', 'select the visible range'],
    ['[ ]', 'from sample to sample'],
    ['Page Up, Down', 'from thread to thread'],
  ],
};
