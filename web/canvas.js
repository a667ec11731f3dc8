// SPDX-License-Identifier: Apache-2.0
// A tree on a canvas that is used with mouse, wheel, fingers and keys. The canvas
// is as large as what is seen; a tall element behind it makes the scroll bar, so
// no depth is too much for it.
import {el, oncePerFrame} from './dom.js';
import {paintTree} from './paint.js';
import {fitCanvas, Pixels} from './pixels.js';
import {boxAt, depthOf} from './tree.js';

/** @typedef {import('./tree.js').Tree} Tree */
/** @typedef {import('./paint.js').Painter} Painter */
/** @typedef {import('./paint.js').Window} Window */
/**
 * @typedef {{
 *   theme: () => import('./paint.js').Theme,
 *   hover: (canvas: FlameCanvas, box: number, event: MouseEvent|null) => void,
 *   zoom: (box: number) => void,
 *   moved: () => void,
 *   menu: (canvas: FlameCanvas, box: number, x: number, y: number) => void,
 * }} Host
 */

const REDUCED = matchMedia('(prefers-reduced-motion: reduce)');

/** Keeps a window within the whole. @param {Window} window @returns {Window} */
function within([a, b]) {
  const size = Math.min(Math.max(b - a, 1e-12), 1);
  const start = Math.min(Math.max(a, 0), 1 - size);
  return [start, start + size];
}

export class FlameCanvas {
  /**
   * @param {Painter} painter @param {Host} host
   * @param {{label: string, rootAtTop: boolean}} options
   */
  constructor(painter, host, {label, rootAtTop}) {
    this.painter = painter;
    this.host = host;
    this.rootAtTop = rootAtTop;
    this.row = painter.look.row;
    /** @type {Tree|null} */
    this.tree = null;
    /** @type {Window} */
    this.window = [0, 1];
    this.zoomed = 0;
    this.selected = -1;
    this.hovered = -1;
    /** Rows above flames that do not fill the height: their root lies at the bottom. */
    this.emptyRows = 0;
    /** @type {Set<number>} */
    this.above = new Set();
    this.canvas = el('canvas', {tabIndex: 0, role: 'img', 'aria-label': label});
    this.spacer = el('div', {className: 'spacer'});
    this.element = el('div', {className: 'stage'}, this.canvas, this.spacer);
    this.context = /** @type {CanvasRenderingContext2D} */ (this.canvas.getContext('2d'));
    this.pixels = new Pixels();
    this.redraw = oncePerFrame(() => this.draw());
    // What lies below; a flame graph keeps its root in place when its height changes.
    this.below = 0;
    this.element.addEventListener(
      'scroll',
      () => {
        this.below = this.element.scrollHeight - this.element.clientHeight - this.element.scrollTop;
        this.redraw();
      },
      {passive: true},
    );
    this.sizes = new ResizeObserver(() => {
      if (!rootAtTop)
        this.element.scrollTop = this.element.scrollHeight - this.element.clientHeight - this.below;
      this.draw();
    });
    this.sizes.observe(this.element);
    this.listen();
    this.animation = 0;
  }

  get levels() {
    return this.tree ? this.tree.level.length - 1 : 0;
  }
  get width() {
    return this.element.clientWidth;
  }

  /** @param {Tree} tree @param {number} zoomed @param {Window|null} window */
  show(tree, zoomed, window) {
    const isNew = tree !== this.tree;
    if (isNew && this.tree?.shape !== tree.shape) this.selected = this.hovered = -1;
    this.tree = tree;
    this.spacer.style.height = `${this.levels * this.row}px`;
    this.zoomed = zoomed;
    this.above = new Set();
    for (let i = zoomed; i > 0;) this.above.add((i = tree.shape.parent[i]));
    this.goTo(window ?? this.windowOf(zoomed), !isNew);
    if (isNew && !this.rootAtTop) {
      this.below = 0;
      this.element.scrollTop = this.element.scrollHeight;
    }
  }

  /** @param {number} box @returns {Window} */
  windowOf(box) {
    const tree = /** @type {Tree} */ (this.tree);
    if (tree.extent[box] === 0) return [0, 1];
    return within([tree.x[box] / tree.whole, (tree.x[box] + tree.extent[box]) / tree.whole]);
  }

  /** @param {Window} target @param {boolean} smooth */
  goTo(target, smooth) {
    cancelAnimationFrame(this.animation);
    const from = this.window;
    if (!smooth || REDUCED.matches || (from[0] === target[0] && from[1] === target[1])) {
      this.window = target;
      this.draw();
      return;
    }
    const begin = performance.now();
    const step = (/** @type {number} */ now) => {
      const t = Math.min((now - begin) / 120, 1);
      const eased = 1 - (1 - t) ** 3;
      // Widths shrink by factors, so that far zooms look even.
      const size = Math.exp(
        Math.log(from[1] - from[0]) * (1 - eased) + Math.log(target[1] - target[0]) * eased,
      );
      const share =
        from[1] - from[0] === target[1] - target[0]
          ? eased
          : (size - (from[1] - from[0])) / (target[1] - target[0] - (from[1] - from[0]));
      const start = from[0] + (target[0] - from[0]) * share;
      this.window = t === 1 ? target : [start, start + size];
      this.draw();
      if (t < 1) this.animation = requestAnimationFrame(step);
    };
    this.animation = requestAnimationFrame(step);
  }

  /** The upper edge of a level within the whole height. @param {number} depth */
  top(depth) {
    return (this.rootAtTop ? depth : this.emptyRows + this.levels - 1 - depth) * this.row;
  }

  draw() {
    const width = this.element.clientWidth;
    const height = this.element.clientHeight;
    if (!this.tree || width === 0 || height === 0) return;
    const ratio = fitCanvas(this.canvas, width, height);
    const context = this.context;
    const scroll = this.element.scrollTop;
    const theme = this.host.theme();
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.fillStyle = theme.paper;
    context.fillRect(0, 0, width, height);
    if (this.tree.whole === 0) {
      context.fillStyle = theme.faint;
      context.font = '15px sans-serif';
      context.fillText('No samples are left.', 12, 30);
      return;
    }
    const empty = (this.emptyRows = this.rootAtTop
      ? 0
      : Math.max(0, Math.floor(height / this.row) - this.levels));
    const first = Math.max(0, Math.floor(scroll / this.row) - empty);
    const last = Math.min(this.levels, Math.ceil((scroll + height) / this.row) - empty);
    if (last <= first) return;
    const from = this.rootAtTop ? first : this.levels - last;
    const to = this.rootAtTop ? last : this.levels - first;
    paintTree(context, this.painter, this.tree, {
      window: this.window,
      width,
      from,
      to,
      top: depth => this.top(depth) - scroll,
      row: this.row,
      ratio,
      above: this.above,
      theme,
      pixels: this.pixels,
    });
    this.outline(this.hovered, theme.ink, 1);
    if (this.selected >= 0) this.outline(this.selected, theme.ring, 2.5);
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

  /** Where a box lies, in pixels of the whole height. @param {number} box */
  placeOf(box) {
    const tree = this.tree;
    if (!tree || box < 0 || box >= tree.shape.count || tree.extent[box] === 0) return null;
    const scale = this.width / ((this.window[1] - this.window[0]) * tree.whole);
    const left = (tree.x[box] - this.window[0] * tree.whole) * scale;
    return {left, right: left + tree.extent[box] * scale, top: this.top(depthOf(tree.shape, box))};
  }

  /** The box at a place of the window. @param {number} clientX @param {number} clientY */
  at(clientX, clientY) {
    const bounds = this.canvas.getBoundingClientRect();
    const tree = this.tree;
    if (!tree) return -1;
    const line =
      Math.floor((clientY - bounds.top + this.element.scrollTop) / this.row) - this.emptyRows;
    const depth = this.rootAtTop ? line : this.levels - 1 - line;
    const share =
      this.window[0] + ((clientX - bounds.left) / this.width) * (this.window[1] - this.window[0]);
    return boxAt(tree, depth, share * tree.whole);
  }

  /** @param {number} box */
  select(box) {
    this.selected = box;
    const place = this.placeOf(box);
    if (place) {
      if (place.top < this.element.scrollTop) this.element.scrollTop = place.top;
      else if (place.top + this.row > this.element.scrollTop + this.element.clientHeight)
        this.element.scrollTop = place.top + this.row - this.element.clientHeight;
    }
    this.host.hover(this, box, null);
    this.draw();
  }

  /** Shows a box, zooming out if it lies outside. @param {number} box */
  reveal(box) {
    const [a, b] = this.windowOf(box);
    const size = this.window[1] - this.window[0];
    if (a < this.window[0] || b > this.window[1] || b - a < size / 400) {
      const wanted = Math.min(1, (b - a) * 8);
      this.goTo(within([(a + b - wanted) / 2, (a + b + wanted) / 2]), true);
      this.host.moved();
    }
    this.select(box);
  }

  /** @param {number} factor @param {number} [at] where, 0 to 1 of the width */
  scale(factor, at = 0.5) {
    const [a, b] = this.window;
    const center = a + (b - a) * at;
    this.window = within([center - (center - a) * factor, center + (b - center) * factor]);
    this.host.moved();
    this.redraw();
  }

  /** @param {number} share of what is seen */
  pan(share) {
    const by = share * (this.window[1] - this.window[0]);
    this.window = within([this.window[0] + by, this.window[1] + by]);
    this.host.moved();
    this.redraw();
  }

  /** @param {number} box */
  hover(box, /** @type {MouseEvent|null} */ event) {
    if (box !== this.hovered) {
      this.hovered = box;
      this.redraw();
    }
    this.host.hover(this, box, event);
  }

  listen() {
    const canvas = /** @type {HTMLCanvasElement} */ (this.canvas);
    /** @type {{x: number, y: number, scroll: number, moved: boolean}|null} */
    let drag = null;
    // Of clicks, only newer browsers know it.
    let isTouch = false;
    canvas.addEventListener('pointerdown', event => {
      isTouch = event.pointerType === 'touch';
      if (event.button !== 0) return;
      drag = {x: event.clientX, y: event.clientY, scroll: this.element.scrollTop, moved: false};
    });
    canvas.addEventListener('pointermove', event => {
      if (drag && event.buttons & 1) {
        const dx = event.clientX - drag.x;
        if (!drag.moved && Math.hypot(dx, event.clientY - drag.y) < 4) return;
        if (!drag.moved) canvas.setPointerCapture(event.pointerId);
        drag.moved = true;
        this.pan(-dx / this.width);
        this.element.scrollTop -= event.clientY - drag.y;
        drag.x = event.clientX;
        drag.y = event.clientY;
        return;
      }
      if (event.pointerType !== 'touch') this.hover(this.at(event.clientX, event.clientY), event);
    });
    canvas.addEventListener('pointerleave', () => this.hover(-1, null));
    canvas.addEventListener('click', event => {
      const dragged = drag?.moved;
      drag = null;
      if (dragged) return;
      const box = this.at(event.clientX, event.clientY);
      if (box < 0) return;
      this.selected = box;
      this.host.zoom(box);
      if (isTouch) this.host.hover(this, box, null);
    });
    canvas.addEventListener('contextmenu', event => {
      const box = this.at(event.clientX, event.clientY);
      if (box < 0) return;
      event.preventDefault();
      this.selected = box;
      this.redraw();
      this.host.menu(this, box, event.clientX, event.clientY);
    });
    canvas.addEventListener(
      'wheel',
      event => {
        const tall = this.element.scrollHeight > this.element.clientHeight + 1;
        const sideways = event.shiftKey ? event.deltaY || event.deltaX : event.deltaX;
        if (
          event.ctrlKey ||
          event.metaKey ||
          event.altKey ||
          (!tall && !event.shiftKey && Math.abs(event.deltaY) > Math.abs(event.deltaX))
        ) {
          event.preventDefault();
          const bounds = canvas.getBoundingClientRect();
          const lines = event.deltaMode === 1 ? 16 : 1;
          this.scale(
            Math.exp(Math.max(-1, Math.min(1, (event.deltaY * lines) / 300))),
            (event.clientX - bounds.left) / this.width,
          );
        } else if (
          sideways !== 0 &&
          (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY))
        ) {
          event.preventDefault();
          this.pan(sideways / this.width);
        }
      },
      {passive: false},
    );
    canvas.addEventListener('focus', () => {
      if (this.selected < 0 && this.tree && canvas.matches(':focus-visible'))
        this.select(this.zoomed);
    });
    canvas.addEventListener('keydown', event => {
      if (this.key(event)) event.preventDefault();
    });
  }

  /** Moves the selection; true if the key means something here. @param {KeyboardEvent} event */
  key(event) {
    const tree = this.tree;
    if (!tree || event.ctrlKey || event.metaKey || event.altKey) return false;
    const current = this.selected < 0 ? this.zoomed : this.selected;
    const outward = this.rootAtTop ? 'ArrowDown' : 'ArrowUp';
    const inward = this.rootAtTop ? 'ArrowUp' : 'ArrowDown';
    const {key} = event;
    if (key === outward) this.step(this.widestChild(tree, current));
    else if (key === inward) this.step(current > 0 ? tree.shape.parent[current] : -1);
    else if (key === 'ArrowLeft') this.step(this.beside(tree, current, -1));
    else if (key === 'ArrowRight') this.step(this.beside(tree, current, 1));
    else if (key === 'Home') this.step(this.zoomed);
    else if (key === 'Enter' || key === ' ') this.host.zoom(current);
    else if (key === 'ContextMenu' || (key === 'F10' && event.shiftKey) || key === 'm') {
      const place = this.placeOf(current);
      const bounds = this.canvas.getBoundingClientRect();
      if (place)
        this.host.menu(
          this,
          current,
          bounds.left + Math.max(place.left, 0) + 8,
          bounds.top + place.top - this.element.scrollTop + this.row,
        );
    } else if (key === '+' || key === '=' || key === 'w') this.scale(0.8);
    else if (key === '-' || key === 's') this.scale(1.25);
    else if (key === 'a') this.pan(-0.2);
    else if (key === 'd') this.pan(0.2);
    else return false;
    return true;
  }

  /** @param {number} box */
  step(box) {
    if (box >= 0) this.select(box);
  }

  /** @param {Tree} tree @param {number} box */
  widestChild(tree, box) {
    let best = -1;
    for (let c = tree.shape.firstChild[box]; c < tree.shape.firstChild[box + 1]; ++c)
      if (tree.extent[c] > 0 && (best < 0 || tree.extent[c] > tree.extent[best])) best = c;
    return best;
  }

  /** The neighbour that can be seen. @param {Tree} tree @param {number} box @param {number} by */
  beside(tree, box, by) {
    const depth = depthOf(tree.shape, box);
    const {boxes, level, x, extent, whole} = tree;
    const least = ((this.window[1] - this.window[0]) * whole) / Math.max(this.width, 1);
    let i = level[depth];
    while (i < level[depth + 1] && boxes[i] !== box) ++i;
    for (i += by; i >= level[depth] && i < level[depth + 1]; i += by) {
      const other = boxes[i];
      if (
        extent[other] >= least &&
        x[other] < this.window[1] * whole &&
        x[other] + extent[other] > this.window[0] * whole
      )
        return other;
    }
    return -1;
  }

  remove() {
    this.sizes.disconnect();
    cancelAnimationFrame(this.animation);
    this.element.remove();
  }
}
