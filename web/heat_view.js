// SPDX-License-Identifier: Apache-2.0
// The heat map, and beneath it the flame graph of the range that is selected in
// it. A second range, selected with Shift, is what the first one is compared
// with.
import {FlameCanvas} from './canvas.js';
import {el} from './dom.js';
import {svgPage, svgText, svgTree} from './export.js';
import {cellRange, heatMap} from './heat.js';
import {amount, duration, moment, percent, timeMarks} from './numbers.js';
import {fitCanvas} from './pixels.js';

/** @typedef {import('./app.js').App} App */

/**
 * Light to dark, or dark to light: lightness alone says how much.
 * @param {number} share @param {boolean} dark
 */
function shade(share, dark) {
  const t = Math.sqrt(share);
  const low = dark ? [44, 36, 34] : [255, 243, 224];
  const high = dark ? [255, 214, 120] : [122, 4, 3];
  const middle = dark ? [214, 84, 36] : [240, 110, 30];
  const [from, to, at] = t < 0.5 ? [low, middle, t * 2] : [middle, high, t * 2 - 1];
  return `rgb(${from.map((c, i) => Math.round(c + (to[i] - c) * at)).join(',')})`;
}

const MAP_HEIGHT = 200;
const MAP_AXIS = 18;

/** @param {App} app */
export function heatView(app) {
  const canvas = /** @type {HTMLCanvasElement} */ (
    el('canvas', {
      tabIndex: 0,
      role: 'img',
      'aria-label':
        'Heat map: columns are time, rows are parts of it. Arrows move, Space begins and ends a range, b makes it the range to compare with',
    })
  );
  const box = el('div', {className: 'heat'}, canvas);
  const flame = new FlameCanvas(
    app.painter,
    app.hostOf(b => app.zoomTo(b)),
    {label: 'Flame graph of the selected range', rootAtTop: false},
  );
  flame.host.moved = () => app.windowMoved(flame);
  const hint = el('span', {className: 'quiet', role: 'status'});
  const element = el(
    'div',
    {className: 'half'},
    box,
    el('div', {className: 'bar'}, hint),
    flame.element,
  );
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
  let map = heatMap(app.data, app.filter);
  let key = '';
  let cursor = -1;
  let anchor = -1;
  let compare = false;
  /** @type {[number, number]|null} */
  let pending = null;

  const cellSize = () => [box.clientWidth / map.columns, MAP_HEIGHT / map.rows];
  const cellAt = (/** @type {PointerEvent|MouseEvent} */ event) => {
    const bounds = canvas.getBoundingClientRect();
    const [w, h] = cellSize();
    const column = Math.min(
      Math.max(Math.floor((event.clientX - bounds.left) / w), 0),
      map.columns - 1,
    );
    const row = Math.min(
      Math.max(map.rows - 1 - Math.floor((event.clientY - bounds.top) / h), 0),
      map.rows - 1,
    );
    return column * map.rows + row;
  };
  const time = (/** @type {number} */ cell) =>
    moment(
      cell * map.cellTicks * app.data.meta.tick_ns,
      map.cellTicks * app.data.meta.tick_ns,
      app.data.clock,
    );
  const lasts = (/** @type {number} */ ticks) =>
    duration(ticks * app.data.meta.tick_ns, app.data.clock);
  /** What an axis below says. @param {number} width */
  const marks = width =>
    timeMarks(0, map.columns * map.columnTicks * app.data.meta.tick_ns, width, app.data.clock);
  const say = (/** @type {number} */ cell) => {
    let whole = 0;
    for (const weight of map.weights) whole += weight;
    hint.textContent =
      cell < 0
        ? `A column is ${lasts(map.columnTicks)}, a cell ${lasts(map.cellTicks)}. Drag over cells for the flame graph of a range; with Shift, for the range to compare it with.`
        : `${time(cell)}: ${amount(map.weights[cell], app.data.clock ? 0 : app.tree.decimals)} ${app.data.clock || app.unit}, ${percent(map.weights[cell] / (whole || 1))}`;
  };
  /**
   * The rows of each column that a range covers.
   * @param {[number, number]} range
   * @param {(column: number, from: number, to: number) => void} each
   */
  const eachColumn = (range, each) => {
    const first = Math.floor(range[0] / map.cellTicks);
    const last = Math.ceil(range[1] / map.cellTicks) - 1;
    for (
      let column = Math.floor(first / map.rows);
      column <= Math.min(Math.floor(last / map.rows), map.columns - 1);
      ++column
    )
      each(
        column,
        Math.max(first - column * map.rows, 0),
        Math.min(last - column * map.rows, map.rows - 1),
      );
  };
  const outline = (/** @type {[number, number]} */ range, /** @type {string} */ color) => {
    const [w, h] = cellSize();
    context.fillStyle = color;
    eachColumn(range, (column, from, to) => {
      context.globalAlpha = 0.28;
      context.fillRect(column * w, (map.rows - 1 - to) * h, w, (to - from + 1) * h);
      context.globalAlpha = 1;
      context.fillRect(column * w, (map.rows - 1 - to) * h, w, 1.5);
      context.fillRect(column * w, (map.rows - from) * h - 1.5, w, 1.5);
    });
  };
  const draw = () => {
    const width = box.clientWidth;
    const theme = app.theme();
    if (width === 0) return;
    const ratio = fitCanvas(canvas, width, MAP_HEIGHT + MAP_AXIS);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.fillStyle = theme.paper;
    context.fillRect(0, 0, width, MAP_HEIGHT + MAP_AXIS);
    context.font = '12px sans-serif';
    context.textBaseline = 'middle';
    context.fillStyle = theme.faint;
    for (const {x, text} of marks(width)) {
      context.fillRect(x, MAP_HEIGHT, 1, 5);
      context.fillText(text, x + 3, MAP_HEIGHT + MAP_AXIS / 2 + 1);
    }
    const [w, h] = cellSize();
    for (let cell = 0; cell < map.weights.length; ++cell) {
      if (map.weights[cell] === 0) continue;
      context.fillStyle = shade(map.weights[cell] / map.largest, theme.dark);
      const column = Math.floor(cell / map.rows);
      const row = map.rows - 1 - (cell % map.rows);
      context.fillRect(column * w, row * h, w > 3 ? w - 0.5 : w + 0.2, h > 3 ? h - 0.5 : h + 0.2);
    }
    if (app.state.baseline) outline(app.state.baseline, '#888');
    if (app.state.range) outline(app.state.range, theme.ring);
    if (pending) outline(pending, compare ? '#888' : theme.ring);
    if (cursor >= 0) {
      context.strokeStyle = theme.ink;
      context.lineWidth = 1.5;
      context.strokeRect(
        Math.floor(cursor / map.rows) * w,
        (map.rows - 1 - (cursor % map.rows)) * h,
        Math.max(w, 3),
        Math.max(h, 3),
      );
    }
  };
  /** The map, its ranges and the flame graph below, in light colours. @param {string} title */
  const svg = title => {
    const width = Math.max(flame.width, 800);
    const w = width / map.columns;
    const h = MAP_HEIGHT / map.rows;
    const top = 30;
    /** @type {string[]} */
    const parts = [];
    const rect = (
      /** @type {number} */ column,
      /** @type {number} */ row,
      /** @type {number} */ rows,
      /** @type {string} */ look,
    ) =>
      parts.push(
        `<rect x="${(column * w).toFixed(2)}" y="${(top + (map.rows - row - rows) * h).toFixed(2)}" width="${w.toFixed(2)}" height="${(rows * h).toFixed(2)}" ${look}/>\n`,
      );
    map.weights.forEach((weight, cell) => {
      if (weight > 0)
        rect(
          Math.floor(cell / map.rows),
          cell % map.rows,
          1,
          `fill="${shade(weight / map.largest, false)}"`,
        );
    });
    for (const [range, color] of /** @type {[[number, number]|null, string][]} */ ([
      [app.state.baseline, '#888'],
      [app.state.range, '#0550ae'],
    ]))
      if (range)
        eachColumn(range, (column, from, to) =>
          rect(column, from, to - from + 1, `class="range" fill="${color}" fill-opacity="0.28"`),
        );
    for (const {x, text} of marks(width))
      parts.push(svgText(text, x + 3, top + MAP_HEIGHT + MAP_AXIS - 5));
    const tree =
      flame.tree &&
      svgTree(app.painter, flame.tree, {
        window: flame.window,
        rootAtTop: false,
        width,
        top: top + MAP_HEIGHT + MAP_AXIS + 10,
        count: app.unit,
      });
    for (const part of tree?.parts ?? []) parts.push(part);
    return svgPage(
      app.painter,
      title,
      width,
      (tree?.bottom ?? top + MAP_HEIGHT + MAP_AXIS) + 10,
      parts,
    );
  };
  const choose = (/** @type {[number, number]} */ range, /** @type {boolean} */ asBaseline) => {
    pending = null;
    app.set(asBaseline ? {baseline: range, zoom: 0, window: null} : {range, zoom: 0, window: null});
  };

  canvas.addEventListener('pointerdown', event => {
    if (event.button !== 0) return;
    anchor = cellAt(event);
    compare = event.shiftKey;
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener('pointermove', event => {
    const cell = cellAt(event);
    say(cell);
    if (anchor < 0 || !(event.buttons & 1)) return;
    pending = cellRange(map, anchor, cell);
    draw();
  });
  canvas.addEventListener('pointerup', event => {
    if (anchor < 0) return;
    const range = cellRange(map, anchor, cellAt(event));
    anchor = -1;
    choose(range, compare);
  });
  canvas.addEventListener('pointerleave', () => say(cursor));
  canvas.addEventListener('keydown', event => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const last = map.weights.length - 1;
    const at = Math.max(cursor, 0);
    const to = {
      ArrowUp: at + 1,
      ArrowDown: at - 1,
      ArrowRight: at + map.rows,
      ArrowLeft: at - map.rows,
      Home: 0,
      End: last,
    }[event.key];
    if (to !== undefined) {
      cursor = cursor < 0 ? 0 : Math.min(Math.max(to, 0), last);
      if (anchor >= 0) pending = cellRange(map, anchor, cursor);
    } else if (event.key === ' ' || event.key === 'Enter') {
      if (anchor < 0) {
        anchor = at;
        compare = event.shiftKey;
        pending = cellRange(map, anchor, at);
      } else {
        const range = cellRange(map, anchor, at);
        anchor = -1;
        event.preventDefault();
        choose(range, compare);
        return;
      }
    } else if (event.key === 'b' && app.state.range) {
      event.preventDefault();
      app.set({baseline: app.state.range, range: null, zoom: 0, window: null});
      return;
    } else return;
    event.preventDefault();
    say(cursor);
    draw();
  });
  const sizes = new ResizeObserver(draw);
  sizes.observe(box);
  return {
    element,
    canvas: flame,
    svg,
    show() {
      const {event, threads, cpu} = app.state;
      const now = JSON.stringify([event, threads, cpu]);
      if (now !== key) {
        key = now;
        map = heatMap(app.data, app.filter);
        cursor = anchor = -1;
        pending = null;
        say(-1);
      }
      draw();
      flame.show(app.tree, app.state.zoom, app.state.window);
    },
    escape() {
      if (anchor < 0) return false;
      anchor = -1;
      pending = null;
      draw();
      return true;
    },
    remove() {
      sizes.disconnect();
      flame.remove();
    },
  };
}
