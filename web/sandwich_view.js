// SPDX-License-Identifier: Apache-2.0
// The sandwich: the callers of one function as a flame graph, and below it the callees as an
// icicle.
import {FlameCanvas} from './canvas.js';
import {el} from './dom.js';
import {toSvg} from './export.js';
import {FunctionField, heaviestFirst} from './function_field.js';
import {percent, unitAfter} from './numbers.js';
import {changeFrom, changeTexts, shareOf, wholeName} from './shares.js';
import {functionField, wholeNumber} from './state.js';
import {functionTotals, summingUp} from './totals.js';
import {cutText, transformed} from './transform.js';
import {treeBuilding} from './tree.js';
import {finished} from './work.js';

/** @typedef {import('./app.js').App} App */
/** @typedef {import('./totals.js').FunctionTotals} FunctionTotals */
/** @typedef {import('./tree.js').Tree} Tree */
/**
 * @typedef {object} SandwichState
 * @property {number} func -1: the heaviest
 * @property {[number, number]|null} halves the boxes that callers and callees are zoomed to
 */

/** The first box below the root of each half is the function. */
const FUNCTION_BOX = 1;

/** @param {FunctionTotals} totals @returns {number} */
function heaviestFunction({self, functions}) {
  let heaviest = -1;
  for (const f of functions) if (heaviest < 0 || self[f] > self[heaviest]) heaviest = f;
  return heaviest;
}

/**
 * A function, or the heaviest if no sample has it.
 * @param {FunctionTotals} totals @param {number} f
 */
const functionOr = (totals, f) =>
  totals.total[f] > 0 || totals.beforeTotal?.[f] ? f : heaviestFunction(totals);

/** @typedef {{callers: Tree, callees: Tree}} Halves */

/** The halves of the last function, by tree. @type {WeakMap<Tree, {f: number} & Halves>} */
const knownHalves = new WeakMap();

/**
 * @param {import('./picture.js').Picture} picture @param {number} f
 * @returns {import('./work.js').Work<Halves>}
 */
function* halvesOf({data, state, shape, weights, tree}, f) {
  const known = knownHalves.get(tree);
  if (known?.f === f) return known;
  const options = {heavy: true, normalized: !state.absolute};
  const callers = yield* transformed(data, shape, {type: 'callers', at: f});
  const callees = yield* transformed(data, shape, {type: 'function', at: f});
  const halves = {
    f,
    callers: yield* treeBuilding(callers, weights, options),
    callees: yield* treeBuilding(callees, weights, options),
  };
  knownHalves.set(tree, halves);
  return halves;
}

/** @param {import('./picture.js').Picture} picture */
function* preparing(picture) {
  const {data, tree, state} = picture;
  const totals = yield* summingUp(tree, data);
  yield* heaviestFirst(totals);
  const f = functionOr(totals, state.func);
  if (f >= 0) yield* halvesOf(picture, f);
}

class SandwichView {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this.callers = this.half('Callers', false);
    this.canvas = this.half('Callees', true);
    this.canvases = [this.callers, this.canvas];
    this.field = new FunctionField(app, func => app.set({func}));
    this.shares = el('span', {className: 'quiet', id: 'shares'});
    this.remark = el('span', {className: 'loss', role: 'status'});
    this.element = this.layout();
    /** @type {Tree|null} */
    this.shownTree = null;
    this.shownFunction = -1;
  }

  /** @param {string} label @param {boolean} rootAtTop @returns {FlameCanvas} */
  half(label, rootAtTop) {
    const {app} = this;
    const host = app.hostOf(box => this.zoom(canvas, box));
    const options = {
      label: `${label}. Arrow keys move between frames, Enter zooms, m opens a menu`,
      rootAtTop,
      // Without the root, which only holds the function.
      firstLevel: 1,
    };
    const canvas = new FlameCanvas(app.painter, host, options);
    return canvas;
  }

  layout() {
    const label = el('span', {className: 'label', textContent: 'Callers and callees of'});
    const half = (/** @type {string} */ text, /** @type {FlameCanvas} */ canvas) =>
      el('div', {className: 'half'}, el('span', {textContent: text}), canvas.element);
    const {field, shares, remark} = this;
    return el(
      'div',
      {className: 'half'},
      el('div', {className: 'bar'}, label, field.element, shares, remark),
      half('callers ↑', this.callers),
      half('callees ↓', this.canvas),
    );
  }

  /**
   * Zooms to a box, or out of it if it is zoomed already.
   * @param {FlameCanvas} canvas @param {number} box
   */
  zoom(canvas, box) {
    const {tree} = canvas;
    if (!tree) return;
    const isOut = box === canvas.zoomed && box > 0;
    canvas.show(tree, isOut ? Math.max(tree.shape.parent[box], FUNCTION_BOX) : box, null);
    this.app.set({halves: [this.callers.zoomed, this.canvas.zoomed]});
  }

  /** The box that a half is zoomed to. @param {FlameCanvas} canvas @param {Tree} tree */
  zoomOf(canvas, tree) {
    const last = tree.shape.count - 1;
    const chosen = this.app.state.halves?.[this.canvases.indexOf(canvas)] ?? FUNCTION_BOX;
    const box = Math.min(chosen, last);
    return tree.extent[box] > 0 ? box : Math.min(FUNCTION_BOX, last);
  }

  show() {
    const {app} = this;
    if (this.shownTree === app.tree && this.shownFunction === app.state.func) {
      for (const canvas of this.canvases) this.showAgain(canvas);
      return;
    }
    const totals = functionTotals(app.tree, app.data);
    const f = this.chosenFunction(totals);
    this.shownTree = app.tree;
    this.shownFunction = f;
    if (f < 0) return;
    this.showText(f, totals);
    const {callers, callees} = finished(halvesOf(app, f));
    this.callers.show(callers, this.zoomOf(this.callers, callers), null);
    this.canvas.show(callees, this.zoomOf(this.canvas, callees), null);
    const {shape} = callers;
    this.remark.textContent = shape.cut > app.shape.cut ? cutText(shape) : '';
  }

  /** @param {FlameCanvas} canvas */
  showAgain(canvas) {
    const {tree} = canvas;
    if (tree && canvas.zoomed !== this.zoomOf(canvas, tree))
      canvas.show(tree, this.zoomOf(canvas, tree), null);
    else canvas.draw();
  }

  /**
   * The function of the state, or another one if no sample has it.
   * @param {FunctionTotals} totals
   */
  chosenFunction(totals) {
    const {state} = this.app;
    const f = functionOr(totals, state.func);
    if (f !== state.func) state.halves = null;
    state.func = f;
    return f;
  }

  /**
   * The shares of a function, and what they are of.
   * @param {number} f @param {FunctionTotals} totals
   */
  shareText(f, totals) {
    const {tree, filter} = this.app;
    const whole = wholeName(filter);
    if (totals.beforeTotal) {
      const {before, after, change} = changeFrom(tree, totals.beforeTotal[f], totals.total[f]);
      const {value, change: text} = changeTexts(tree);
      const unit = tree.isAbsolute ? unitAfter(tree) : ` of ${whole}`;
      return `before ${value(before)}, after ${value(after)}${unit}, change ${text(change)}`;
    }
    const [self, total] = [totals.self, totals.total].map(of => percent(shareOf(tree, of[f])));
    return `self ${self}, total ${total} of ${whole}`;
  }

  /** @param {number} f @param {FunctionTotals} totals */
  showText(f, totals) {
    const {data} = this.app;
    this.field.show(f, totals);
    this.shares.textContent = this.shareText(f, totals);
  }

  /** @param {import('./export.js').Heading} heading */
  svg(heading) {
    return toSvg(this.app.painter, this.canvases, heading);
  }

  remove() {
    for (const canvas of this.canvases) canvas.remove();
  }
}

/** @type {import('./views.js').ViewKind} */
export const SANDWICH_VIEW = {
  id: 'sandwich',
  title: 'Sandwich',
  make: app => new SandwichView(app),
  preparing,
  isColored: true,
  fields: [
    functionField('func'),
    {
      name: 'halves',
      key: 'halves',
      initial: null,
      write: halves => halves?.join('-') ?? null,
      read(text) {
        const boxes = text.split('-').map(wholeNumber);
        return boxes.length === 2 && !boxes.includes(undefined) ? boxes : undefined;
      },
    },
  ],
  // Another function or transform numbers the boxes anew.
  beforeChange(state, changes) {
    if (changes.transforms || changes.func !== undefined) state.halves = null;
  },
};

/** @param {App} app @param {number} func */
export const showCallersAndCallees = (app, func) => app.set({view: SANDWICH_VIEW.id, func});
