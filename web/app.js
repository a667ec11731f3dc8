// SPDX-License-Identifier: Apache-2.0
// The page's state, what is computed from it, and the current view. Data flows one way: set()
// asks for another state; go() computes shape, weights and tree as far as they depend on the
// change, and draws.
import {hostOf, showFunctionMenu} from './canvas_host.js';
import {Desk} from './desk.js';
import {filterOf} from './filter.js';
import {fillPage, showBusy} from './page.js';
import {PageBody} from './page_body.js';
import {PageHistory} from './page_history.js';
import {changed, fragmentOf, keepChoices, opened, stateIn, stepsTo} from './page_state.js';
import {colorsIn, computing, isHeavyFirstIn, keysOf, kindOf} from './picture.js';
import {putInPlace, replacing} from './replace.js';
import {SearchBar} from './search_bar.js';
import {TipBox} from './tip_box.js';
import {Shapes} from './transform.js';

/** @typedef {import('./canvas.js').FlameCanvas} FlameCanvas */
/** @typedef {import('./carry.js').Profile} Profile */
/** @typedef {import('./data.js').Data} Data */
/** @typedef {import('./picture.js').Picture} Picture */
/** @typedef {import('./shape.js').MadeNames} MadeNames */
/** @typedef {import('./transform.js').Transform} Transform */
/** @typedef {import('./tree.js').Tree} Tree */
/** @typedef {import('./views.js').State} State */
/** @template T @typedef {import('./work.js').Work<T>} Work */

export class App {
  /** @param {Data} data */
  constructor(data) {
    const {painter, shapes, groups, views, defaults} = opened(data, null);
    this.data = data;
    this.painter = painter;
    this.shapes = shapes;
    this.groups = groups;
    this.views = views;
    this.defaults = defaults;
    /** What colours can show changes against. @type {Profile|null} */
    this.previous = null;
    /** A profile on its way to the page. @type {(() => void)|null} */
    this.arriving = null;
    /** What was chosen and does not exist in the profile that replaced the one before. */
    /** @type {string[]} */
    this.lost = [];
    this.state = {...this.defaults};
    /** The state on the way to which the page is, and the one from where; null: it is there. */
    /** @type {{from: State, to: State, made: MadeNames|null}|null} */
    this.goal = null;
    this.desk = new Desk(showBusy);
    // From the first picture on:
    /** @type {PageHistory} */
    this.history;
    /** @type {import('./shape.js').Shape} */
    this.shape;
    /** @type {import('./filter.js').Weights} */
    this.weights;
    /** @type {Tree} */
    this.tree;
    /** @type {(() => void)[]} */
    this.later = [];
    this.body = new PageBody(this);
    /** What weights and tree were computed for. */
    this.keys = {weights: '', tree: ''};
    this.searchBar = new SearchBar(this);
    this.tips = new TipBox(this);
  }

  /** Shows what the address asks for. @returns {Promise<void>} */
  async start() {
    await this.go(stateIn(location.hash.slice(1), this), null, () => {
      const steps = stepsTo(this.state, this.defaults);
      const now = () => (this.desk.isBusy ? null : this.fragment);
      this.history = new PageHistory(steps, now, fragment => this.recall(fragment));
      fillPage(this);
    });
  }

  // --- state

  /**
   * Changes the state: a step that the user can undo.
   * @param {Partial<State>} changes
   * @param {string} [kind] successive steps of the same kind become one; '': none do
   */
  set(changes, kind = '') {
    this.history.remember();
    keepChoices(changes);
    const arrived = () => this.history.push(this.fragment, kind);
    this.go(changed(this.wanted, changes), this.madeOfGoal, arrived);
  }

  /** Changes the state, but is not a step. @param {Partial<State>} changes */
  adjust(changes) {
    this.go(changed(this.wanted, changes), this.madeOfGoal);
  }

  /**
   * What the functions of the state that was asked for last refer to.
   * @returns {MadeNames|null}
   */
  get madeOfGoal() {
    return this.goal ? this.goal.made : this.data.made;
  }

  /** The state that was asked for last. */
  get wanted() {
    return this.goal?.to ?? this.state;
  }

  get fragment() {
    return fragmentOf(this.state, this.defaults);
  }

  /** Shows a step of the history. @param {string} fragment */
  recall(fragment) {
    this.go(stateIn(fragment, this), null);
  }

  get kind() {
    return kindOf(this.state);
  }

  get filter() {
    return filterOf(this.state);
  }

  /** The palette. */
  get colors() {
    return colorsIn(this);
  }

  /** The tree without a comparison, for views that show none. */
  get plainTree() {
    return this.tree.beforeTotal ? {...this.tree, beforeTotal: null, beforeSelf: null} : this.tree;
  }

  get isHeavyFirst() {
    return isHeavyFirstIn(this.state);
  }

  get unit() {
    return this.weights.unit;
  }

  // --- what is computed from the state

  /**
   * Shows another state, at once or when all that it needs is computed. Until then, the page is as
   * it was.
   * @param {State} to
   * @param {MadeNames|null} made what its functions refer to; null: what its own transforms make
   * @param {() => void} [arrived] called before it is shown
   * @returns {Promise<void>}
   */
  go(to, made, arrived) {
    this.goal = {from: this.goal?.from ?? {...this.state}, to, made};
    this.lost = [];
    return new Promise((done, failed) => {
      this.desk.start(
        computing(this, {...to}, made),
        picture => {
          this.arrive(picture);
          arrived?.();
          this.show();
          done();
        },
        error => {
          this.goal = null;
          failed(error);
        },
      );
    });
  }

  /**
   * Shows another profile as this one is shown: what is chosen is found by its name. What the user
   * asks for meanwhile comes first.
   * @param {Data} data
   * @param {Data} [baseline] what the colours of changes refer to; else the profile shown before
   * @returns {Promise<void>}
   */
  replace(data, baseline) {
    const before = {data: this.data, shapes: this.shapes};
    const previous = baseline ? {data: baseline, shapes: new Shapes(baseline)} : before;
    return new Promise((done, failed) => {
      const show = (/** @type {import('./replace.js').Replacement} */ replacement) => {
        this.arriving = null;
        putInPlace(this, replacement);
        done();
      };
      this.arriving = () => this.desk.start(replacing(this, opened(data, previous)), show, failed);
      if (!this.desk.isBusy) this.arriving();
    });
  }

  /** Stays where the page is. */
  cancel() {
    this.desk.cancel();
    this.goal = this.arriving = null;
    this.searchBar.restore();
    // A step of the history may have been cancelled.
    this.history.push(this.fragment);
    this.show();
  }

  /**
   * Does work that leads to no other state; what does comes first, and ends it.
   * @template T @param {Work<T>} work @param {(result: T) => void} done
   */
  alongside(work, done) {
    if (this.goal) return;
    const next = (/** @type {T} */ result) => {
      done(result);
      if (!this.desk.isBusy) this.arriving?.();
    };
    this.desk.start(work, next, error => {
      throw error;
    });
  }

  /** Calls `next` when the page shows what was asked for. @param {() => void} next */
  afterwards(next) {
    if (this.goal) this.later.push(next);
    else next();
  }

  /** @param {Picture} picture */
  arrive({state, shape, weights, tree}) {
    const from = /** @type {any} */ (this.goal?.from ?? {});
    // What is not asked for stays as it is now: the user may have moved the picture meanwhile.
    for (const [field, value] of Object.entries(state))
      if (value !== from[field]) Object.assign(this.state, {[field]: value});
    if (shape.made !== this.data.made) {
      this.data.made = shape.made;
      this.painter.forgetMade();
    }
    Object.assign(this, {shape, weights, tree, goal: null});
    this.keys = keysOf(state);
  }

  show() {
    this.body.show();
    // Not all of a state may be possible.
    this.history.remember();
    for (const next of this.later.splice(0)) next();
    if (!this.desk.isBusy) this.arriving?.();
  }

  /** What is on the page. */
  get view() {
    return this.body.view;
  }

  // --- transforms

  /** @param {Transform[]} transforms */
  setTransforms(transforms) {
    this.set({transforms, zoom: 0, window: null});
  }

  /** @param {Transform} transform */
  apply(transform) {
    const {transforms} = this.wanted;
    const isUndo = transform.type === 'invert' && transforms.at(-1)?.type === 'invert';
    this.setTransforms(isUndo ? transforms.slice(0, -1) : [...transforms, transform]);
  }

  /** @param {number} count the number of transforms to keep */
  keepTransforms(count) {
    this.setTransforms(this.state.transforms.slice(0, count));
  }

  // --- boxes and functions

  /** @param {number} box */
  zoomTo(box) {
    this.set({zoom: box, window: null});
  }

  /** The user moved or scaled the picture. @param {FlameCanvas} canvas */
  windowMoved(canvas) {
    this.state.window = canvas.goal;
    this.history.rememberSoon();
  }

  /** @param {(box: number) => void} zoom @returns {import('./canvas.js').Host} */
  hostOf(zoom) {
    return hostOf(this, zoom);
  }

  /** @param {number} f @param {number} x @param {number} y */
  functionMenu(f, x, y) {
    showFunctionMenu(this, f, x, y);
  }
}
