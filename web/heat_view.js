// SPDX-License-Identifier: Apache-2.0
// The heat map, and below it the flame graph of the range that is selected in it. A second range,
// selected with Shift, is the one to compare with.
import {isTimeOffered, noTimeView} from './about_view.js';
import {el} from './dom.js';
import {svgPage, svgText, svgTree} from './export.js';
import {treeCanvas} from './flame_view.js';
import {hasCommandKey} from './gestures.js';
import {cellRange, eachColumn, heatMap} from './heat.js';
import {amount, clamp, duration, moment, percent, timeMarks} from './numbers.js';
import {fitCanvas} from './pixels.js';

/** @typedef {import('./app.js').App} App */
/** @typedef {[number, number]} Range */
/** @typedef {{left: number, top: number, width: number, height: number}} Place */

const HEAT_LABEL =
  'Heat map: columns are time, rows are fractions of a column. Arrow keys move, ' +
  'Space starts and ends a range, b makes it the range to compare with';
const MAP_HEIGHT = 200;
const AXIS_HEIGHT = 18;
const HEIGHT = MAP_HEIGHT + AXIS_HEIGHT;
const BASELINE_COLOR = '#888';
/** On the white paper of an SVG. */
const RANGE_COLOR = '#0550ae';
const RANGE_ALPHA = 0.28;

/** Low, middle and high. */
const LIGHT_SHADES = [
  [255, 243, 224],
  [240, 110, 30],
  [122, 4, 3],
];
const DARK_SHADES = [
  [44, 36, 34],
  [214, 84, 36],
  [255, 214, 120],
];

/**
 * Light to dark, or dark to light: lightness alone shows how much.
 * @param {number} share @param {boolean} dark
 */
function shade(share, dark) {
  const [low, middle, high] = dark ? DARK_SHADES : LIGHT_SHADES;
  const t = Math.sqrt(share);
  const [from, to, at] = t < 0.5 ? [low, middle, t * 2] : [middle, high, t * 2 - 1];
  return `rgb(${from.map((c, i) => Math.round(c + (to[i] - c) * at)).join(',')})`;
}

/** What the map depends on. @param {App} app */
function heatKey({state}) {
  const {event, threads, cpu} = state;
  return JSON.stringify([event, threads, cpu]);
}

class HeatView {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this.map = heatMap(app.data, app.filter);
    this.mapKey = heatKey(app);
    /** The cell that keys move, and the one where a range begins; -1: none. */
    this.cursor = -1;
    this.anchor = -1;
    /** The range that is being selected, and whether it is the one to compare with. */
    /** @type {Range|null} */
    this.pending = null;
    this.isBaseline = false;
    this.mapCanvas = el('canvas', {tabIndex: 0, role: 'img', 'aria-label': HEAT_LABEL});
    this.context = /** @type {CanvasRenderingContext2D} */ (this.mapCanvas.getContext('2d'));
    this.box = el('div', {className: 'heat'}, this.mapCanvas);
    this.hint = el('span', {className: 'quiet', role: 'status'});
    this.canvas = treeCanvas(app, {label: 'Flame graph of the selected range', rootAtTop: false});
    const bar = el('div', {className: 'bar'}, this.hint);
    this.element = el('div', {className: 'half'}, this.box, bar, this.canvas.element);
    this.sizes = new ResizeObserver(() => this.draw());
    this.sizes.observe(this.box);
    this.showHint(-1);
    this.listen();
  }

  show() {
    const {app} = this;
    if (heatKey(app) !== this.mapKey) {
      this.mapKey = heatKey(app);
      this.map = heatMap(app.data, app.filter);
      this.cursor = this.anchor = -1;
      this.pending = null;
      this.showHint(-1);
    }
    this.draw();
    this.canvas.show(app.tree, app.state.zoom, app.state.window);
  }

  // --- text

  /** @param {number} cell -1: none */
  showHint(cell) {
    this.hint.textContent = cell < 0 ? this.generalHint() : this.cellHint(cell);
  }

  generalHint() {
    const {map, app} = this;
    const lasting = (/** @type {number} */ ticks) =>
      duration(ticks * app.data.meta.tick_ns, app.data.clock);
    return (
      `A column is ${lasting(map.columnTicks)}, a cell ${lasting(map.cellTicks)}. ` +
      'Drag across cells to select a range; with Shift, to select the range to compare with.'
    );
  }

  /** @param {number} cell */
  cellHint(cell) {
    const {map, app} = this;
    const {clock, meta} = app.data;
    const cellNs = map.cellTicks * meta.tick_ns;
    const weight = map.weights[cell];
    const sum = map.weights.reduce((a, b) => a + b, 0);
    const value = amount(weight, clock ? 0 : app.tree.decimals);
    const share = percent(weight / (sum || 1));
    return `${moment(cell * cellNs, cellNs, clock)}: ${value} ${clock || app.unit}, ${share}`;
  }

  /** The marks of the axis. @param {number} width */
  marks(width) {
    const {map, app} = this;
    const ns = map.columns * map.columnTicks * app.data.meta.tick_ns;
    return timeMarks(0, ns, width, app.data.clock);
  }

  // --- drawing

  /**
   * Where cells of a column are drawn.
   * @param {number} column @param {number} row the lowest @param {number} rows
   * @param {number} width of the map @returns {Place}
   */
  placeOf(column, row, rows, width) {
    const cellWidth = width / this.map.columns;
    const cellHeight = MAP_HEIGHT / this.map.rows;
    return {
      left: column * cellWidth,
      top: (this.map.rows - row - rows) * cellHeight,
      width: cellWidth,
      height: rows * cellHeight,
    };
  }

  /**
   * Calls `each` for the cells with a weight.
   * @param {number} width @param {(share: number, place: Place) => void} each
   */
  eachCell(width, each) {
    const {rows, weights, largest} = this.map;
    weights.forEach((weight, cell) => {
      if (weight === 0) return;
      each(weight / largest, this.placeOf(Math.floor(cell / rows), cell % rows, 1, width));
    });
  }

  draw() {
    const {app, context} = this;
    const width = this.box.clientWidth;
    if (width === 0) return;
    const theme = app.theme();
    const ratio = fitCanvas(this.mapCanvas, width, HEIGHT);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.fillStyle = theme.paper;
    context.fillRect(0, 0, width, HEIGHT);
    this.drawAxis(width, theme.faint);
    this.eachCell(width, (share, {left, top, width: w, height: h}) => {
      context.fillStyle = shade(share, theme.dark);
      // Cells that are large enough have a gap between them.
      context.fillRect(left, top, w > 3 ? w - 0.5 : w + 0.2, h > 3 ? h - 0.5 : h + 0.2);
    });
    const {baseline, range} = app.state;
    if (baseline) this.drawRange(baseline, BASELINE_COLOR);
    if (range) this.drawRange(range, theme.ring);
    if (this.pending) this.drawRange(this.pending, this.isBaseline ? BASELINE_COLOR : theme.ring);
    if (this.cursor >= 0) this.drawCursor(theme.ink);
  }

  /** @param {number} width @param {string} color */
  drawAxis(width, color) {
    const {context} = this;
    context.font = '12px sans-serif';
    context.textBaseline = 'middle';
    context.fillStyle = color;
    for (const {x, text} of this.marks(width)) {
      context.fillRect(x, MAP_HEIGHT, 1, 5);
      context.fillText(text, x + 3, MAP_HEIGHT + AXIS_HEIGHT / 2 + 1);
    }
  }

  /** @param {Range} range @param {string} color */
  drawRange(range, color) {
    const {context} = this;
    context.fillStyle = color;
    eachColumn(this.map, range, (column, row, rows) => {
      const {left, top, width, height} = this.placeOf(column, row, rows, this.box.clientWidth);
      context.globalAlpha = RANGE_ALPHA;
      context.fillRect(left, top, width, height);
      context.globalAlpha = 1;
      context.fillRect(left, top, width, 1.5);
      context.fillRect(left, top + height - 1.5, width, 1.5);
    });
  }

  /** @param {string} color */
  drawCursor(color) {
    const {cursor, context} = this;
    const {rows} = this.map;
    const column = Math.floor(cursor / rows);
    const place = this.placeOf(column, cursor % rows, 1, this.box.clientWidth);
    context.strokeStyle = color;
    context.lineWidth = 1.5;
    const [width, height] = [Math.max(place.width, 3), Math.max(place.height, 3)];
    context.strokeRect(place.left, place.top, width, height);
  }

  /** The map, its ranges and the flame graph, in light colours. @param {string} title */
  svg(title) {
    const {app, canvas} = this;
    const {painter, unit} = app;
    const width = Math.max(canvas.width, 800);
    const mapTop = 30;
    const bottom = mapTop + HEIGHT;
    const {tree, window} = canvas;
    const flame = tree
      ? svgTree(painter, tree, {window, rootAtTop: false, width, top: bottom + 10, count: unit})
      : {parts: [], bottom};
    const parts = [...this.svgCells(width, mapTop), ...this.svgRanges(width, mapTop)];
    for (const {x, text} of this.marks(width)) parts.push(svgText(text, x + 3, bottom - 5));
    return svgPage(painter, title, width, flame.bottom + 10, parts.concat(flame.parts));
  }

  /** @param {number} width @param {number} top */
  svgCells(width, top) {
    /** @type {string[]} */
    const parts = [];
    this.eachCell(width, (share, place) =>
      parts.push(svgRect(place, top, `fill="${shade(share, false)}"`)),
    );
    return parts;
  }

  /** @param {number} width @param {number} top */
  svgRanges(width, top) {
    const {baseline, range} = this.app.state;
    /** @type {string[]} */
    const parts = [];
    const add = (/** @type {Range|null} */ some, /** @type {string} */ color) => {
      if (!some) return;
      const look = `class="range" fill="${color}" fill-opacity="${RANGE_ALPHA}"`;
      eachColumn(this.map, some, (column, row, rows) =>
        parts.push(svgRect(this.placeOf(column, row, rows, width), top, look)),
      );
    };
    add(baseline, BASELINE_COLOR);
    add(range, RANGE_COLOR);
    return parts;
  }

  // --- selecting ranges

  listen() {
    /** @type {HTMLCanvasElement} */
    const canvas = this.mapCanvas;
    canvas.addEventListener('pointerdown', event => {
      if (event.button !== 0) return;
      this.anchor = this.cellAt(event);
      this.isBaseline = event.shiftKey;
      canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener('pointermove', event => {
      const cell = this.cellAt(event);
      this.showHint(cell);
      if (this.anchor < 0 || !(event.buttons & 1)) return;
      this.pending = cellRange(this.map, this.anchor, cell);
      this.draw();
    });
    canvas.addEventListener('pointerup', event => {
      if (this.anchor >= 0) this.choose(this.cellAt(event));
    });
    canvas.addEventListener('pointerleave', () => this.showHint(this.cursor));
    canvas.addEventListener('keydown', event => {
      if (this.pressKey(event)) event.preventDefault();
    });
  }

  /** @param {MouseEvent} event */
  cellAt(event) {
    const {columns, rows} = this.map;
    const bounds = this.mapCanvas.getBoundingClientRect();
    const cell = this.placeOf(0, 0, 1, this.box.clientWidth);
    const column = Math.floor((event.clientX - bounds.left) / cell.width);
    const row = rows - 1 - Math.floor((event.clientY - bounds.top) / cell.height);
    return clamp(column, columns - 1) * rows + clamp(row, rows - 1);
  }

  /** Ends the range at a cell. @param {number} cell */
  choose(cell) {
    const range = cellRange(this.map, this.anchor, cell);
    this.anchor = -1;
    this.pending = null;
    const change = this.isBaseline ? {baseline: range} : {range};
    this.app.set({...change, zoom: 0, window: null});
  }

  /** Returns whether the key has a meaning here. @param {KeyboardEvent} event */
  pressKey(event) {
    const {key} = event;
    const {range} = this.app.state;
    if (hasCommandKey(event)) return false;
    if (key === 'b' && range) {
      this.app.set({baseline: range, range: null, zoom: 0, window: null});
      return true;
    }
    const isMark = key === ' ' || key === 'Enter';
    const at = Math.max(this.cursor, 0);
    if (isMark && this.anchor >= 0) {
      this.choose(at);
      return true;
    }
    if (isMark) {
      this.anchor = at;
      this.isBaseline = event.shiftKey;
      this.pending = cellRange(this.map, at, at);
    } else if (!this.moveCursor(key)) return false;
    this.showHint(this.cursor);
    this.draw();
    return true;
  }

  /** @param {string} key */
  moveCursor(key) {
    const {rows, weights} = this.map;
    const last = weights.length - 1;
    const at = Math.max(this.cursor, 0);
    const to = {
      ArrowUp: at + 1,
      ArrowDown: at - 1,
      ArrowRight: at + rows,
      ArrowLeft: at - rows,
      Home: 0,
      End: last,
    }[key];
    if (to === undefined) return false;
    this.cursor = this.cursor < 0 ? 0 : clamp(to, last);
    if (this.anchor >= 0) this.pending = cellRange(this.map, this.anchor, this.cursor);
    return true;
  }

  escape() {
    if (this.anchor < 0) return false;
    this.anchor = -1;
    this.pending = null;
    this.draw();
    return true;
  }

  remove() {
    this.sizes.disconnect();
    this.canvas.remove();
  }
}

/** @param {Place} place @param {number} down how far it is moved @param {string} look attributes */
function svgRect({left, top, width, height}, down, look) {
  const [x, y, w, h] = [left, down + top, width, height].map(n => n.toFixed(2));
  return `<rect x="${x}" y="${y}" width="${w}" height="${h}" ${look}/>\n`;
}

/** @type {import('./views.js').ViewKind} */
export const HEAT_VIEW = {
  id: 'heat',
  title: 'Heat map',
  make: app => (app.data.meta.has_time ? new HeatView(app) : noTimeView()),
  isOffered: isTimeOffered,
  showsTime: true,
  addsTimes: true,
  keys: [
    ['drag', 'select a range; with Shift, the range to compare with'],
    ['arrows, Space', 'move between cells; start and end a range'],
    ['b', 'make the range the one to compare with'],
  ],
};
