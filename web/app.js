// SPDX-License-Identifier: Apache-2.0
// The page's state, what is computed from it, and the current view. Data flows one way: set()
// asks for another state; go() computes shape, weights and tree as far as they depend on the
// change, and draws.
import {boxActions, functionActions} from './actions.js';
import {withChanges} from './changes.js';
import {PALETTES} from './color.js';
import {showCrumbs} from './crumbs.js';
import {Desk} from './desk.js';
import {byId, keepFocus} from './dom.js';
import {eventGroups, filterOf, weigh} from './filter.js';
import {showFilterBar} from './filter_bar.js';
import {FLAME_VIEW, ICICLE_VIEW} from './flame_view.js';
import {hasLegend, preparingLegend, showLegend} from './legend.js';
import {showMenu} from './menu.js';
import {chooseTheme, fillPage, markTab, readTheme, showBusy} from './page.js';
import {PageHistory} from './page_history.js';
import {Painter} from './paint.js';
import {findingParts, PARTS_FIELD, partsOf} from './parts.js';
import {putInPlace, replacing} from './replace.js';
import {SearchBar} from './search_bar.js';
import {
  choiceField,
  fromFragment,
  initialState,
  keptField,
  keepState,
  keptState,
  SHARED_FIELDS,
  toFragment,
} from './state.js';
import {preparingSummary, showSummary} from './summary.js';
import {TIME_VIEW} from './time_view.js';
import {TipBox} from './tip_box.js';
import {Shapes} from './transform.js';
import {treeBuilding} from './tree.js';
import {VIEWS} from './views.js';

/** @typedef {import('./canvas.js').FlameCanvas} FlameCanvas */
/** @typedef {import('./carry.js').Profile} Profile */
/** @typedef {import('./data.js').Data} Data */
/** @typedef {import('./shape.js').MadeNames} MadeNames */
/** @typedef {import('./transform.js').Transform} Transform */
/** @typedef {import('./tree.js').Tree} Tree */
/** @typedef {import('./views.js').State} State */
/** @typedef {import('./views.js').View} View */
/** @typedef {import('./views.js').ViewKind} ViewKind */
/** @template T @typedef {import('./work.js').Work<T>} Work */

/**
 * A state and what is computed from it.
 * @typedef {object} Picture
 * @property {Data} data
 * @property {State} state
 * @property {import('./shape.js').Shape} shape
 * @property {import('./filter.js').Weights} weights
 * @property {Tree} tree
 */

/** @type {import('./state.js').Field[]} */
const FIELDS = [
  ...SHARED_FIELDS,
  PARTS_FIELD,
  keptField(choiceField('colors', '', PALETTES)),
  ...VIEWS.flatMap(view => view.fields ?? []),
];

/** @param {State} state */
const weightsKey = ({event, threads, cpu, parts, range, baseline, side}) =>
  JSON.stringify([event, threads, cpu, parts, range, baseline, side]);

/**
 * What options of the command line chose of the choices that browsers keep. The author of a page
 * means what they wrote, so it wins over what was kept.
 * @param {Data} data @returns {Partial<State>}
 */
function writtenChoices({meta: {look}}) {
  /** @type {Partial<State>} */
  const choices = {};
  if (look.colors_chosen) choices.colors = '';
  if (look.inverted) choices.order = 'name';
  return choices;
}

/** @param {Data} data @param {string[]} groups @returns {State} */
function defaultState(data, groups) {
  const {look, event, has_time: hasTime} = data.meta;
  const kind = look.chart && hasTime ? TIME_VIEW : look.inverted ? ICICLE_VIEW : FLAME_VIEW;
  return {
    ...initialState(FIELDS),
    ...writtenChoices(data),
    absolute: look.absolute === true,
    event: groups.includes(event) ? event : (groups[0] ?? ''),
    view: kind.id,
    transforms: look.reversed ? [{type: 'invert', at: -1}] : [],
  };
}

/** The palette. @param {{state: State, data: Data}} shown */
const colorsIn = ({state, data}) => state.colors || data.meta.look.colors;

/** @typedef {ReturnType<typeof opened>} Opened */

/** What the app has of a profile. @param {Data} data @param {Profile|null} previous */
function opened(data, previous) {
  const groups = eventGroups(data);
  return {
    data,
    previous,
    painter: new Painter(data),
    shapes: new Shapes(data),
    groups,
    views: VIEWS.filter(view => view.isOffered?.(data) ?? true),
    defaults: defaultState(data, groups),
  };
}

/** How long the picture must rest before its new position is written to the address. */
const REMEMBER_MS = 200;

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
    /** @type {View|null} */
    this.view = null;
    this.shownKind = '';
    /** What weights and tree were computed for. */
    this.keys = {weights: '', tree: ''};
    this.searchBar = new SearchBar(this);
    this.tips = new TipBox(this);
    this.rememberTimer = 0;
    /** @type {import('./paint.js').Theme|undefined} */
    this.knownTheme = undefined;
  }

  /** Shows what the address asks for. @returns {Promise<void>} */
  async start() {
    const to = this.stateOf(location.hash.slice(1));
    await this.go(to, null, () => {
      this.history = new PageHistory(this.firstSteps(), fragment => this.recall(fragment));
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
    this.remember();
    keepState(FIELDS, changes);
    this.go(this.changed(changes), this.madeOfGoal, () => this.history.push(this.fragment, kind));
  }

  /** Changes the state, but is not a step. @param {Partial<State>} changes */
  adjust(changes) {
    this.go(this.changed(changes), this.madeOfGoal);
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

  /** @param {Partial<State>} changes @returns {State} */
  changed(changes) {
    const state = {...this.wanted};
    for (const kind of VIEWS) kind.beforeChange?.(state, changes);
    return Object.assign(state, changes);
  }

  get fragment() {
    return toFragment(FIELDS, this.state, this.defaults);
  }

  /** What can be undone in a new page, and what is shown: each transform is a step. */
  firstSteps() {
    const {transforms} = this.state;
    const before = transforms.map((_, i) =>
      toFragment(
        FIELDS,
        {...this.state, transforms: transforms.slice(0, i), zoom: 0, window: null},
        this.defaults,
      ),
    );
    return [...before, this.fragment];
  }

  /** Writes what is shown to the address. */
  remember() {
    clearTimeout(this.rememberTimer);
    if (this.desk.isBusy) return;
    this.history.replace(this.fragment);
  }

  undo() {
    this.remember();
    this.history.undo();
  }

  redo() {
    this.remember();
    this.history.redo();
  }

  rememberSoon() {
    clearTimeout(this.rememberTimer);
    this.rememberTimer = window.setTimeout(() => this.remember(), REMEMBER_MS);
  }

  /** Shows a step of the history. @param {string} fragment */
  recall(fragment) {
    this.go(this.stateOf(fragment), null);
  }

  /** What an address asks for, as far as the profile has it. @param {string} fragment */
  stateOf(fragment) {
    const {data, defaults} = this;
    const usual = {...defaults, ...keptState(FIELDS), ...writtenChoices(data)};
    /** @type {State} */
    const state = fromFragment(FIELDS, fragment, usual);
    if (!this.views.some(kind => kind.id === state.view)) state.view = defaults.view;
    if (!this.groups.includes(state.event)) state.event = defaults.event;
    if (state.threads) state.threads = this.existingThreads(state.threads);
    if (state.parts) state.parts = this.existingParts(state.parts);
    if (!data.meta.has_time) state.range = state.baseline = null;
    return state;
  }

  /** @param {import('./parts.js').PartChoice} parts */
  existingParts(parts) {
    const {names} = partsOf(this.data, parts.by);
    const list = parts.list.filter(part => part < names.length);
    return list.length > 0 ? {...parts, list} : null;
  }

  /** Null if none of them exists; but choosing no thread is valid. @param {number[]} threads */
  existingThreads(threads) {
    const existing = threads.filter(t => t < this.data.meta.threads.length);
    return existing.length > 0 || threads.length === 0 ? existing : null;
  }

  /**
   * The fields that are functions, and their values.
   * @param {any} state @returns {[string, number][]}
   */
  chosenFunctions(state) {
    return FIELDS.filter(field => field.isFunction).map(({name}) => [name, state[name]]);
  }

  get kind() {
    return this.kindOf(this.state);
  }

  /** @param {State} state @returns {ViewKind} */
  kindOf(state) {
    return /** @type {ViewKind} */ (VIEWS.find(kind => kind.id === state.view));
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
    return this.isHeavyFirstIn(this.state);
  }

  /** @param {State} state */
  isHeavyFirstIn(state) {
    const {order} = state;
    return order === '' ? (this.kindOf(state).isHeavyFirst ?? false) : order === 'heavy';
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
        this.computing({...to}, made),
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

  /**
   * @param {State} state is made possible @param {MadeNames|null} made
   * @param {Pick<Opened, 'data'|'shapes'|'previous'>} [profile]
   * @returns {Work<Picture>}
   */
  *computing(state, made, {data, shapes, previous} = this) {
    const {keys} = this;
    state.transforms = yield* shapes.possible(state.transforms);
    const shape = yield* shapes.making(state.transforms);
    this.findFunctions(data, state, shape.made, made);
    const areSame = data === this.data && keys.weights === weightsKey(state);
    if (state.parts) yield* findingParts(data, state.parts.by);
    const weights = areSame ? this.weights : weigh(data, filterOf(state), state.baseline);
    yield data.samples;
    const isKnown = areSame && shape === this.shape && keys.tree === this.treeKey(state);
    let tree = isKnown ? this.tree : yield* treeBuilding(shape, weights, this.treeOptions(state));
    if (previous && state.changes && !isKnown)
      tree = yield* withChanges(tree, state, {data, shapes}, previous);
    if (state.zoom >= shape.count || tree.extent[state.zoom] === 0) {
      state.zoom = 0;
      state.window = null;
    }
    const picture = {data, state, shape, weights, tree};
    yield* this.searchBar.preparing(picture);
    yield* preparingSummary(picture);
    const kind = this.kindOf(state);
    if (hasLegend(kind, tree)) yield* preparingLegend(picture, colorsIn(picture));
    yield* kind.preparing?.(picture, this.view) ?? [];
    return picture;
  }

  /**
   * Transforms number the names that they make, so chosen ones are found anew.
   * @param {Data} data @param {State} state @param {MadeNames} now
   * @param {MadeNames|null} before null: the same
   */
  findFunctions(data, state, now, before) {
    for (const [field, f] of this.chosenFunctions(state)) {
      if (f < now.first) continue;
      const name = (before ?? now).names[f - now.first];
      const found = name === undefined ? -1 : data.functionNamed(name, now);
      Object.assign(state, {[field]: found});
    }
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
    this.keys = {weights: weightsKey(state), tree: this.treeKey(state)};
  }

  /** @param {State} state */
  treeOptions(state) {
    return {heavy: this.isHeavyFirstIn(state), normalized: !state.absolute};
  }

  /** @param {State} state */
  treeKey(state) {
    return JSON.stringify([this.treeOptions(state), state.changes]);
  }

  show() {
    this.searchBar.update();
    this.painter.setHighlight(this.state.mark);
    this.painter.setColors(this.colors);
    const {kind} = this;
    const toView = () => this.focusView();
    if (this.shownKind !== kind.id) {
      const hadFocus = byId('view').contains(document.activeElement);
      this.view?.remove();
      this.shownKind = kind.id;
      this.view = kind.make(this);
      byId('view').replaceChildren(this.view.element);
      if (hadFocus) toView();
    }
    markTab(this);
    keepFocus(byId('summary'), () => showSummary(this), toView);
    keepFocus(byId('filters'), () => showFilterBar(this), toView);
    keepFocus(byId('legend'), () => showLegend(this), toView);
    keepFocus(byId('crumbs'), () => showCrumbs(this), toView);
    this.tips.clear();
    keepFocus(byId('view'), () => this.view?.show(), toView);
    // Not all of a state may be possible.
    this.remember();
    for (const next of this.later.splice(0)) next();
    if (!this.desk.isBusy) this.arriving?.();
  }

  /** Gives the focus to the picture or the text of the view. */
  focusView() {
    const {view} = this;
    const main = '[tabindex="0"]';
    const inside = view?.element.matches(main) ? view.element : view?.element.querySelector(main);
    /** @type {HTMLElement} */ (inside ?? byId('view')).focus({preventScroll: true});
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
    this.rememberSoon();
  }

  /** @param {(box: number) => void} zoom @returns {import('./canvas.js').Host} */
  hostOf(zoom) {
    return {
      theme: () => this.theme(),
      hover: (canvas, box, event) => this.tips.showBox(canvas, box, event),
      select: (canvas, box) => this.tips.showSelected(canvas, box),
      drawn: canvas => this.tips.follow(canvas),
      zoom,
      moved: () => {},
      menu: (canvas, box, x, y) => this.boxMenu(canvas, box, x, y),
    };
  }

  /** @param {FlameCanvas} canvas @param {number} box @param {number} x @param {number} y */
  boxMenu(canvas, box, x, y) {
    this.tips.hide();
    const tree = /** @type {import('./tree.js').Tree} */ (canvas.tree);
    showMenu(this.painter.name(tree.shape.func[box]), boxActions(this, canvas, box), x, y);
  }

  /** @param {number} f @param {number} x @param {number} y */
  functionMenu(f, x, y) {
    showMenu(this.painter.name(f), functionActions(this, f, this.frameOf(f)), x, y);
  }

  /** A frame of a function; -1: none. @param {number} f */
  frameOf(f) {
    const box = this.shape.func.indexOf(f);
    return box > 0 ? this.shape.frame[box] : -1;
  }

  /** @param {number} thread */
  threadName(thread) {
    const [pid, tid, comm] = this.data.meta.threads[thread];
    const known = tid === pid ? [pid] : [pid, tid];
    // As in `wick report`: which thread of a process ran is not always known.
    const ids = pid >= 0 && tid < 0 ? `${pid}/?` : known.filter(id => id >= 0).join('/');
    return [comm, ids].filter(Boolean).join(' ') || 'unknown thread';
  }

  // --- theme

  theme() {
    return (this.knownTheme ??= readTheme());
  }

  toggleTheme() {
    chooseTheme(this.theme().dark ? 'light' : 'dark');
    this.themeChanged();
  }

  themeChanged() {
    this.knownTheme = undefined;
    this.view?.show();
    this.view?.canvas?.draw();
  }
}
