// SPDX-License-Identifier: Apache-2.0
// Drawing of the time view, on its canvas and as SVG.
import {svgBox, svgPage, svgText} from './export.js';
import {amount, timeMarks} from './numbers.js';
import {LEAST_LABEL, putText} from './paint.js';
import {fitCanvas, Pixels} from './pixels.js';
import {AXIS, HEADING} from './time_layout.js';

/** @typedef {import('./lanes.js').Lane} Lane */
/** @typedef {import('./time_view.js').TimeView} TimeView */
/** @typedef {[number, number]} Range */

/** @param {TimeView} view @param {Lane} lane */
function heading({app}, {thread, samples}) {
  const what = app.data.clock ? 'stretches' : 'samples';
  return `${app.threadName(thread)} · ${amount(samples.length, 0)} ${what}`;
}

/** @param {TimeView} view @param {number} width */
function axisMarks({app, visible}, width) {
  const [from, to] = visible.map(tick => tick * app.data.meta.tick_ns);
  return timeMarks(from, to, width, app.data.clock);
}

export class TimeDrawing {
  /** @param {TimeView} view */
  constructor(view) {
    this.view = view;
    this.row = view.app.painter.look.row;
    this.context = /** @type {CanvasRenderingContext2D} */ (view.picture.getContext('2d'));
    this.pixels = new Pixels();
    /**
     * Boxes with room for a label.
     * @type {{box: number, from: number, to: number, y: number}[]}
     */
    this.labels = [];
    /** @type {{from: number, to: number, y: number}[]} */
    this.outlines = [];
  }

  draw() {
    const {view, context, pixels} = this;
    const {clientWidth: width, clientHeight: height, scrollTop} = view.stage;
    if (width === 0 || height === 0) return;
    const ratio = fitCanvas(view.picture, width, height);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    pixels.begin(context, ratio, view.app.theme().paper);
    this.labels = [];
    this.outlines = [];
    const {lanes, tops} = view.layout;
    const shown = lanes
      .map((lane, i) => ({lane, top: tops[i] - scrollTop, bottom: tops[i + 1] - scrollTop}))
      .filter(({top, bottom}) => top < height && bottom > 0);
    for (const {lane, top} of shown) this.drawLane(lane, top, width, height);
    pixels.end(context);
    this.drawOutlines();
    this.drawLabels();
    context.fillStyle = view.app.theme().ink;
    for (const {lane, top} of shown) context.fillText(heading(view, lane), 4, top + HEADING / 2);
    this.drawAxis(width);
  }

  /** @param {Lane} lane @param {number} top @param {number} width @param {number} height */
  drawLane(lane, top, width, height) {
    const {view, pixels, row} = this;
    const {painter, plainTree: tree} = view.app;
    const {layout, hovered, visible} = view;
    const yOf = (/** @type {number} */ level) => top + layout.levelTop(level);
    const to = Math.min(layout.rowsOf(lane), Math.ceil((height - top - HEADING) / row));
    const from = Math.max(0, Math.floor((AXIS - top - HEADING) / row));
    layout.eachBox(
      lane,
      {visible, width, from, to},
      (level, box, left, size) => {
        const y = yOf(level);
        const begin = Math.max(left, -2);
        const end = Math.min(left + size, width + 2);
        pixels.box(begin, end - begin, painter.rgb(tree, box));
        if (box === hovered.box) this.outlines.push({from: begin, to: end, y});
        if (end - begin >= LEAST_LABEL) this.labels.push({box, from: begin, to: end, y});
      },
      level => pixels.endRow(yOf(level), row - 1),
    );
  }

  drawOutlines() {
    const {context, row} = this;
    context.strokeStyle = this.view.app.theme().ink;
    for (const {from, to, y} of this.outlines)
      context.strokeRect(from + 0.5, y + 0.5, Math.max(to - from - 1.5, 1), row - 2);
  }

  drawLabels() {
    const {context, row} = this;
    const {painter, plainTree: tree} = this.view.app;
    context.font = painter.font;
    context.textBaseline = 'middle';
    context.fillStyle = '#000';
    for (const {box, from, to, y} of this.labels) {
      const start = Math.max(from, 0);
      const room = to - start;
      putText(context, painter.label(tree, box, room), start + 3, y + row / 2, room - 5);
    }
  }

  /** @param {number} width */
  drawAxis(width) {
    const {context, view} = this;
    const theme = view.app.theme();
    context.fillStyle = theme.paper;
    context.fillRect(0, 0, width, AXIS);
    context.fillStyle = theme.faint;
    for (const {x, text} of axisMarks(view, width)) {
      context.fillRect(x, AXIS - 5, 1, 5);
      context.fillText(text, x + 3, AXIS / 2);
    }
    const {range} = view.app.state;
    if (range) this.drawRange(range, width, theme.ring);
    if (view.pending) this.drawRange(view.pending, width, theme.ring);
  }

  /** @param {Range} range @param {number} width @param {string} color */
  drawRange(range, width, color) {
    const {context} = this;
    const [first, last] = this.view.visible;
    const [from, to] = range.map(tick => ((tick - first) / (last - first)) * width);
    context.globalAlpha = 0.35;
    context.fillStyle = color;
    context.fillRect(from, 0, to - from, AXIS);
    context.globalAlpha = 1;
  }
}

/**
 * All lanes, including those that are scrolled out of sight.
 * @param {TimeView} view @param {string} title
 */
export function timeSvg(view, title) {
  const {painter, plainTree: tree} = view.app;
  const {layout, visible} = view;
  const width = Math.max(view.stage.clientWidth, 800);
  const top = 10;
  const parts = axisMarks(view, width).map(({x, text}) => svgText(text, x, top + AXIS + 6));
  layout.lanes.forEach((lane, i) => {
    const laneTop = top + layout.tops[i];
    parts.push(svgText(heading(view, lane), 4, laneTop + HEADING));
    const part = {visible, width, from: 0, to: layout.rowsOf(lane)};
    layout.eachBox(lane, part, (level, box, left, size) => {
      const y = laneTop + layout.levelTop(level) + 4;
      const tip = painter.name(tree.shape.func[box]);
      parts.push(svgBox(painter, tree, box, {left, y, size, tip}));
    });
  });
  return svgPage(painter, title, width, top + layout.height + 10, parts);
}
