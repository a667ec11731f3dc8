// SPDX-License-Identifier: Apache-2.0
// The page's state, what is computed from it, and the current view. Data flows one way: set()
// changes the state; update() recomputes shape, weights and tree as far as they depend on the
// change, and draws.
import {boxActions, functionActions} from './actions.js';
import {showCrumbs} from './crumbs.js';
import {byId, keepFocus} from './dom.js';
import {eventGroups, weigh} from './filter.js';
import {showFilterBar} from './filter_bar.js';
import {FLAME_VIEW, ICICLE_VIEW} from './flame_view.js';
import {showMenu} from './menu.js';
import {fillPage, markTab, readTheme} from './page.js';
import {PageHistory} from './page_history.js';
import {Painter} from './paint.js';
import {SearchBar} from './search_bar.js';
import {fromFragment, initialState, SHARED_FIELDS, toFragment} from './state.js';
import {showSummary} from './summary.js';
import {TIME_VIEW} from './time_view.js';
import {TipBox} from './tip_box.js';
import {Shapes} from './transform.js';
import {buildTree} from './tree.js';
import {VIEWS} from './views.js';

/** @typedef {import('./canvas.js').FlameCanvas} FlameCanvas */
/** @typedef {import('./data.js').Data} Data */
/** @typedef {import('./transform.js').Transform} Transform */
/** @typedef {import('./views.js').State} State */
/** @typedef {import('./views.js').View} View */
/** @typedef {import('./views.js').ViewKind} ViewKind */

const FIELDS = [...SHARED_FIELDS, ...VIEWS.flatMap(view => view.fields ?? [])];

/** How long the picture must rest before its new position is written to the address. */
const REMEMBER_MS = 200;

export class App {
  /** @param {Data} data */
  constructor(data) {
    this.data = data;
    this.painter = new Painter(data);
    this.shapes = new Shapes(data);
    this.groups = eventGroups(data);
    this.views = VIEWS.filter(view => view.isOffered?.(data) ?? true);
    this.defaults = this.defaultState();
    this.state = this.defaults;
    /** @type {View|null} */
    this.view = null;
    this.shownKind = '';
    this.recall(location.hash.slice(1));
    this.history = new PageHistory(this.firstSteps(), fragment => {
      this.recall(fragment);
      this.update();
    });
    this.shape = this.shapes.after(this.state.transforms);
    data.made = this.shape.made;
    this.weights = weigh(data, this.filter, this.state.baseline);
    this.tree = this.builtTree();
    /** What shape, weights and tree were computed for. */
    this.keys = {shape: this.shapeKey, weights: this.weightsKey, tree: this.treeKey};
    this.searchBar = new SearchBar(this);
    this.tips = new TipBox(this);
    this.rememberTimer = 0;
    /** @type {import('./paint.js').Theme|undefined} */
    this.knownTheme = undefined;
  }

  start() {
    fillPage(this);
    this.update();
  }

  // --- state

  /** @returns {State} */
  defaultState() {
    const {look, event, has_time: hasTime} = this.data.meta;
    const kind = look.chart && hasTime ? TIME_VIEW : look.inverted ? ICICLE_VIEW : FLAME_VIEW;
    return {
      ...initialState(FIELDS),
      absolute: look.absolute === true,
      event: this.groups.includes(event) ? event : (this.groups[0] ?? ''),
      view: kind.id,
      order: look.inverted ? 'name' : '',
      transforms: look.reversed ? [{type: 'invert', at: -1}] : [],
    };
  }

  /**
   * Changes the state: a step that the user can undo.
   * @param {Partial<State>} changes
   * @param {string} [kind] successive steps of the same kind become one; '': none do
   */
  set(changes, kind = '') {
    this.remember();
    this.change(changes);
    this.history.push(this.fragment, kind);
    this.update();
  }

  /** Changes the state, but is not a step. @param {Partial<State>} changes */
  adjust(changes) {
    this.change(changes);
    this.update();
  }

  /** @param {Partial<State>} changes */
  change(changes) {
    for (const kind of VIEWS) kind.beforeChange?.(this.state, changes);
    Object.assign(this.state, changes);
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

  /** @param {string} fragment */
  recall(fragment) {
    const {data, shapes, defaults} = this;
    /** @type {State} */
    const state = fromFragment(FIELDS, fragment, defaults);
    if (!this.views.some(kind => kind.id === state.view)) state.view = defaults.view;
    if (!this.groups.includes(state.event)) state.event = defaults.event;
    if (state.threads) state.threads = this.existingThreads(state.threads);
    if (!data.meta.has_time) state.range = state.baseline = null;
    state.transforms = shapes.possible(state.transforms);
    const {count, made} = shapes.after(state.transforms);
    if (state.zoom >= count) state.zoom = 0;
    for (const [field, f] of this.chosenFunctions(state))
      if (f >= made.end) Object.assign(state, {[field]: -1});
    this.state = state;
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

  /** @returns {ViewKind} */
  get kind() {
    return /** @type {ViewKind} */ (this.views.find(kind => kind.id === this.state.view));
  }

  /** @returns {import('./filter.js').Filter} */
  get filter() {
    const {event, threads, cpu, range, side} = this.state;
    return {group: event, threads: threads && new Set(threads), cpu, range, side};
  }

  get shapeKey() {
    return JSON.stringify(this.state.transforms);
  }

  get treeKey() {
    return `${this.isHeavyFirst} ${this.state.absolute}`;
  }

  get weightsKey() {
    const {event, threads, cpu, range, baseline, side} = this.state;
    return JSON.stringify([event, threads, cpu, range, baseline, side]);
  }

  /** The tree without a comparison, for views that show none. */
  get plainTree() {
    return this.tree.beforeTotal ? {...this.tree, beforeTotal: null, beforeSelf: null} : this.tree;
  }

  get isHeavyFirst() {
    const {order} = this.state;
    return order === '' ? (this.kind.isHeavyFirst ?? false) : order === 'heavy';
  }

  get unit() {
    return this.weights.unit;
  }

  // --- what is computed from the state

  compute() {
    const {state, keys} = this;
    if (keys.shape !== this.shapeKey) {
      keys.shape = this.shapeKey;
      this.reshape();
      keys.tree = '';
    }
    if (keys.weights !== this.weightsKey) {
      keys.weights = this.weightsKey;
      this.weights = weigh(this.data, this.filter, state.baseline);
      keys.tree = '';
    }
    if (keys.tree !== this.treeKey) {
      keys.tree = this.treeKey;
      this.tree = this.builtTree();
    }
    if (state.zoom >= this.shape.count || this.tree.extent[state.zoom] === 0) {
      state.zoom = 0;
      state.window = null;
    }
    this.searchBar.update();
    this.painter.setHighlight(state.mark);
  }

  builtTree() {
    return buildTree(this.shape, this.weights, {
      heavy: this.isHeavyFirst,
      normalized: !this.state.absolute,
    });
  }

  /** Applies the transforms. Names that they make are renumbered, so chosen ones are found anew. */
  reshape() {
    const {state, data} = this;
    const made = this.chosenFunctions(state)
      .filter(([, f]) => f >= data.functions && f < data.names)
      .map(([field, f]) => [field, data.name(f)]);
    this.shape = this.shapes.after(state.transforms);
    data.made = this.shape.made;
    this.painter.forgetMade();
    for (const [field, name] of made) Object.assign(state, {[field]: this.functionNamed(name)});
  }

  update() {
    this.compute();
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
    keepFocus(byId('crumbs'), () => showCrumbs(this), toView);
    this.tips.clear();
    keepFocus(byId('view'), () => this.view?.show(), toView);
    // Not all of a state may be possible.
    this.remember();
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
    const {transforms} = this.state;
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

  /** Of a function and a thread of one name, the function. @param {string} name */
  functionNamed(name) {
    for (let f = 0; f < this.data.names; ++f) if (this.data.name(f) === name) return f;
    return -1;
  }

  /** @param {number} thread */
  threadName(thread) {
    const [pid, tid, comm] = this.data.meta.threads[thread];
    const ids = tid === pid ? [pid] : [pid, tid];
    const numbers = ids.filter(id => id >= 0).join('/');
    return [comm, numbers].filter(Boolean).join(' ') || 'unknown thread';
  }

  // --- theme

  theme() {
    return (this.knownTheme ??= readTheme());
  }

  toggleTheme() {
    document.documentElement.dataset.theme = this.theme().dark ? 'light' : 'dark';
    this.themeChanged();
  }

  themeChanged() {
    this.knownTheme = undefined;
    this.view?.show();
    this.view?.canvas?.draw();
  }
}
