// SPDX-License-Identifier: Apache-2.0
// The heat map, and below it the flame graph of the range that is selected in it. A second range,
// selected with Shift, is the baseline that it is compared with.
import {isTimeOffered, noTimeView} from './about_view.js';
import {el, pictureCanvas} from './dom.js';
import {svgPage, svgText, svgTree} from './export.js';
import {treeCanvas} from './flame_view.js';
import {hasCommandKey} from './gestures.js';
import {foundBy} from './found.js';
import {cellRange, eachColumn, heatMap} from './heat.js';
import {shortened} from './names.js';
import {amount, clamp, duration, moment, percent, quantityText, timeMarks} from './numbers.js';
import {fitCanvas} from './pixels.js';
import {pageTheme} from './theme.js';
import {BASELINE_COLOR} from './time_draw.js';

/** @typedef {import('./app.js').App} App */
/** @typedef {[number, number]} Range */
/** @typedef {{left: number, top: number, width: number, height: number}} Place */

const HEAT_LABEL =
  'Heat map: columns are time, rows are fractions of a column. Arrow keys move, ' +
  'Space starts and ends the range, b makes it the baseline';
const MAP_HEIGHT = 200;
const AXIS_HEIGHT = 18;
const HEIGHT = MAP_HEIGHT + AXIS_HEIGHT;
const RAMP_WIDTH = 96;
const RAMP_HEIGHT = 12;
/** The room for the axis of rows, on the left. */
const GUTTER = 52;
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

/** The least value that has a shade. */
const LEAST_SHADE = 0.02;

class HeatView {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this.map = this.madeMap();
    this.made = this.madeOf();
    /** The cell that keys move, and the one where a range begins; -1: none. */
    this.cursor = -1;
    this.anchor = -1;
    /** The range that is being selected, and whether it is the baseline. */
    /** @type {Range|null} */
    this.pending = null;
    this.isBaseline = false;
    this.mapCanvas = pictureCanvas(HEAT_LABEL);
    this.context = /** @type {CanvasRenderingContext2D} */ (this.mapCanvas.getContext('2d'));
    this.box = el('div', {className: 'heat'}, this.mapCanvas);
    this.hint = el('span', {className: 'quiet', role: 'status'});
    this.canvas = treeCanvas(app, {label: 'Flame graph of the selected range', rootAtTop: false});
    this.ramp = el('canvas', {role: 'img', 'aria-label': 'Colours of cells'});
    this.legendLow = el('span');
    this.legendHigh = el('span');
    this.legend = el('span', {className: 'legend'}, this.legendLow, this.ramp, this.legendHigh);
    const bar = el('div', {className: 'bar'}, this.legend, this.hint);
    this.element = el('div', {className: 'half'}, this.box, bar, this.canvas.element);
    this.sizes = new ResizeObserver(() => this.draw());
    this.sizes.observe(this.box);
    this.showHint(-1);
    this.listen();
  }

  /** What the map depends on. */
  madeOf() {
    const {filter, shape, painter, state} = this.app;
    const key = JSON.stringify({...filter, range: null, threads: state.threads});
    return {key, shape, hits: painter.hits};
  }

  /** Of the samples that filters, transforms and the search leave. */
  madeMap() {
    const {app} = this;
    const {data, filter, shape} = app;
    const found = foundBy(app);
    const isWanted = (/** @type {number} */ i) =>
      found ? found.isIn(i) : shape.map[data.sampleNode[i]] >= 0;
    return heatMap(data, {filter, isWanted});
  }

  show() {
    const {app} = this;
    const now = this.madeOf();
    const {key, shape, hits} = this.made;
    if (now.key !== key || now.shape !== shape || now.hits !== hits) {
      this.made = now;
      this.map = this.madeMap();
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
    const {search} = app.state;
    const found = foundBy(app) ? `Stacks that match ${shortened(search)}. ` : '';
    return (
      `${found}A column is ${lasting(map.columnTicks)}, a cell ${lasting(map.cellTicks)}. ` +
      'Drag across cells to select the range; with Shift, the baseline.'
    );
  }

  /** @param {number} cell */
  cellHint(cell) {
    const {map, app} = this;
    const {clock, meta} = app.data;
    const cellNs = map.cellTicks * meta.tick_ns;
    const weight = map.weights[cell];
    const sum = map.weights.reduce((a, b) => a + b, 0);
    const share = percent(weight / (sum || 1));
    return `${moment(cell * cellNs, cellNs, clock)}: ${this.weightText(weight)}, ${share}`;
  }

  /** What a weight is called. @param {number} weight */
  weightText(weight) {
    const {clock} = this.app.data;
    return clock ? `${amount(weight, 0)} ${clock}` : quantityText(this.app.tree, weight);
  }

  /** The marks of the axis. @param {number} width of the map */
  marks(width) {
    const {map, app} = this;
    const ns = map.columns * map.columnTicks * app.data.meta.tick_ns;
    return timeMarks(0, ns, width, app.data.clock);
  }

  /** The marks of the rows: fractions of a column. */
  rowMarks() {
    const {map, app} = this;
    const column = map.columnTicks * app.data.meta.tick_ns;
    return [0, 0.5, 1].map(share => ({
      y: MAP_HEIGHT * (1 - share),
      text: share === 0 ? '0' : `+${duration(column * share, app.data.clock)}`,
    }));
  }

  /** The weights of the ends of the legend, as text. */
  legendEnds() {
    const {full, largest} = this.map;
    return ['0', `${full < largest ? '≥ ' : ''}${this.weightText(full)} per cell`];
  }

  /** The width of the map without its axis. */
  get mapWidth() {
    return this.box.clientWidth - GUTTER;
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
    const {rows, weights, full} = this.map;
    weights.forEach((weight, cell) => {
      if (weight === 0) return;
      const share = Math.min(1, Math.max(weight / full, LEAST_SHADE));
      each(share, this.placeOf(Math.floor(cell / rows), cell % rows, 1, width));
    });
  }

  draw() {
    const {app, context} = this;
    const {mapWidth: width} = this;
    if (width <= 0) return;
    const theme = pageTheme();
    const ratio = fitCanvas(this.mapCanvas, width + GUTTER, HEIGHT);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.fillStyle = theme.paper;
    context.fillRect(0, 0, width + GUTTER, HEIGHT);
    this.drawRowAxis(theme.faint);
    context.setTransform(ratio, 0, 0, ratio, GUTTER * ratio, 0);
    this.drawAxis(width, theme.faint);
    this.eachCell(width, (share, {left, top, width: w, height: h}) => {
      context.fillStyle = shade(share, theme.dark);
      // Cells that are large enough have a gap between them.
      context.fillRect(left, top, w > 3 ? w - 0.5 : w + 0.2, h > 3 ? h - 0.5 : h + 0.2);
    });
    const {baseline, range} = app.state;
    if (baseline) this.drawRange(baseline, 'baseline', BASELINE_COLOR);
    if (range) this.drawRange(range, 'range', theme.ring);
    if (this.pending && this.isBaseline) this.drawRange(this.pending, 'baseline', BASELINE_COLOR);
    else if (this.pending) this.drawRange(this.pending, 'range', theme.ring);
    if (this.cursor >= 0) this.drawCursor(theme.ink);
    this.drawLegend();
  }

  /** The shades and what their ends mean. */
  drawLegend() {
    const {context, map, ramp} = this;
    const {dark, paper} = pageTheme();
    const ratio = fitCanvas(ramp, RAMP_WIDTH, RAMP_HEIGHT);
    const ink = /** @type {CanvasRenderingContext2D} */ (ramp.getContext('2d'));
    ink.setTransform(ratio, 0, 0, ratio, 0, 0);
    for (let x = 0; x < RAMP_WIDTH; ++x) {
      ink.fillStyle = x === 0 ? paper : shade(x / (RAMP_WIDTH - 1), dark);
      ink.fillRect(x, 0, 1.5, RAMP_HEIGHT);
    }
    const [low, high] = this.legendEnds();
    this.legendLow.textContent = low;
    this.legendHigh.textContent = high;
    ramp.dataset.caption = `${low} to ${high}`;
    this.legend.hidden = map.full === 0;
    context.globalAlpha = 1;
  }

  /** @param {string} color */
  drawRowAxis(color) {
    const {context} = this;
    context.font = '12px sans-serif';
    context.textBaseline = 'middle';
    context.textAlign = 'right';
    context.fillStyle = color;
    for (const {y, text} of this.rowMarks()) {
      context.fillRect(GUTTER - 5, clamp(y, MAP_HEIGHT - 1), 4, 1);
      context.fillText(text, GUTTER - 7, Math.min(Math.max(y, 7), MAP_HEIGHT - 6), GUTTER - 8);
    }
    context.textAlign = 'left';
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

  /** @param {Range} range @param {string} name @param {string} color */
  drawRange(range, name, color) {
    const {context} = this;
    context.fillStyle = color;
    let first = -1;
    let last = 0;
    eachColumn(this.map, range, (column, row, rows) => {
      const {left, top, width, height} = this.placeOf(column, row, rows, this.mapWidth);
      if (first < 0) first = left;
      last = left + width;
      context.globalAlpha = RANGE_ALPHA;
      context.fillRect(left, top, width, height);
      context.globalAlpha = 1;
      context.fillRect(left, top, width, 1.5);
      context.fillRect(left, top + height - 1.5, width, 1.5);
    });
    if (first >= 0) this.drawName(name, first, last);
  }

  /**
   * The name of a range, on the paper, so that it can be read.
   * @param {string} name @param {number} from @param {number} to pixels
   */
  drawName(name, from, to) {
    const {context, mapWidth} = this;
    const theme = pageTheme();
    context.font = '12px sans-serif';
    context.textBaseline = 'middle';
    const size = context.measureText(name).width + 8;
    const left = clamp((from + to - size) / 2, Math.max(mapWidth - size, 0));
    context.fillStyle = theme.paper;
    context.fillRect(left, 3, size, 16);
    context.fillStyle = theme.ink;
    context.fillText(name, left + 4, 11.5);
  }

  /** @param {string} color */
  drawCursor(color) {
    const {cursor, context} = this;
    const {rows} = this.map;
    const column = Math.floor(cursor / rows);
    const place = this.placeOf(column, cursor % rows, 1, this.mapWidth);
    context.strokeStyle = color;
    context.lineWidth = 1.5;
    const [width, height] = [Math.max(place.width, 3), Math.max(place.height, 3)];
    context.strokeRect(place.left, place.top, width, height);
  }

  /**
   * The map, its ranges and the flame graph, in light colours.
   * @param {import('./export.js').Heading} heading
   */
  svg(heading) {
    const {app, canvas} = this;
    const {painter} = app;
    const width = Math.max(canvas.width, 800);
    const mapTop = 30;
    const bottom = mapTop + HEIGHT;
    const {tree, window} = canvas;
    const flame = tree
      ? svgTree(painter, tree, {window, rootAtTop: false, width, top: bottom + 10})
      : {parts: [], bottom};
    const mapWidth = width - GUTTER;
    const map = [...this.svgCells(mapWidth, mapTop), ...this.svgRanges(mapWidth, mapTop)];
    for (const {x, text} of this.marks(mapWidth))
      if (text !== '') map.push(svgText(text, x + 3, bottom - 5));
    const parts = [`<g class="map" transform="translate(${GUTTER})">\n`, ...map, '</g>\n'];
    for (const {y, text} of this.rowMarks())
      parts.push(svgText(text, 2, mapTop + Math.min(Math.max(y + 4, 12), MAP_HEIGHT)));
    parts.push(svgText(`cells: ${this.legendEnds().join(' to ')}`, GUTTER + 3, bottom + 8));
    return svgPage(painter, heading, width, flame.bottom + 10, parts.concat(flame.parts));
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
    const cell = this.placeOf(0, 0, 1, this.mapWidth);
    const column = Math.floor((event.clientX - bounds.left - GUTTER) / cell.width);
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
  isColored: true,
  isOffered: isTimeOffered,
  hasZoom: true,
  showsTime: true,
  addsTimes: true,
  keys: [
    ['drag', 'select the range; with Shift, the baseline'],
    ['arrows, Space', 'move between cells; start and end a range'],
    ['b', 'make the range the baseline'],
  ],
};
