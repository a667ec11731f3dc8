// SPDX-License-Identifier: Apache-2.0
// The order of time: a lane for each thread, with an axis above.
import {depthsOf, joinPieces, lanesOf, pieces} from './chart.js';
import {choice, el, oncePerFrame} from './dom.js';
import {svgBox, svgPage, svgText} from './export.js';
import {amount, moment, percent, timeMarks} from './numbers.js';
import {putText} from './paint.js';
import {fitCanvas, Pixels} from './pixels.js';

/** @typedef {import('./app.js').App} App */
/** @typedef {import('./chart.js').Lane} Lane */

const AXIS = 20;
const HEAD = 18;
const MOST_LEVELS = 2000;

/** @param {App} app */
export function timeView(app) {
  const {data, painter} = app;
  const row = painter.look.row;
  const tickNs = data.meta.tick_ns;
  const canvas = /** @type {HTMLCanvasElement} */ (
    el('canvas', {
      tabIndex: 0,
      role: 'img',
      'aria-label':
        'Samples in the order of time, a lane for each thread. Arrows move, plus and minus scale, brackets go from sample to sample, Page Up and Down from thread to thread, Enter selects what is seen as the range',
    })
  );
  const spacer = el('div', {className: 'spacer'});
  const stage = el('div', {className: 'stage'}, canvas, spacer);
  const bar = el(
    'div',
    {className: 'bar'},
    el('button', {
      type: 'button',
      textContent: 'Select what is seen as the range',
      onclick: () => select(),
    }),
    el('button', {
      type: 'button',
      textContent: 'All of the time',
      onclick: () => go([0, data.duration]),
    }),
    el('span', {
      className: 'quiet',
      textContent: 'Drag to move, Ctrl and the wheel to scale, Shift and drag to select a range.',
    }),
  );
  const laneRows = choice(
    'Rows of a lane',
    [
      ['0', 'all rows'],
      ['8', '8 rows each'],
      ['1', '1 row each'],
    ],
    '0',
    value => app.set({rows: Number(value)}),
  );
  bar.append(laneRows);
  const element = el('div', {className: 'half'}, bar, stage);
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
  const pixels = new Pixels();
  /** Boxes with room for a label, and where; what is outlined. @type {number[]} */
  const labels = [];
  /** @type {number[]} */
  const outlines = [];
  /** @type {Lane[]} */
  let lanes = [];
  /** @type {number[]} */
  let tops = [];
  let depths = new Int32Array(0);
  let key = '';
  /** @type {unknown} */
  let shownShape = null;
  /** @type {[number, number]} */
  let seen = [0, data.duration];
  /** @type {[number, number]|null} */
  let pending = null;
  let hovered = {lane: -1, box: -1};
  let later = 0;

  const select = () => app.set({range: [Math.floor(seen[0]), Math.ceil(seen[1])]});
  /** @param {[number, number]} part @returns {[number, number]} */
  const within = part => {
    const size = Math.min(Math.max(part[1] - part[0], 1), data.duration);
    const from = Math.min(Math.max(part[0], 0), data.duration - size);
    return [from, from + size];
  };
  const go = (/** @type {[number, number]} */ to) => {
    seen = within(to);
    app.state.lanes = seen[1] - seen[0] === data.duration ? null : seen;
    clearTimeout(later);
    later = window.setTimeout(() => app.remember(), 200);
    redraw();
  };
  const scale = (/** @type {number} */ factor, /** @type {number} */ at) => {
    const center = seen[0] + (seen[1] - seen[0]) * at;
    go([center - (center - seen[0]) * factor, center + (seen[1] - center) * factor]);
  };
  const pan = (/** @type {number} */ share) => {
    const by = share * (seen[1] - seen[0]);
    go([seen[0] + by, seen[1] + by]);
  };
  const tickAt = (/** @type {number} */ clientX) =>
    seen[0] +
    ((clientX - canvas.getBoundingClientRect().left) / stage.clientWidth) * (seen[1] - seen[0]);

  const rowsOf = (/** @type {Lane} */ lane) =>
    Math.min(lane.depth, app.state.rows || MOST_LEVELS, MOST_LEVELS);
  let room = new Int32Array(0);
  /**
   * The boxes of each piece, one level after the other; good until the next call.
   * @param {number[]} samples @param {number} levels
   */
  const boxesOf = (samples, levels) => {
    const size = samples.length;
    if (room.length < size * levels) room = new Int32Array(size * levels * 2);
    const boxes = room.subarray(0, size * levels).fill(-1);
    const {map, parent} = app.shape;
    for (let i = 0; i < size; ++i) {
      let box = map[data.sampleNode[samples[i]]];
      while (box > 0 && depths[box] > levels) box = parent[box];
      for (; box > 0; box = parent[box]) boxes[(depths[box] - 1) * size + i] = box;
    }
    return boxes;
  };

  const drawLane = (
    /** @type {Lane} */ lane,
    /** @type {number} */ top,
    /** @type {number} */ width,
    /** @type {number} */ height,
  ) => {
    const tree = app.plainTree;
    const found = pieces(lane, seen[0], seen[1], width);
    const levels = Math.min(rowsOf(lane), Math.ceil((height - top - HEAD) / row));
    if (levels > 0) {
      const boxes = boxesOf(found.sample, levels);
      for (
        let level = Math.max(0, Math.floor((AXIS - top - HEAD) / row));
        level < levels;
        ++level
      ) {
        const y = top + HEAD + level * row;
        joinPieces(
          found,
          boxes.subarray(level * found.sample.length, (level + 1) * found.sample.length),
          (box, left, size) => {
            const from = Math.max(left, -2);
            const to = Math.min(left + size, width + 2);
            pixels.box(from, to - from, painter.rgb(tree, box));
            if (box === hovered.box) outlines.push(from, to, y);
            if (to - from >= 24) labels.push(box, from, to, y);
          },
        );
        pixels.endRow(y, row - 1);
      }
    }
  };

  const drawTexts = () => {
    const theme = app.theme();
    const tree = app.plainTree;
    context.strokeStyle = theme.ink;
    for (let i = 0; i < outlines.length; i += 3)
      context.strokeRect(
        outlines[i] + 0.5,
        outlines[i + 2] + 0.5,
        Math.max(outlines[i + 1] - outlines[i] - 1.5, 1),
        row - 2,
      );
    context.font = painter.font;
    context.textBaseline = 'middle';
    context.fillStyle = '#000';
    for (let i = 0; i < labels.length; i += 4) {
      const start = Math.max(labels[i + 1], 0);
      const room = labels[i + 2] - start;
      putText(
        context,
        painter.label(tree, labels[i], room),
        start + 3,
        labels[i + 3] + row / 2,
        room - 5,
      );
    }
  };

  const headOf = (/** @type {Lane} */ lane) =>
    `${app.threadName(lane.thread)} · ${amount(lane.samples.length, 0)} ${data.clock ? 'stretches' : 'samples'}`;
  const drawHead = (/** @type {Lane} */ lane, /** @type {number} */ top) => {
    context.fillStyle = app.theme().ink;
    context.fillText(headOf(lane), 4, top + HEAD / 2);
  };

  /** All lanes, also those that are scrolled out of sight. @param {string} title */
  const svg = title => {
    const width = Math.max(stage.clientWidth, 800);
    const tree = app.plainTree;
    const top = 10;
    const parts = timeMarks(seen[0] * tickNs, seen[1] * tickNs, width, data.clock).map(
      ({x, text}) => svgText(text, x, top + AXIS + 6),
    );
    lanes.forEach((lane, i) => {
      parts.push(svgText(headOf(lane), 4, top + tops[i] + HEAD));
      const found = pieces(lane, seen[0], seen[1], width);
      const size = found.sample.length;
      const levels = rowsOf(lane);
      const boxes = boxesOf(found.sample, levels);
      for (let level = 0; level < levels; ++level) {
        joinPieces(found, boxes.subarray(level * size, (level + 1) * size), (box, left, wide) =>
          parts.push(
            svgBox(painter, tree, box, {
              left,
              y: top + tops[i] + HEAD + 4 + level * row,
              size: wide,
              tip: painter.name(tree.shape.func[box]),
            }),
          ),
        );
      }
    });
    return svgPage(painter, title, width, top + tops[tops.length - 1] + 10, parts);
  };

  const drawAxis = (/** @type {number} */ width) => {
    const theme = app.theme();
    context.fillStyle = theme.paper;
    context.fillRect(0, 0, width, AXIS);
    context.fillStyle = theme.faint;
    context.strokeStyle = theme.faint;
    for (const {x, text} of timeMarks(seen[0] * tickNs, seen[1] * tickNs, width, data.clock)) {
      context.fillRect(x, AXIS - 5, 1, 5);
      context.fillText(text, x + 3, AXIS / 2);
    }
    const mark = (/** @type {[number, number]} */ range, /** @type {string} */ color) => {
      const from = ((range[0] - seen[0]) / (seen[1] - seen[0])) * width;
      const to = ((range[1] - seen[0]) / (seen[1] - seen[0])) * width;
      context.globalAlpha = 0.35;
      context.fillStyle = color;
      context.fillRect(from, 0, to - from, AXIS);
      context.globalAlpha = 1;
    };
    if (app.state.range) mark(app.state.range, theme.ring);
    if (pending) mark(pending, theme.ring);
  };

  const draw = () => {
    const width = stage.clientWidth;
    const height = stage.clientHeight;
    if (width === 0 || height === 0) return;
    const ratio = fitCanvas(canvas, width, height);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    pixels.begin(context, ratio, app.theme().paper);
    labels.length = outlines.length = 0;
    const isSeen = (/** @type {number} */ i) =>
      tops[i] - stage.scrollTop < height && tops[i + 1] - stage.scrollTop > 0;
    lanes.forEach((lane, i) => {
      if (isSeen(i)) drawLane(lane, tops[i] - stage.scrollTop, width, height);
    });
    pixels.end(context);
    drawTexts();
    lanes.forEach((lane, i) => {
      if (isSeen(i)) drawHead(lane, tops[i] - stage.scrollTop);
    });
    drawAxis(width);
  };
  const redraw = oncePerFrame(draw);

  const boxAt = (/** @type {MouseEvent} */ event) => {
    const y = event.clientY - canvas.getBoundingClientRect().top + stage.scrollTop;
    const i = lanes.findIndex((_, n) => y >= tops[n] && y < tops[n + 1]);
    if (i < 0 || event.clientY - canvas.getBoundingClientRect().top < AXIS)
      return {lane: -1, box: -1};
    const level = Math.floor((y - tops[i] - HEAD) / row);
    const perPixel = (seen[1] - seen[0]) / stage.clientWidth;
    const at = tickAt(event.clientX);
    const {sample} = pieces(lanes[i], at - perPixel / 2, at + perPixel / 2, 1);
    if (level < 0 || level >= rowsOf(lanes[i]) || sample.length === 0) return {lane: i, box: -1};
    let box = app.shape.map[data.sampleNode[sample[0]]];
    if (box < 0 || depths[box] <= level) return {lane: i, box: -1};
    while (depths[box] > level + 1) box = app.shape.parent[box];
    return {lane: i, box};
  };

  const tip = (/** @type {MouseEvent} */ event) => {
    const found = boxAt(event);
    if (found.box !== hovered.box) {
      hovered = found;
      redraw();
    }
    if (found.box < 0) return app.hideTip();
    const tree = app.tree;
    app.placeTip(
      painter.name(tree.shape.func[found.box]),
      [
        `at ${moment(tickAt(event.clientX) * tickNs, ((seen[1] - seen[0]) * tickNs) / 1000, data.clock)} in ${app.threadName(lanes[found.lane].thread)}`,
        `this stack in all: ${amount(tree.total[found.box], tree.decimals)} ${app.unit}, ${percent(tree.total[found.box] / (tree.total[0] || 1))}`,
      ],
      event,
    );
  };

  // The sample that keys have gone to; -1: none yet.
  const cursor = {lane: 0, at: -1};
  const goToSample = (/** @type {number} */ by) => {
    const lane = lanes[cursor.lane];
    if (!lane) return;
    const from = cursor.at < 0 ? lane.begin.findIndex(tick => tick >= seen[0]) : cursor.at + by;
    cursor.at = Math.min(Math.max(from, 0), lane.samples.length - 1);
    const tick = lane.begin[cursor.at];
    if (tick < seen[0] || tick >= seen[1])
      go([tick - (seen[1] - seen[0]) / 2, tick + (seen[1] - seen[0]) / 2]);
    hovered = {lane: cursor.lane, box: app.shape.map[data.sampleNode[lane.samples[cursor.at]]]};
    if (hovered.box > 0)
      app.say(
        `${painter.name(app.shape.func[hovered.box])} · at ${moment(tick * tickNs, tickNs, data.clock)} in ${app.threadName(lane.thread)}`,
      );
    redraw();
  };
  const goToLane = (/** @type {number} */ by) => {
    cursor.lane = Math.min(Math.max(cursor.lane + by, 0), lanes.length - 1);
    cursor.at = -1;
    stage.scrollTop = (tops[cursor.lane] ?? AXIS) - AXIS;
    goToSample(0);
  };

  /** @type {{x: number, y: number, start: number, selecting: boolean, moved: boolean}|null} */
  let drag = null;
  canvas.addEventListener('pointerdown', event => {
    if (event.button !== 0) return;
    drag = {
      x: event.clientX,
      y: event.clientY,
      start: tickAt(event.clientX),
      selecting: event.shiftKey,
      moved: false,
    };
  });
  canvas.addEventListener('pointermove', event => {
    if (!drag || !(event.buttons & 1)) {
      if (event.pointerType !== 'touch') tip(event);
      return;
    }
    if (!drag.moved && Math.abs(event.clientX - drag.x) + Math.abs(event.clientY - drag.y) < 4)
      return;
    if (!drag.moved) canvas.setPointerCapture(event.pointerId);
    drag.moved = true;
    if (drag.selecting) {
      const now = tickAt(event.clientX);
      pending = [
        Math.max(0, Math.floor(Math.min(now, drag.start))),
        Math.ceil(Math.max(now, drag.start)),
      ];
      redraw();
      return;
    }
    pan(-(event.clientX - drag.x) / stage.clientWidth);
    stage.scrollTop -= event.clientY - drag.y;
    drag.x = event.clientX;
    drag.y = event.clientY;
  });
  canvas.addEventListener('pointerup', () => {
    const range = pending;
    pending = null;
    if (drag?.selecting && range && range[1] > range[0]) app.set({range});
    drag = null;
  });
  canvas.addEventListener('pointerleave', () => {
    hovered = {lane: -1, box: -1};
    app.hideTip();
    redraw();
  });
  canvas.addEventListener('dblclick', event =>
    scale(0.25, (event.clientX - canvas.getBoundingClientRect().left) / stage.clientWidth),
  );
  canvas.addEventListener('contextmenu', event => {
    const {box} = boxAt(event);
    if (box <= 0) return;
    event.preventDefault();
    app.hideTip();
    app.functionMenu(app.shape.func[box], event.clientX, event.clientY);
  });
  canvas.addEventListener(
    'wheel',
    event => {
      if (event.ctrlKey || event.metaKey || event.altKey)
        scale(
          Math.exp(Math.max(-1, Math.min(1, event.deltaY / 300))),
          (event.clientX - canvas.getBoundingClientRect().left) / stage.clientWidth,
        );
      else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY))
        pan((event.deltaX || event.deltaY) / stage.clientWidth);
      else return;
      event.preventDefault();
    },
    {passive: false},
  );
  canvas.addEventListener('keydown', event => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const {key: name} = event;
    if (name === 'ArrowLeft' || name === 'a') pan(-0.2);
    else if (name === 'ArrowRight' || name === 'd') pan(0.2);
    else if (name === 'ArrowUp') stage.scrollTop -= 3 * row;
    else if (name === 'ArrowDown') stage.scrollTop += 3 * row;
    else if (name === '+' || name === '=' || name === 'w') scale(0.8, 0.5);
    else if (name === '-' || name === 's') scale(1.25, 0.5);
    else if (name === 'Home') go([0, data.duration]);
    else if (name === 'Enter') select();
    else if (name === '[') goToSample(-1);
    else if (name === ']') goToSample(1);
    else if (name === 'PageUp') goToLane(-1);
    else if (name === 'PageDown') goToLane(1);
    else return;
    event.preventDefault();
  });
  stage.addEventListener('scroll', redraw, {passive: true});
  const sizes = new ResizeObserver(draw);
  sizes.observe(stage);

  return {
    element,
    func: () => (hovered.box > 0 ? app.shape.func[hovered.box] : -1),
    svg,
    show() {
      const {event, threads, cpu, rows} = app.state;
      const now = JSON.stringify([event, threads, cpu, rows]);
      if (now !== key || shownShape !== app.shape) {
        key = now;
        shownShape = app.shape;
        laneRows.value = String(rows);
        cursor.lane = 0;
        cursor.at = -1;
        hovered = {lane: -1, box: -1};
        depths = depthsOf(app.shape);
        lanes = lanesOf(data, {...app.filter, range: null}, app.shape);
        tops = [AXIS];
        for (const lane of lanes) tops.push(tops[tops.length - 1] + HEAD + rowsOf(lane) * row + 6);
        spacer.style.height = `${tops[tops.length - 1]}px`;
      }
      seen = within(app.state.lanes ?? [0, data.duration]);
      draw();
    },
    remove() {
      sizes.disconnect();
      clearTimeout(later);
    },
  };
}
