// SPDX-License-Identifier: Apache-2.0
// Samples over time: processes, what their threads do, and the stacks of each.
import {isTimeOffered, noTimeView} from './about_view.js';
import {el, oncePerFrame, pictureCanvas} from './dom.js';
import {panned, scaled, within} from './gestures.js';
import {clamp} from './numbers.js';
import {choiceField, flagField, keptField, rangeField, wordsField} from './state.js';
import {TimeBar} from './time_bar.js';
import {headingOf, TimeDrawing, timeSvg} from './time_draw.js';
import {listenToTime} from './time_input.js';
import {AXIS, HEADING_ROW, TimeLayout, TRACK_ROW} from './time_layout.js';
import {NOWHERE, placeIn} from './time_place.js';
import {StackPanel} from './time_stack.js';
import {sliceLines, trackLines} from './time_tips.js';
import {matchesInTime} from './time_walk.js';

/** @typedef {import('./app.js').App} App */
/** @typedef {import('./time_layout.js').Item} Item */
/** @typedef {import('./time_place.js').Place} Place */
/** @typedef {[number, number]} Range */
/**
 * @typedef {object} TimeState
 * @property {Range|null} lanes the visible ticks; null: all
 * @property {number} rows of a lane; 0: all
 * @property {boolean} callers rows begin at the root
 * @property {string[]} folds keys of items that are not open or closed as they are at first
 */
const TIME_LABEL =
  'Samples over time, a lane for each thread. Arrow keys move, plus and minus zoom, ' +
  'brackets go from sample to sample, Page Up and Page Down from thread to thread, ' +
  'Space opens and closes a thread, Enter selects the visible range';

/** The room beside a slice that is zoomed to, as a share of it. */
const MARGIN = 0.05;

/** How long after a click the second of a double click may come. */
const DOUBLE_CLICK_MS = 400;

export class TimeView {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this.layout = new TimeLayout(app, null);
    /** The visible ticks. @type {Range} */
    this.visible = [0, app.data.duration];
    /** The range that is being selected. @type {Range|null} */
    this.pending = null;
    this.hovered = NOWHERE;
    this.selected = NOWHERE;
    /** The item that keys act on. */
    this.cursor = 0;
    /** @type {HTMLCanvasElement} */
    this.picture = pictureCanvas(TIME_LABEL);
    this.spacer = el('div', {className: 'spacer'});
    /** @type {HTMLElement} */
    this.stage = el('div', {className: 'stage'}, this.picture, this.spacer);
    this.bar = new TimeBar(this);
    this.stack = new StackPanel(app, () => {
      this.select(NOWHERE);
      this.picture.focus();
    });
    const parts = [this.bar.element, this.stage, this.stack.element];
    this.element = el('div', {className: 'half'}, ...parts);
    this.drawing = new TimeDrawing(this);
    this.redraw = oncePerFrame(() => this.drawing.draw());
    this.sizes = new ResizeObserver(() => this.drawing.isDrawn || this.drawing.draw());
    this.sizes.observe(this.stage);
    listenToTime(this);
  }

  show() {
    const {app} = this;
    if (!this.layout.isCurrent(app)) {
      const {lanes} = this.layout;
      this.layout = new TimeLayout(app, this.layout);
      this.hovered = NOWHERE;
      this.cursor = clamp(this.cursor, this.layout.items.length - 1);
      if (lanes !== this.layout.lanes) this.select(NOWHERE);
    }
    this.spacer.style.height = `${this.layout.height}px`;
    this.visible = this.inRecording(app.state.lanes ?? [0, app.data.duration]);
    this.bar.show();
    this.drawing.draw();
  }

  get cursorItem() {
    return this.layout.items[this.cursor];
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
    app.history.rememberSoon();
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

  /** Zooms to the slice at a place, or else towards it. @param {MouseEvent} event */
  zoomAt(event) {
    const {slice, row} = this.at(event);
    if (row === HEADING_ROW) return;
    if (!slice) {
      this.scale(0.25, this.shareAt(event));
      return;
    }
    const margin = (slice.end - slice.begin) * MARGIN;
    this.go([slice.begin - margin, slice.end + margin]);
  }

  /** @param {number} rows */
  scrollRows(rows) {
    this.stage.scrollTop += rows * this.layout.row;
  }

  /** Opens or closes an item. @param {Item|undefined} item */
  toggle(item) {
    if (!item) return;
    const {app} = this;
    const {folds} = app.state;
    const isToggled = folds.includes(item.key);
    app.adjust({folds: isToggled ? folds.filter(key => key !== item.key) : [...folds, item.key]});
    const now = this.layout.items.find(({key}) => key === item.key);
    if (now) app.tips.announce(`${headingOf(this, now).name}: ${now.isOpen ? 'open' : 'closed'}`);
  }

  matches() {
    return matchesInTime(this);
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

  /** The ticks of a pixel. */
  get pixelTicks() {
    return (this.visible[1] - this.visible[0]) / this.stage.clientWidth;
  }

  /** What is under the pointer. @param {MouseEvent} event @returns {Place} */
  at(event) {
    const y = event.clientY - this.picture.getBoundingClientRect().top;
    const found = y < AXIS ? null : this.layout.at(y + this.stage.scrollTop);
    if (!found) return NOWHERE;
    const {layout, hovered, pixelTicks} = this;
    return placeIn({layout, hovered, pixelTicks}, found, this.tickAt(event));
  }

  /** @param {MouseEvent} event */
  hover(event) {
    const place = this.at(event);
    const isNew = place.slice !== this.hovered.slice;
    this.hovered = place;
    if (isNew) this.redraw();
    const {tips} = this.app;
    if (place.slice) {
      const [head, ...lines] = sliceLines(this, place);
      tips.show(head, lines, event);
    } else if (place.item && place.row === TRACK_ROW && place.item.kind !== 'idle') {
      const column = Math.floor(this.shareAt(event) * this.stage.clientWidth);
      tips.show(headingOf(this, place.item).name, trackLines(this, place.item, column), event);
    } else tips.hide();
  }

  leave() {
    this.hovered = NOWHERE;
    this.app.tips.hide();
    this.redraw();
  }

  /** @param {MouseEvent} event */
  click(event) {
    const place = this.at(event);
    if (place.item) this.cursor = this.layout.items.indexOf(place.item);
    if (place.item && place.row === HEADING_ROW) this.toggle(place.item);
    // The stack would be where the pointer is, and the second of two clicks would miss.
    else if (this.stack.willCover(event.clientY))
      setTimeout(() => this.select(place), DOUBLE_CLICK_MS);
    else this.select(place);
  }

  /** Selects a slice and shows the stack of its sample. @param {Place} place */
  select(place) {
    this.selected = place.slice ? place : NOWHERE;
    const {lane, sample, slice} = this.selected;
    if (lane && slice) {
      const leaf = this.layout.rowsOf(lane).leafOf(sample);
      this.stack.show(lane, sample, leaf, slice.box);
    } else this.stack.hide();
    this.redraw();
  }

  func() {
    const {slice} = this.hovered.slice ? this.hovered : this.selected;
    return slice ? this.app.shape.func[slice.box] : -1;
  }

  escape() {
    if (!this.selected.slice) return false;
    this.select(NOWHERE);
    return true;
  }

  // --- selecting a range

  visibleRange() {
    const [from, to] = this.visible;
    return /** @type {Range} */ ([Math.floor(from), Math.ceil(to)]);
  }

  selectVisible() {
    this.app.set({range: this.visibleRange()});
  }

  compareWithVisible() {
    this.app.set({baseline: this.visibleRange()});
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

  /** @param {import('./export.js').Heading} heading */
  svg(heading) {
    return timeSvg(this, heading);
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
  isColored: true,
  isOffered: isTimeOffered,
  showsTime: true,
  fields: [
    keptField(choiceField('rows', 16, [0, 1, 8, 16])),
    rangeField('lanes', 'lanes', Math.round),
    flagField('callers', 'callers', 'all'),
    wordsField('folds'),
  ],
  keys: [
    ['drag', 'move; with Shift, select a range'],
    ['click', 'show the stack; on a heading, open or close it'],
    ['double click', 'zoom to the slice'],
    ['Enter', 'select the visible range'],
    ['b', 'make the visible range the baseline'],
    ['[ ]', 'from sample to sample'],
    ['Page Up, Down', 'from thread to thread'],
    ['Space', 'open or close the thread or process'],
  ],
};
