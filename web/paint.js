// SPDX-License-Identifier: Apache-2.0
// Which boxes can be seen, and how one looks. Whatever the size of the tree, the
// work follows the number of pixels: boxes below a pixel are passed over in
// leaps, and one pixel stands for all of them.
import {
  changeColor,
  changeStep,
  css,
  MARK_COLOR,
  packed,
  plainColor,
  SEARCH_COLOR,
} from './color.js';
import {cutLabel, shownName} from './names.js';
import {mixed, Pixels} from './pixels.js';
import {firstAt, skipTo} from './tree.js';

/** @typedef {import('./data.js').Data} Data */
/** @typedef {import('./tree.js').Tree} Tree */
/** A part of the tree's width, 0 to 1. @typedef {[number, number]} Window */

/** Boxes below a pixel are drawn together, this many pixels at once. */
const RUN = 4;

/**
 * Calls `each` with the boxes of a level from left to right; `few` is false where one stands for several.
 * @param {Tree} tree @param {number} depth @param {Window} window @param {number} width pixels
 * @param {number} pixel the least width in pixels
 * @param {(box: number, left: number, width: number, few: boolean) => void} each
 */
export function visibleBoxes(tree, depth, window, width, pixel, each) {
  const {boxes, x, extent, whole} = tree;
  const start = window[0] * whole;
  const stop = window[1] * whole;
  const scale = width / (stop - start);
  const least = pixel / scale;
  const end = tree.level[depth + 1];
  for (let i = firstAt(tree, depth, start); i < end;) {
    const box = boxes[i];
    if (x[box] >= stop) break;
    if (extent[box] >= least) {
      const from = Math.max((x[box] - start) * scale, -2);
      const to = Math.min((x[box] + extent[box] - start) * scale, width + 2);
      each(box, from, to - from, true);
      ++i;
      continue;
    }
    const first = i;
    const left = Math.floor(((x[box] - start) * scale) / pixel) * pixel;
    let edge = left;
    do {
      edge += pixel;
      const before = i;
      i = skipTo(tree, i + 1, end, start + edge / scale);
      // One that begins within the pixel may go on behind it.
      if (i - 1 > before && extent[boxes[i - 1]] >= least) --i;
    } while (
      edge < left + RUN &&
      i < end &&
      extent[boxes[i]] < least &&
      x[boxes[i]] < start + (edge + pixel) / scale
    );
    each(box, left, edge - left, i === first + 1);
  }
}

/**
 * Colours that follow the theme.
 * @typedef {{ink: string, paper: string, faint: string, ring: string, dark: boolean}} Theme
 */

/** The look of boxes: colours by function, labels. */
export class Painter {
  /** @param {Data} data */
  constructor(data) {
    this.data = data;
    this.look = data.meta.look;
    /** By function; -1: not known yet. */
    this.colors = new Int32Array(data.names).fill(-1);
    /** @type {(string|undefined)[]} */
    this.shown = [];
    /** 1 for functions that a search found. @type {Uint8Array|null} */
    this.hits = null;
    this.highlight = -1;
    this.font = `${this.look.font}px ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace`;
    const context = /** @type {CanvasRenderingContext2D} */ (
      document.createElement('canvas').getContext('2d')
    );
    context.font = this.font;
    this.letter = Math.max(context.measureText('M'.repeat(50)).width / 50, 1);
  }

  /** Names that transforms made may have got other numbers. */
  forgetMade() {
    this.colors.fill(-1, this.data.functions);
    this.shown.length = Math.min(this.shown.length, this.data.functions);
  }

  /** @param {Tree} tree @param {number} box @returns {string} */
  color(tree, box) {
    return css(this.rgb(tree, box));
  }

  /** @param {Tree} tree @param {number} box @returns {number} 0xrrggbb */
  rgb(tree, box) {
    const f = tree.shape.func[box];
    if (this.hits !== null && f >= 0 && this.hits[f] === 1) return SEARCH_COLOR;
    if (f >= 0 && f === this.highlight) return MARK_COLOR;
    if (tree.beforeTotal) return this.changeOf(tree, box);
    return this.plain(f, tree.shape.frame[box]);
  }

  /** @param {number} f @param {number} frame */
  plain(f, frame) {
    // The root has no name, as in the SVG and in flamegraph.pl.
    if (f < 0) return packed(plainColor(this.look, '', 0));
    // Transforms make names.
    if (f >= this.colors.length) {
      const more = new Int32Array(this.data.names + 64).fill(-1);
      more.set(this.colors);
      this.colors = more;
    }
    if (this.colors[f] < 0)
      this.colors[f] = packed(
        plainColor(this.look, this.data.name(f), frame < 0 ? 0 : this.data.frameKind[frame]),
      );
    return this.colors[f];
  }

  /** @param {Tree} tree @param {number} box */
  changeOf(tree, box) {
    const change = tree.total[box] - /** @type {Float64Array} */ (tree.beforeTotal)[box];
    return packed(
      changeColor(changeStep(change, tree.largestChange) * (this.look.negate ? -1 : 1)),
    );
  }

  /** @param {number} f */
  name(f) {
    return f < 0 ? 'all' : (this.shown[f] ??= shownName(this.data.name(f)));
  }

  /** @param {Tree} tree @param {number} box @param {number} width pixels */
  label(tree, box, width) {
    const room = Math.floor((width - 6) / this.letter);
    if (room < 3) return '';
    let name = this.name(tree.shape.func[box]);
    if (tree.beforeTotal && box > 0) {
      if (tree.total[box] === 0) name = '− ' + name;
      else if (tree.beforeTotal[box] === 0) name = '+ ' + name;
    }
    return cutLabel(name, room, this.look.cut_right);
  }
}

/**
 * Letters of other scripts can be wider than was thought; they are squeezed.
 * @param {CanvasRenderingContext2D} context @param {string} text @param {number} x @param {number} y @param {number} room
 */
export function putText(context, text, x, y, room) {
  if (/^[\x20-\x7e]*$/.test(text)) context.fillText(text, x, y);
  else context.fillText(text, x, y, Math.max(room, 1));
}

/**
 * Draws levels of a tree on the whole of a canvas. `top` gives the upper edge of a level.
 * @param {CanvasRenderingContext2D} context @param {Painter} painter @param {Tree} tree
 * @param {{window: Window, width: number, from: number, to: number, top: (depth: number) => number,
 *   row: number, ratio: number, above: Set<number>, theme: Theme, pixels: Pixels}} place
 *   above: boxes around the zoomed one; ratio: pixels of the canvas for each of the page
 */
export function paintTree(context, painter, tree, place) {
  const {window, width, row, theme, pixels, above} = place;
  const isDifference = tree.beforeTotal !== null;
  /** Boxes with room for a label, and where. @type {number[]} */
  const labels = [];
  /** @type {number[]} */
  const outlines = [];
  pixels.begin(context, place.ratio, theme.paper);
  for (let depth = place.from; depth < place.to; ++depth) {
    const y = place.top(depth);
    visibleBoxes(tree, depth, window, width, 1 / Math.min(place.ratio, 2), (box, left, size) => {
      const color = painter.rgb(tree, box);
      pixels.box(left, size, above.has(box) ? mixed(color, pixels.paper, 0.45) : color);
      if (isDifference && size > 4) outlines.push(left, size, y);
      if (size >= 24) labels.push(box, left, size, y);
    });
    pixels.endRow(y, row - 1);
  }
  pixels.end(context);
  // White boxes on white paper need an edge.
  context.strokeStyle = '#0004';
  for (let i = 0; i < outlines.length; i += 3)
    context.strokeRect(outlines[i] + 0.25, outlines[i + 2] + 0.25, outlines[i + 1] - 1, row - 1.5);
  context.font = painter.font;
  context.textBaseline = 'middle';
  context.fillStyle = '#000';
  for (let i = 0; i < labels.length; i += 4) {
    const box = labels[i];
    const left = Math.max(labels[i + 1], 0);
    const right = labels[i + 1] + labels[i + 2];
    const text = painter.label(tree, box, right - left);
    if (text === '') continue;
    const isPale = theme.dark && above.has(box);
    if (isPale) context.fillStyle = theme.ink;
    putText(context, text, left + 3, labels[i + 3] + row / 2, right - left - 5);
    if (isPale) context.fillStyle = '#000';
  }
}
