// SPDX-License-Identifier: Apache-2.0
// Which boxes are visible, and how they look. Whatever the size of the tree, the work is
// proportional to the number of pixels: boxes that are narrower than one are skipped in leaps, and
// a neutral tone says how much of the pixel they cover.
import {
  changeColor,
  changeStep,
  css,
  groupOf,
  inkOn,
  MARK_COLOR,
  packed,
  plainColor,
  SEARCH_COLOR,
} from './color.js';
import {coveredBefore, hasMarked} from './coverage.js';
import {KIND} from './kinds.js';
import {labelParts} from './labels.js';
import {baseName, cutLabel, shownName} from './names.js';
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
    this.palette = '';
    /** Of each frame; see groupOf(). */
    this.groups = new Uint8Array(0);
    this.labelGroup = 0;
    /** By group and function; -1: not computed yet. @type {(Int32Array|undefined)[]} */
    this.colors = [];
    this.setColors(this.look.colors);
    /** @type {(string|undefined)[]} */
    this.shown = [];
    /** What names consist of, as far as it was needed. @type {import('./labels.js').Parts[]} */
    this.parts = [];
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

  /** Chooses a palette. @param {string} colors */
  setColors(colors) {
    if (this.palette === colors) return;
    const {frameKind, frameUnnamed, frameModule, strings} = this.data;
    this.palette = colors;
    /** Few frames differ in what their group depends on. @type {Map<number, number>} */
    const known = new Map();
    this.groups = frameKind.map((kind, frame) => {
      const isUnnamed = frameUnnamed[frame] === 1;
      const key = frameModule[frame] * 512 + kind * 2 + Number(isUnnamed);
      let group = known.get(key);
      if (group === undefined) {
        group = groupOf(colors, {
          kind,
          isUnnamed,
          module: baseName(strings.at(frameModule[frame])),
        });
        known.set(key, group);
      }
      return group;
    });
    this.labelGroup = groupOf(colors, {kind: KIND.label, isUnnamed: false, module: ''});
    this.colors = [];
  }

  /** To be called when the names that transforms make are renumbered. */
  forgetMade() {
    for (const colors of this.colors) colors?.fill(-1, this.data.functions);
    this.parts.length = Math.min(this.parts.length, this.data.functions);
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
   * @param {Tree} tree @param {number} from @param {number} to indexes
   * @param {{share: number, faint: number, paper: number}} look 0xrrggbb
   */
  narrowRgb(tree, from, to, {share, faint, paper}) {
    const {hits, highlights} = this;
    if (hits && hasMarked(tree, hits, from, to)) return SEARCH_COLOR;
    if (highlights && hasMarked(tree, highlights, from, to)) return MARK_COLOR;
    return mixed(faint, paper, toneOf(share));
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
    const group = frame < 0 ? this.labelGroup : this.groups[frame];
    // The root has no name, as in the SVG and in flamegraph.pl.
    if (f < 0) return this.newColor('', group);
    const colors = this.colorsOf(group, f);
    if (colors[f] < 0) colors[f] = this.newColor(this.data.name(f), group);
    return colors[f];
  }

  /** @param {string} name @param {number} group */
  newColor(name, group) {
    return packed(plainColor({...this.look, colors: this.palette}, name, group));
  }

  /** The colours of a group, with room for a function. @param {number} group @param {number} f */
  colorsOf(group, f) {
    const colors = this.colors[group];
    if (colors && f < colors.length) return colors;
    // Transforms add names.
    const more = new Int32Array(this.data.names + 64).fill(-1);
    if (colors) more.set(colors);
    return (this.colors[group] = more);
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
    const {func, frame} = tree.shape;
    const mark = this.changeMark(tree, box);
    const label = this.cutName(func[box], frame[box], room - mark.length);
    return label && mark + label;
  }

  /** @param {Tree} tree @param {number} box */
  changeMark({beforeTotal, total}, box) {
    if (!beforeTotal || box === 0) return '';
    if (total[box] === 0) return '− ';
    return beforeTotal[box] === 0 ? '+ ' : '';
  }

  /**
   * The name of a function, cut to `room` letters.
   * @param {number} f @param {number} frame one that has it; -1: none
   * @param {number} room
   */
  cutName(f, frame, room) {
    const kind = frame < 0 ? KIND.label : this.data.frameKind[frame];
    // What is not code has no qualifiers, even if it looks so: "[in I/O]".
    const isWhole = this.look.cut_right || kind === KIND.label || kind === KIND.offCpu;
    const name = this.name(f);
    return cutLabel(name, room, () => (isWhole ? null : (this.parts[f] ??= labelParts(name))));
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
 * A box with its place on the canvas and its colour.
 * @typedef {{box: number, left: number, size: number, y: number, color: number}} PlacedBox
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
        const own = painter.rgb(tree, box);
        const color = above.has(box) ? mixed(own, paper, 0.45) : own;
        pixels.box(left, size, color);
        if (size > leastOutlined) outlined.push({left, size, y, box, color});
        if (size >= LEAST_LABEL) labelled.push({left, size, y, box, color});
      },
      (left, size, share, from, to) => {
        const look = {share, faint, paper};
        pixels.narrow(left, size, painter.narrowRgb(tree, from, to, look));
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
function paintLabels(context, painter, tree, boxes, {row}) {
  context.font = painter.font;
  context.textBaseline = 'middle';
  for (const {box, left, size, y, color} of boxes) {
    const start = Math.max(left, 0);
    const room = left + size - start;
    const text = painter.label(tree, box, room);
    if (text === '') continue;
    context.fillStyle = inkOn(color);
    putText(context, text, start + 3, y + row / 2, room - 5);
  }
}
