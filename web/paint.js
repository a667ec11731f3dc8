// SPDX-License-Identifier: Apache-2.0
// Which boxes are visible, and how they look. Whatever the size of the tree, the work is
// proportional to the number of pixels: boxes that are narrower than one are skipped in leaps, and
// a neutral tone says how much of the pixel they cover.
import {
  changeColor,
  changeStep,
  css,
  MARK_COLOR,
  packed,
  plainColor,
  SEARCH_COLOR,
} from './color.js';
import {coveredBefore, hasMarked} from './coverage.js';
import {cutLabel, shownName} from './names.js';
import {mixed, parsed} from './pixels.js';
import {changeOfBox, firstAt, skipTo} from './tree.js';

/** @typedef {import('./data.js').Data} Data */
/** @typedef {import('./tree.js').Tree} Tree */
/** @typedef {import('./gestures.js').Window} Window   of a width of 1 */

/**
 * Boxes narrower than a pixel, which are drawn together.
 * @callback EachNarrow
 * @param {number} left @param {number} width in pixels
 * @param {number} share of this width that boxes cover
 * @param {number} from @param {number} to their indexes in the boxes of the tree
 */
/**
 * The part of a level that is visible.
 * @typedef {object} VisiblePart
 * @property {Window} window
 * @property {number} width pixels
 * @property {number} pixel the least width of a box in pixels
 * @property {number} run how many pixels of narrower boxes are drawn at once
 */

/**
 * Calls `wide` and `narrow` with the visible boxes of a level from left to right.
 * @param {Tree} tree @param {number} depth @param {VisiblePart} part
 * @param {(box: number, left: number, width: number) => void} wide @param {EachNarrow} narrow
 */
export function visibleBoxes(tree, depth, {window, width, pixel, run}, wide, narrow) {
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
      wide(box, from, to - from);
      ++i;
      continue;
    }
    const first = i;
    const left = Math.floor(((x[box] - start) * scale) / pixel) * pixel;
    // The first box that begins in this pixel may not be the first that is seen in it.
    const before = coveredBefore(tree, depth, start + left / scale, i);
    let edge = left;
    let next = i;
    do {
      edge += pixel;
      next = skipTo(tree, i + 1, end, start + edge / scale);
      i = next;
      // A box that begins within the pixel may extend beyond it.
      if (i - 1 > first && extent[boxes[i - 1]] >= least) --i;
    } while (
      edge < left + run * pixel &&
      i < end &&
      extent[boxes[i]] < least &&
      x[boxes[i]] < start + (edge + pixel) / scale
    );
    const covered = coveredBefore(tree, depth, start + edge / scale, next) - before;
    narrow(left, edge - left, Math.min((covered * scale) / (edge - left), 1), first, i);
  }
}

/** The tone of narrow boxes that cover the least, as a share of the one that is for all. */
const FAINTEST = 0.1;

/** How much of the colour of narrow boxes is seen. @param {number} share that they cover */
export const toneOf = share => FAINTEST + (1 - FAINTEST) * share;

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
    /** By function; -1: not computed yet. */
    this.colors = new Int32Array(data.names).fill(-1);
    /** @type {(string|undefined)[]} */
    this.shown = [];
    /** 1 for functions that a search found. @type {Uint8Array|null} */
    this.hits = null;
    this.highlight = -1;
    /** 1 for the highlighted function. @type {Uint8Array|null} */
    this.highlights = null;
    this.font = `${this.look.font}px ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace`;
    const context = /** @type {CanvasRenderingContext2D} */ (
      document.createElement('canvas').getContext('2d')
    );
    context.font = this.font;
    this.letter = Math.max(context.measureText('M'.repeat(50)).width / 50, 1);
  }

  /** To be called when the names that transforms make are renumbered. */
  forgetMade() {
    this.colors.fill(-1, this.data.functions);
    this.shown.length = Math.min(this.shown.length, this.data.functions);
  }

  /** Highlights a function; -1: none. @param {number} f */
  setHighlight(f) {
    if (f === this.highlight) return;
    this.highlight = f;
    this.highlights = f < 0 ? null : new Uint8Array(f + 1).fill(1, f);
  }

  /** Whether a function was searched for or is highlighted. @param {number} f */
  isFound(f) {
    return f >= 0 && (this.hits?.[f] === 1 || f === this.highlight);
  }

  /**
   * The colour of narrow boxes: neutral, unless one of them was searched for.
   * @param {Tree} tree @param {number} depth @param {number} from @param {number} to indexes
   * @param {{share: number, faint: number, paper: number}} look 0xrrggbb
   */
  narrowRgb(tree, depth, from, to, {share, faint, paper}) {
    const {hits, highlights} = this;
    if (hits && hasMarked(tree, depth, hits, from, to)) return SEARCH_COLOR;
    if (highlights && hasMarked(tree, depth, highlights, from, to)) return MARK_COLOR;
    return mixed(faint, paper, toneOf(share));
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
    if (tree.beforeTotal || tree.was) return this.changeOf(tree, box);
    return this.plain(f, tree.shape.frame[box]);
  }

  /** @param {number} f @param {number} frame */
  plain(f, frame) {
    // The root has no name, as in the SVG and in flamegraph.pl.
    if (f < 0) return packed(plainColor(this.look, '', 0));
    // Transforms add names.
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
    const step = changeStep(changeOfBox(tree, box), tree.largestChange);
    return packed(changeColor(this.look.negate ? -step : step));
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
 * Draws text. Letters of some scripts are wider than assumed; they are squeezed into `room`.
 * @param {CanvasRenderingContext2D} context @param {string} text @param {number} x
 * @param {number} y @param {number} room
 */
export function putText(context, text, x, y, room) {
  if (/^[\x20-\x7e]*$/.test(text)) context.fillText(text, x, y);
  else context.fillText(text, x, y, Math.max(room, 1));
}

/**
 * Which part of a tree is drawn, and how.
 * @typedef {object} PaintOptions
 * @property {Window} window
 * @property {number} width
 * @property {number} from the first level
 * @property {number} to the level after the last
 * @property {(depth: number) => number} top the upper edge of a level
 * @property {number} row
 * @property {number} ratio pixels of the canvas for each of the page
 * @property {Set<number>} above the callers of the zoomed box, which are pale
 * @property {Theme} theme
 * @property {import('./pixels.js').Pixels} pixels
 */
/**
 * A box with its place on the canvas.
 * @typedef {{box: number, left: number, size: number, y: number}} PlacedBox
 */

/** Narrower boxes have no label. */
export const LEAST_LABEL = 24;

/**
 * @param {CanvasRenderingContext2D} context @param {Painter} painter @param {Tree} tree
 * @param {PaintOptions} options
 */
export function paintTree(context, painter, tree, options) {
  const {window, width, row, ratio, theme, pixels, above} = options;
  /** @type {PlacedBox[]} */
  const labelled = [];
  /** @type {PlacedBox[]} */
  const outlined = [];
  const leastOutlined = tree.beforeTotal || tree.was ? 4 : Infinity;
  pixels.begin(context, ratio, theme.paper);
  const pixel = 1 / ratio;
  const faint = parsed(theme.faint);
  const {paper} = pixels;
  for (let depth = options.from; depth < options.to; ++depth) {
    const y = options.top(depth);
    visibleBoxes(
      tree,
      depth,
      {window, width, pixel, run: 1},
      (box, left, size) => {
        const color = painter.rgb(tree, box);
        pixels.box(left, size, above.has(box) ? mixed(color, paper, 0.45) : color);
        if (size > leastOutlined) outlined.push({box, left, size, y});
        if (size >= LEAST_LABEL) labelled.push({box, left, size, y});
      },
      (left, size, share, from, to) => {
        const look = {share, faint, paper};
        pixels.narrow(left, size, painter.narrowRgb(tree, depth, from, to, look));
      },
    );
    pixels.endRow(y, row - 1);
  }
  pixels.end(context);
  paintOutlines(context, outlined, row);
  paintLabels(context, painter, tree, labelled, options);
}

/**
 * White boxes on white paper need an edge.
 * @param {CanvasRenderingContext2D} context @param {PlacedBox[]} boxes @param {number} row
 */
function paintOutlines(context, boxes, row) {
  context.strokeStyle = '#0004';
  for (const {left, size, y} of boxes)
    context.strokeRect(left + 0.25, y + 0.25, size - 1, row - 1.5);
}

/**
 * @param {CanvasRenderingContext2D} context @param {Painter} painter @param {Tree} tree
 * @param {PlacedBox[]} boxes @param {PaintOptions} options
 */
function paintLabels(context, painter, tree, boxes, {row, theme, above}) {
  context.font = painter.font;
  context.textBaseline = 'middle';
  for (const {box, left, size, y} of boxes) {
    const start = Math.max(left, 0);
    const room = left + size - start;
    const text = painter.label(tree, box, room);
    if (text === '') continue;
    context.fillStyle = theme.dark && above.has(box) ? theme.ink : '#000';
    putText(context, text, start + 3, y + row / 2, room - 5);
  }
}
