// SPDX-License-Identifier: Apache-2.0
// Samples over time: processes, what their threads do, and the stacks of each.
import {isTimeOffered, noTimeView} from './about_view.js';
import {ACTIVITIES} from './activity.js';
import {css} from './color.js';
import {button, choice, el, oncePerFrame, pictureCanvas, swatch} from './dom.js';
import {panned, scaled, within} from './gestures.js';
import {activityColumns, firstAbove} from './lanes.js';
import {clamp, countText, duration, moment, percent, quantityText} from './numbers.js';
import {shareOf, wholeName} from './shares.js';
import {choiceField, flagField, keptField, rangeField, wordsField} from './state.js';
import {headingOf, TimeDrawing, timeSvg} from './time_draw.js';
import {listenToTime} from './time_input.js';
import {AXIS, HEADING_ROW, TimeLayout, TRACK_ROW} from './time_layout.js';
import {matchesInTime} from './time_walk.js';
import {pathTo} from './tree.js';

/** @typedef {import('./app.js').App} App */
/** @typedef {import('./lane_rows.js').Slice} Slice */
/** @typedef {import('./lanes.js').Lane} Lane */
/** @typedef {import('./time_layout.js').Item} Item */
/** @typedef {[number, number]} Range */
/**
 * @typedef {object} TimeState
 * @property {Range|null} lanes the visible ticks; null: all
 * @property {number} rows of a lane; 0: all
 * @property {boolean} callers rows begin at the root
 * @property {string[]} folds keys of items that are not open or closed as they are at first
 */
/**
 * A place in the view. The slice is there if the row is one of a stack that has something in it.
 * @typedef {object} Place
 * @property {Item|null} item
 * @property {Lane|null} lane
 * @property {number} row
 * @property {number} sample of the lane
 * @property {Slice|null} slice
 */

const TIME_LABEL =
  'Samples over time, a lane for each thread. Arrow keys move, plus and minus zoom, ' +
  'brackets go from sample to sample, Page Up and Page Down from thread to thread, ' +
  'Space opens and closes a thread, Enter selects the visible range';

/** @type {Place} */
const NOTHING = {item: null, lane: null, row: HEADING_ROW, sample: -1, slice: null};

/** The room beside a slice that is zoomed to, as a share of it. */
const MARGIN = 0.05;

/** The stack has at most this share of the height (.stack in style.css). */
const STACK_SHARE = 0.35;

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
    this.hovered = NOTHING;
    this.selected = NOTHING;
    /** The item that keys act on. */
    this.cursor = 0;
    /** @type {HTMLCanvasElement} */
    this.picture = pictureCanvas(TIME_LABEL);
    this.spacer = el('div', {className: 'spacer'});
    /** @type {HTMLElement} */
    this.stage = el('div', {className: 'stage'}, this.picture, this.spacer);
    this.rowsChoice = choice(
      'Rows of a lane',
      [
        ['0', 'all rows'],
        ['16', '16 rows each'],
        ['8', '8 rows each'],
        ['1', '1 row each'],
      ],
      '16',
      value => app.set({rows: Number(value)}),
    );
    this.callersButton = button('Common callers', () => app.set({callers: !app.state.callers}), {
      title: 'Show the callers that nearly all stacks of a thread have',
    });
    this.legend = el('span', {className: 'legend'});
    /** The stack of the selected sample. @type {HTMLElement} */
    this.stack = el('div', {
      className: 'stack',
      hidden: true,
      role: 'region',
      'aria-label': 'Stack of the selected sample',
    });
    this.element = el('div', {className: 'half'}, this.bar(), this.stage, this.stack);
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
      this.rowsChoice,
      this.callersButton,
      this.legend,
      el('span', {className: 'quiet hint', textContent: hint}),
    );
  }

  show() {
    const {app} = this;
    if (!this.layout.isCurrent(app)) {
      const {lanes} = this.layout;
      this.layout = new TimeLayout(app, this.layout);
      this.hovered = NOTHING;
      this.cursor = clamp(this.cursor, this.layout.items.length - 1);
      if (lanes !== this.layout.lanes) this.select(NOTHING);
    }
    this.rowsChoice.value = String(app.state.rows);
    this.callersButton.setAttribute('aria-pressed', String(app.state.callers));
    this.spacer.style.height = `${this.layout.height}px`;
    this.visible = this.inRecording(app.state.lanes ?? [0, app.data.duration]);
    this.showLegend();
    this.drawing.draw();
  }

  /** What the colours of tracks mean, of those that there are. */
  showLegend() {
    const {dark} = this.app.theme();
    const used = ACTIVITIES.filter((_, k) => this.layout.lanes.some(({track}) => track.all[k] > 0));
    this.legend.replaceChildren(
      ...used.map(activity => {
        const color = swatch(css(dark ? activity.dark : activity.light));
        return el('span', {}, color, activity.title);
      }),
    );
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
    if (!found) return NOTHING;
    const {item, row} = found;
    const lane = item.kind === 'lane' ? item.lanes[0] : null;
    const place = {item, lane, row, sample: -1, slice: null};
    if (!lane || !item.isOpen || row < 0) return place;
    const rows = this.layout.rowsOf(lane);
    const sample = rows.sampleAt(this.tickAt(event), this.pixelTicks);
    const box = sample < 0 || row >= rows.count ? -1 : rows.boxAt(sample, row);
    if (box <= 0) return {...place, sample};
    // The pointer moves within a slice often.
    const {slice} = this.hovered;
    const isSame = lane === this.hovered.lane && slice?.box === box;
    const isWithin = isSame && sample >= slice.first && sample <= slice.last;
    return {...place, sample, slice: isWithin ? slice : rows.sliceAt(sample, box)};
  }

  /** @param {MouseEvent} event */
  hover(event) {
    const place = this.at(event);
    const isNew = place.slice !== this.hovered.slice;
    this.hovered = place;
    if (isNew) this.redraw();
    const {tips} = this.app;
    if (place.slice) {
      const [head, ...lines] = this.sliceLines(place);
      tips.show(head, lines, event);
    } else if (place.item && place.row === TRACK_ROW && place.item.kind !== 'idle') {
      tips.show(headingOf(this, place.item).name, this.trackLines(place.item, event), event);
    } else tips.hide();
  }

  /**
   * The name of a slice, its own begin and duration, its thread, and what its stack weighs.
   * @param {Place} place with a slice
   */
  sliceLines({lane, slice}) {
    if (!lane || !slice) return [];
    const {app} = this;
    const {tree, data, painter} = app;
    const {box, first, last, begin, end} = slice;
    const total = tree.total[box];
    const share = `${percent(shareOf(tree, total))} of ${wholeName(app.filter)}`;
    const lines = [
      painter.name(tree.shape.func[box]),
      `${this.spanText(begin, end)} in ${app.threadName(data.sampleThread[lane.samples[first]])}`,
    ];
    if (last > first && !data.clock) lines.push(`${countText(last - first + 1, 'sample')}`);
    const narrow = this.narrowSlices(lane, box, begin, end);
    if (narrow > 1) lines.push(`one of ${countText(narrow, 'slice')} in this pixel`);
    lines.push(`this stack in total: ${quantityText(tree, total)}, ${share}`);
    return lines;
  }

  /** "at 0.12 s, for 60 ms". @param {number} begin @param {number} end ticks */
  spanText(begin, end) {
    const {meta, clock} = this.app.data;
    const ns = (end - begin) * meta.tick_ns;
    const at = moment(begin * meta.tick_ns, Math.max(ns / 100, meta.tick_ns), clock);
    return `at ${at} for ${duration(ns, clock)}`;
  }

  /**
   * How many slices begin in the pixel of one that is narrower than it; 0: it is not.
   * @param {Lane} lane @param {number} box @param {number} begin @param {number} end
   */
  narrowSlices(lane, box, begin, end) {
    const {pixelTicks, visible} = this;
    if (end - begin >= pixelTicks) return 0;
    const left = visible[0] + Math.floor((begin - visible[0]) / pixelTicks) * pixelTicks;
    const from = firstAbove(lane.end, left);
    const to = firstAbove(lane.begin, left + pixelTicks, from);
    const rows = this.layout.rowsOf(lane);
    const row = rows.rowOf(box);
    let slices = 0;
    for (let i = from, before = -1; i < to; ++i) {
      const here = rows.boxAt(i, row);
      if (here > 0 && here !== before) ++slices;
      before = here;
    }
    return slices;
  }

  /** What a track shows at the pointer. @param {Item} item @param {MouseEvent} event */
  trackLines({lanes}, event) {
    const {data} = this.app;
    const {pixelTicks, visible} = this;
    const column = Math.floor(this.shareAt(event) * this.stage.clientWidth);
    const begin = visible[0] + column * pixelTicks;
    const sums = new Float64Array(ACTIVITIES.length);
    for (const {track} of lanes) {
      const ticks = activityColumns(track, begin, begin + pixelTicks, 1);
      for (let k = 0; k < sums.length; ++k) sums[k] += ticks[k];
    }
    const whole = pixelTicks * lanes.length;
    const shares = ACTIVITIES.map(({title}, k) => ({title, share: sums[k] / whole}));
    return [
      this.spanText(begin, begin + pixelTicks),
      ...shares
        .filter(({share}) => share > 0)
        .map(({title, share}) => `${title}: ${percent(share)}`),
      ...(sums.every(ticks => ticks === 0) ? [data.clock ? 'not running' : 'no samples'] : []),
    ];
  }

  leave() {
    this.hovered = NOTHING;
    this.app.tips.hide();
    this.redraw();
  }

  /** @param {MouseEvent} event */
  click(event) {
    const place = this.at(event);
    if (place.item) this.cursor = this.layout.items.indexOf(place.item);
    if (place.item && place.row === HEADING_ROW) this.toggle(place.item);
    else if (this.isCovered(event)) setTimeout(() => this.select(place), DOUBLE_CLICK_MS);
    else this.select(place);
  }

  /**
   * Whether the stack would be where the pointer is, so that the second of two clicks would miss.
   * @param {MouseEvent} event
   */
  isCovered({clientY}) {
    const {top, height} = this.element.getBoundingClientRect();
    return this.stack.hidden && clientY > top + height * (1 - STACK_SHARE);
  }

  /** Selects a slice and shows the stack of its sample. @param {Place} place */
  select(place) {
    this.selected = place.slice ? place : NOTHING;
    this.showStack();
    this.redraw();
  }

  showStack() {
    const {lane, sample, slice} = this.selected;
    this.stack.hidden = !slice;
    if (!lane || !slice) return;
    const {app} = this;
    const {painter, data, shape} = app;
    const leaf = this.layout.rowsOf(lane).leafOf(sample);
    const frames = pathTo(shape, leaf).reverse();
    const unselect = () => {
      this.select(NOTHING);
      this.picture.focus();
    };
    const close = button('×', unselect, {'aria-label': 'Close the stack'});
    const title = `${this.spanText(lane.begin[sample], lane.end[sample])} in ${app.threadName(
      data.sampleThread[lane.samples[sample]],
    )}`;
    const items = frames.map(box => {
      const f = shape.func[box];
      const open = button(painter.name(f), () => {
        const {left, bottom} = open.getBoundingClientRect();
        app.functionMenu(f, left, bottom);
      });
      if (box === slice.box) open.setAttribute('aria-current', 'true');
      return el('li', {}, open);
    });
    this.stack.replaceChildren(
      el('div', {className: 'bar'}, el('span', {textContent: title}), close),
      el('ol', {}, ...items),
    );
    this.stack.querySelector('[aria-current]')?.scrollIntoView({block: 'nearest'});
  }

  /** @param {MouseEvent} event */
  openMenu(event) {
    const {app} = this;
    const {slice} = this.at(event);
    if (!slice) return;
    event.preventDefault();
    app.tips.hide();
    app.functionMenu(app.shape.func[slice.box], event.clientX, event.clientY);
  }

  func() {
    const {slice} = this.hovered.slice ? this.hovered : this.selected;
    return slice ? this.app.shape.func[slice.box] : -1;
  }

  escape() {
    if (!this.selected.slice) return false;
    this.select(NOTHING);
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
