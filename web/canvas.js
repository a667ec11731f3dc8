// SPDX-License-Identifier: Apache-2.0
// A tree on a canvas. The canvas is as large as its visible part; a tall element behind it makes
// the scroll bar, so depth is not limited by the size of a canvas.
import {listenToCanvas} from './canvas_input.js';
import {crowdIn} from './coverage.js';
import {el, oncePerFrame, partInSight, pictureCanvas} from './dom.js';
import {panned, scaled, within} from './gestures.js';
import {clamp} from './numbers.js';
import {paintTree} from './paint.js';
import {fitCanvas, Pixels} from './pixels.js';
import {boxAt, depthOf} from './tree.js';

/** @typedef {import('./gestures.js').Window} Window   of a width of 1 */
/** @typedef {import('./paint.js').Painter} Painter */
/** @typedef {import('./paint.js').Theme} Theme */
/** @typedef {import('./tree.js').Tree} Tree */
/**
 * @typedef {{
 *   theme: () => Theme,
 *   hover: (canvas: FlameCanvas, box: number, event: MouseEvent|null) => void,
 *   select: (canvas: FlameCanvas, box: number) => void,
 *   drawn: (canvas: FlameCanvas) => void,
 *   zoom: (box: number) => void,
 *   moved: () => void,
 *   menu: (canvas: FlameCanvas, box: number, x: number, y: number) => void,
 * }} Host
 */

const REDUCED_MOTION = matchMedia('(prefers-reduced-motion: reduce)');
const ANIMATION_MS = 120;

/** The narrowest window, of a width of 1. */
const LEAST_WINDOW = 1e-12;

/** @param {Window} window */
const inTree = window => within(window, LEAST_WINDOW, 1);

/**
 * A window on the way from one to another.
 * @param {Window} from @param {Window} to @param {number} t 0 to 1 @returns {Window}
 */
function between(from, to, t) {
  const eased = 1 - (1 - t) ** 3;
  const oldSize = from[1] - from[0];
  const newSize = to[1] - to[0];
  // Sizes change by factors, so that a deep zoom looks even.
  const size = Math.exp(Math.log(oldSize) * (1 - eased) + Math.log(newSize) * eased);
  const share = oldSize === newSize ? eased : (size - oldSize) / (newSize - oldSize);
  const start = from[0] + (to[0] - from[0]) * share;
  return [start, start + size];
}

export class FlameCanvas {
  /**
   * @param {Painter} painter @param {Host} host
   * @param {{label: string, rootAtTop: boolean, firstLevel?: number}} options
   */
  constructor(painter, host, {label, rootAtTop, firstLevel = 0}) {
    this.painter = painter;
    this.host = host;
    this.rootAtTop = rootAtTop;
    /** Levels before it are not drawn. */
    this.firstLevel = firstLevel;
    this.row = painter.look.row;
    /** @type {Tree|null} */
    this.tree = null;
    /** @type {Window} */
    this.window = [0, 1];
    /** Where the window is moving to. @type {Window} */
    this.goal = this.window;
    this.zoomed = 0;
    this.selected = -1;
    this.hovered = -1;
    /** Rows above a flame graph that does not fill the height: its root is at the bottom. */
    this.emptyRows = 0;
    /** The callers of the zoomed box. @type {Set<number>} */
    this.above = new Set();
    this.canvas = pictureCanvas(label);
    this.spacer = el('div', {className: 'spacer'});
    this.element = el('div', {className: 'stage'}, this.canvas, this.spacer);
    this.context = /** @type {CanvasRenderingContext2D} */ (this.canvas.getContext('2d'));
    this.pixels = new Pixels();
    this.redraw = oncePerFrame(() => this.draw());
    this.animation = 0;
    /** What the picture on the canvas was drawn for. */
    this.drawnPart = '';
    /** The height that is scrolled out of sight at the bottom. */
    this.below = 0;
    this.sizes = new ResizeObserver(() => this.isDrawn || this.resized());
    this.sizes.observe(this.element);
    this.element.addEventListener('scroll', () => this.scrolled(), {passive: true});
    listenToCanvas(this);
  }

  /** How many levels are drawn. */
  get levels() {
    return this.tree ? Math.max(this.tree.level.length - 1 - this.firstLevel, 0) : 0;
  }

  get width() {
    return this.element.clientWidth;
  }

  /** Whether the canvas has the picture as it is in sight now. */
  get isDrawn() {
    return this.drawnPart === partInSight(this.element);
  }

  scrolled() {
    const {scrollHeight, clientHeight, scrollTop} = this.element;
    this.below = scrollHeight - clientHeight - scrollTop;
    if (!this.isDrawn) this.redraw();
  }

  /** Keeps the root of a flame graph in place. */
  resized() {
    const {scrollHeight, clientHeight} = this.element;
    if (!this.rootAtTop) this.element.scrollTop = scrollHeight - clientHeight - this.below;
    this.draw();
  }

  /** @param {Tree} tree @param {number} zoomed @param {Window|null} window */
  show(tree, zoomed, window) {
    const isNew = tree !== this.tree;
    if (tree.shape !== this.tree?.shape) this.selected = this.hovered = -1;
    this.tree = tree;
    this.spacer.style.height = `${this.levels * this.row}px`;
    this.zoomed = zoomed;
    this.above = new Set();
    for (let i = zoomed; i > 0;) this.above.add((i = tree.shape.parent[i]));
    if (isNew && !this.rootAtTop) {
      this.below = 0;
      this.element.scrollTop = this.element.scrollHeight;
    }
    this.goTo(window ?? this.windowOf(zoomed), !isNew);
  }

  /** @param {number} box @returns {Window} */
  windowOf(box) {
    const {x, extent, whole} = /** @type {Tree} */ (this.tree);
    if (extent[box] === 0) return [0, 1];
    return inTree([x[box] / whole, (x[box] + extent[box]) / whole]);
  }

  /** @param {Window} to @param {boolean} isAnimated */
  goTo(to, isAnimated) {
    cancelAnimationFrame(this.animation);
    this.goal = to;
    const from = this.window;
    const isThere = from[0] === to[0] && from[1] === to[1];
    if (!isAnimated || REDUCED_MOTION.matches || isThere) {
      this.window = to;
      this.draw();
      return;
    }
    const begin = performance.now();
    const step = (/** @type {number} */ now) => {
      const t = Math.min((now - begin) / ANIMATION_MS, 1);
      this.window = t === 1 ? to : between(from, to, t);
      this.draw();
      if (t < 1) this.animation = requestAnimationFrame(step);
    };
    this.animation = requestAnimationFrame(step);
  }

  /** The upper edge of a level within the whole height. @param {number} depth */
  top(depth) {
    const line = depth - this.firstLevel;
    return (this.rootAtTop ? line : this.emptyRows + this.levels - 1 - line) * this.row;
  }

  draw() {
    const {clientWidth: width, clientHeight: height} = this.element;
    const {tree, context} = this;
    if (!tree || width === 0 || height === 0) return;
    this.drawnPart = partInSight(this.element);
    const ratio = fitCanvas(this.canvas, width, height);
    const theme = this.host.theme();
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.fillStyle = theme.paper;
    context.fillRect(0, 0, width, height);
    if (tree.whole === 0) {
      context.fillStyle = theme.faint;
      context.font = '15px sans-serif';
      context.fillText('No samples match the filters.', 12, 30);
      return;
    }
    this.drawTree(tree, ratio, theme);
    this.outline(this.hovered, theme.ink, 1);
    if (this.selected >= 0) this.outline(this.selected, theme.ring, 2.5);
    this.host.drawn(this);
  }

  /** @param {Tree} tree @param {number} ratio @param {Theme} theme */
  drawTree(tree, ratio, theme) {
    const {rootAtTop, row, levels, window, width, above, pixels} = this;
    const {clientHeight: height, scrollTop: scroll} = this.element;
    const empty = rootAtTop ? 0 : Math.max(0, Math.floor(height / row) - levels);
    this.emptyRows = empty;
    const first = Math.max(0, Math.floor(scroll / row) - empty);
    const end = Math.min(levels, Math.ceil((scroll + height) / row) - empty);
    if (end <= first) return;
    const lines = rootAtTop ? [first, end] : [levels - end, levels - first];
    const [from, to] = lines.map(line => line + this.firstLevel);
    const top = (/** @type {number} */ depth) => this.top(depth) - scroll;
    const place = {window, width, from, to, top, row, ratio, above, theme, pixels};
    paintTree(this.context, this.painter, tree, place);
  }

  /** @param {number} box @param {string} color @param {number} size */
  outline(box, color, size) {
    const place = this.placeOf(box);
    if (!place || place.right < 0 || place.left > this.width) return;
    this.context.strokeStyle = color;
    this.context.lineWidth = size;
    const left = Math.max(place.left, -4);
    const right = Math.min(place.right, this.width + 4);
    this.context.strokeRect(
      left + size / 2,
      place.top - this.element.scrollTop + size / 2,
      Math.max(right - left - size - 0.5, 1),
      this.row - 1 - size,
    );
    this.context.lineWidth = 1;
  }

  /** The position of a box, in pixels of the whole height. @param {number} box */
  placeOf(box) {
    const {tree, window, width} = this;
    if (!tree || box < 0 || box >= tree.shape.count || tree.extent[box] === 0) return null;
    const scale = width / ((window[1] - window[0]) * tree.whole);
    const left = (tree.x[box] - window[0] * tree.whole) * scale;
    return {left, right: left + tree.extent[box] * scale, top: this.top(depthOf(tree.shape, box))};
  }

  /** Where a box is seen in the browser's window; null: it is not. @param {number} box */
  seenAt(box) {
    const place = this.placeOf(box);
    if (!place || place.right < 0 || place.left > this.width) return null;
    const bounds = this.element.getBoundingClientRect();
    const top = bounds.top + place.top - this.element.scrollTop;
    if (top + this.row <= bounds.top || top >= bounds.bottom) return null;
    const left = bounds.left + Math.max(place.left, 0);
    return {left, top, bottom: top + this.row};
  }

  /**
   * The box at a point of the browser's window; -1: none. Of boxes that share a pixel, the widest.
   * @param {number} clientX @param {number} clientY
   */
  at(clientX, clientY) {
    const {tree, window, width} = this;
    if (!tree) return -1;
    const bounds = this.canvas.getBoundingClientRect();
    const y = clientY - bounds.top + this.element.scrollTop;
    const line = Math.floor(y / this.row) - this.emptyRows;
    if (line < 0 || line >= this.levels) return -1;
    const depth = this.firstLevel + (this.rootAtTop ? line : this.levels - 1 - line);
    const share = window[0] + ((clientX - bounds.left) / width) * (window[1] - window[0]);
    const box = boxAt(tree, depth, share * tree.whole);
    if (box >= 0 && !this.isNarrow(box)) return box;
    return this.crowdAt(tree, depth, share * tree.whole)?.widest ?? box;
  }

  /** What a pixel of the screen is worth. @param {Tree} tree */
  pixelOf({whole}) {
    const [from, to] = this.window;
    return ((to - from) * whole) / (this.width * (devicePixelRatio || 1));
  }

  /** Whether a box is narrower than a pixel. @param {number} box */
  isNarrow(box) {
    return this.tree !== null && this.tree.extent[box] < this.pixelOf(this.tree);
  }

  /**
   * The narrow boxes that are drawn in the same pixel as a position.
   * @param {Tree} tree @param {number} depth @param {number} at
   */
  crowdAt(tree, depth, at) {
    const pixel = this.pixelOf(tree);
    const start = this.window[0] * tree.whole;
    const left = start + Math.floor((at - start) / pixel) * pixel;
    return crowdIn(tree, depth, left, left + pixel);
  }

  /** The boxes that share the pixel of a narrow one; null: it is not narrow. @param {number} box */
  crowdOf(box) {
    const {tree} = this;
    if (!tree || box < 0 || !this.isNarrow(box)) return null;
    return this.crowdAt(tree, depthOf(tree.shape, box), tree.x[box]);
  }

  /** @param {number} box */
  select(box) {
    this.selected = box;
    const place = this.placeOf(box);
    const {scrollTop, clientHeight} = this.element;
    if (place) {
      const bottom = place.top + this.row;
      if (place.top < scrollTop) this.element.scrollTop = place.top;
      else if (bottom > scrollTop + clientHeight) this.element.scrollTop = bottom - clientHeight;
    }
    this.draw();
    this.host.select(this, box);
  }

  /**
   * Selects a box, and moves the window within the zoomed part if the box is not visible in it.
   * @param {number} box
   */
  reveal(box) {
    const [a, b] = this.windowOf(box);
    const [from, to] = this.window;
    const isVisible = a >= from && b <= to && b - a >= (to - from) / 400;
    // Callers of the zoomed box are wider than the picture.
    if (!isVisible && !this.above.has(box)) {
      const [left, right] = this.windowOf(this.zoomed);
      const size = Math.min(right - left, (b - a) * 8);
      const start = clamp((a + b - size) / 2 - left, right - left - size) + left;
      this.goTo(inTree([start, start + size]), true);
      this.host.moved();
    }
    this.select(box);
  }

  /** @param {number} factor @param {number} [at] what stays in place, 0 to 1 of the width */
  scale(factor, at = 0.5) {
    this.moveTo(scaled(this.window, factor, at));
  }

  /** @param {number} share of the visible width */
  pan(share) {
    this.moveTo(panned(this.window, share));
  }

  /** @param {Window} window */
  moveTo(window) {
    cancelAnimationFrame(this.animation);
    this.window = this.goal = inTree(window);
    this.host.moved();
    this.redraw();
  }

  /** @param {number} box @param {MouseEvent|null} event */
  hover(box, event) {
    if (box !== this.hovered) {
      this.hovered = box;
      this.redraw();
    }
    this.host.hover(this, box, event);
  }

  remove() {
    this.sizes.disconnect();
    cancelAnimationFrame(this.animation);
    this.element.remove();
  }
}
