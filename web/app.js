// SPDX-License-Identifier: Apache-2.0
// The page: what was chosen, what follows from it, and the parts that show it.
// Data flows one way: set() changes the state, update() computes what depends on
// it (shape, weights, tree; each only if something changed) and shows it.
import {aboutView, noTimeView} from './about_view.js';
import {boxActions, exportMenu, functionActions} from './actions.js';
import {button, byId, el} from './dom.js';
import {eventGroups, weigh} from './filter.js';
import {showFilterBar} from './filter_bar.js';
import {flameView, sandwichView} from './flame_view.js';
import {heatView} from './heat_view.js';
import {pageKey} from './keys.js';
import {closeMenu, fillHelp, showMenu} from './menu.js';
import {Shapes} from './merge.js';
import {cutLabel, isolated} from './names.js';
import {amount, percent} from './numbers.js';
import {Painter} from './paint.js';
import {matched, matcher, matchingFunctions} from './search.js';
import {linesKnown, sourceView} from './source_view.js';
import {fromFragment, initialState, toFragment} from './state.js';
import {tableView} from './table_view.js';
import {timeView} from './time_view.js';
import {describe} from './tips.js';
import {buildTree, pathTo} from './tree.js';

/** @typedef {import('./data.js').Data} Data */
/** @typedef {import('./state.js').State} State */
/** @typedef {import('./merge.js').Transform} Transform */
/** @typedef {import('./canvas.js').FlameCanvas} FlameCanvas */
/** @typedef {{element: HTMLElement, canvas?: FlameCanvas, show: () => void, remove: () => void,
 *   canvases?: FlameCanvas[], svg?: (title: string) => string, func?: () => number, escape?: () => boolean}} View
 *   canvases: if there are several; func: the function that keys are for, where there is no canvas */

/** @type {Record<string, string>} */
const TITLES = {
  flame: 'Flame graph',
  icicle: 'Icicle',
  time: 'Time',
  heat: 'Heat map',
  sandwich: 'Sandwich',
  table: 'Table',
  source: 'Source',
  about: 'About',
};

export class App {
  /** @param {Data} data */
  constructor(data) {
    this.data = data;
    this.painter = new Painter(data);
    this.shapes = new Shapes(data);
    this.groups = eventGroups(data);
    const {look} = data.meta;
    /** @type {State} */
    this.usual = {
      ...initialState(),
      event: this.groups.includes(data.meta.event) ? data.meta.event : (this.groups[0] ?? ''),
      view: look.chart && data.meta.has_time ? 'time' : look.inverted ? 'icicle' : 'flame',
      order: look.inverted ? 'name' : '',
      transforms: look.reversed ? [{type: 'invert', at: -1}] : [],
    };
    // Where times are missing for a reason, people look for them.
    this.views = [
      'flame',
      'icicle',
      ...(data.meta.has_time || data.isDifference ? ['time', 'heat'] : []),
      'sandwich',
      'table',
      ...(linesKnown(data) ? ['source'] : []),
      'about',
    ];
    /** @type {State} */
    this.state = this.usual;
    /** @type {Transform[]} */
    this.undone = [];
    /** @type {View|null} */
    this.view = null;
    this.viewName = '';
    /** @type {{whole: number, part: number, outermost: number[], at: number, sorted: boolean}} */
    this.matches = {whole: 0, part: 0, outermost: [], at: -1, sorted: false};
    this.recall();
    this.shape = this.shapes.after(this.state.transforms);
    this.weights = weigh(data, this.filter, this.state.baseline);
    this.tree = buildTree(this.shape, this.weights, {
      heavy: this.heavy,
      normalized: !this.state.absolute,
    });
    /** What shape, weights, tree and search were computed for. */
    this.keys = {shape: this.shapeKey, weights: this.weightsKey, tree: this.treeKey, search: ''};
    this.rememberLater = 0;
    /** @type {import('./paint.js').Theme|undefined} */
    this.colors = undefined;
    /**
     * The last tip, since a hand moves often within a box.
     * @type {{canvas: FlameCanvas, box: number, tree: unknown, head: string, lines: string[]}|null}
     */
    this.tip = null;
  }

  start() {
    const {meta} = this.data;
    const command = meta.about.find(([key]) => key === 'command')?.[1];
    // Of "wick record -a -- ./program", the program.
    const title =
      meta.title ||
      (this.data.isDifference
        ? 'Differential flame graph'
        : command?.replace(/^.*? -- /, '') || 'Flame graph');
    document.title = title;
    byId('title').textContent = title;
    byId('title').title = meta.subtitle || title;
    byId('tabs').append(
      ...this.views.map((view, i) =>
        button(TITLES[view], () => this.set({view}), {
          role: 'tab',
          id: `tab-${view}`,
          title: `${TITLES[view]} (${i + 1})`,
          'aria-controls': 'view',
        }),
      ),
    );
    byId('tabs').addEventListener('keydown', (/** @type {KeyboardEvent} */ event) => {
      const by = {ArrowRight: 1, ArrowLeft: -1}[event.key];
      if (!by) return;
      const next =
        this.views[
          (this.views.indexOf(this.state.view) + by + this.views.length) % this.views.length
        ];
      this.set({view: next});
      byId(`tab-${next}`).focus();
    });
    byId('tools').append(
      button('Export', () => exportMenu(this), {id: 'export', 'aria-haspopup': 'menu'}),
      button('◐', () => this.toggleTheme(), {
        id: 'theme',
        title: 'Light or dark (t)',
        'aria-label': 'Light or dark',
      }),
      button('?', () => this.help(), {id: 'keys', title: 'Keys (?)', 'aria-label': 'Keys'}),
    );
    const losses = this.data.meta.notes.filter(note => note.loss).length;
    if (losses > 0)
      Object.assign(byId('losses'), {
        hidden: false,
        textContent: losses === 1 ? '1 loss' : `${losses} losses`,
        title: this.data.meta.notes
          .filter(note => note.loss)
          .map(note => note.text)
          .join('\n'),
        onclick: () => this.set({view: 'about'}),
      });
    fillHelp(
      byId('help'),
      this.views.map((view, i) => [String(i + 1), TITLES[view]]),
    );
    this.listen();
    this.update();
  }

  // --- state

  /** @param {Partial<State>} changes */
  set(changes) {
    // The boxes of a sandwich are others then.
    if (changes.transforms || changes.func !== undefined) this.state.halves = null;
    Object.assign(this.state, changes);
    this.remember();
    this.update();
  }

  remember() {
    const fragment = toFragment(this.state, this.usual);
    try {
      history.replaceState(
        null,
        '',
        fragment ? '#' + fragment : location.pathname + location.search,
      );
    } catch {
      // A document without an address of its own has no state.
    }
  }

  recall() {
    const state = fromFragment(location.hash.slice(1), this.usual);
    if (!this.views.includes(state.view)) state.view = this.usual.view;
    if (!this.groups.includes(state.event)) state.event = this.usual.event;
    // An empty choice is one; a choice of threads that are not there is none.
    const threads = state.threads?.filter(t => t < this.data.meta.threads.length);
    state.threads = threads && (threads.length > 0 || state.threads?.length === 0) ? threads : null;
    if (!this.data.meta.has_time) state.range = state.baseline = null;
    // A transform that makes no sense ends the list.
    const good = [];
    for (const transform of state.transforms) {
      if (!this.isPossible(transform, this.shapes.after(good))) break;
      good.push(transform);
    }
    state.transforms = good;
    if (state.zoom >= this.shapes.after(good).count) state.zoom = 0;
    if (state.func >= this.data.names) state.func = -1;
    this.state = state;
  }

  /** @param {Transform} transform @param {import('./merge.js').Shape} shape */
  isPossible({type, at}, shape) {
    if (type === 'invert' || type === 'templates') return true;
    if (type === 'recursion' && at < 0) return true;
    const limit =
      type === 'subtree'
        ? shape.count
        : type === 'module'
          ? this.data.strings.size
          : this.data.names;
    return at >= 0 && at < limit;
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
    return `${this.heavy} ${this.state.absolute}`;
  }
  get weightsKey() {
    const {event, threads, cpu, range, baseline, side} = this.state;
    return JSON.stringify([event, threads, cpu, range, baseline, side]);
  }

  /** The tree without a comparison, for views that show none. */
  get plainTree() {
    return this.tree.beforeTotal ? {...this.tree, beforeTotal: null, beforeSelf: null} : this.tree;
  }
  get heavy() {
    return (
      this.state.order === 'heavy' || (this.state.order === '' && this.state.view === 'icicle')
    );
  }
  get unit() {
    return this.data.meta.look.count || this.weights.unit;
  }

  // --- what follows from the state

  compute() {
    const {state, keys, data} = this;
    if (keys.shape !== this.shapeKey) {
      keys.shape = this.shapeKey;
      const chosen = [state.mark, state.func].map(f =>
        f >= data.functions && f < data.names ? data.name(f) : null,
      );
      this.shape = this.shapes.after(state.transforms);
      this.painter.forgetMade();
      if (chosen[0] !== null) state.mark = this.functionNamed(chosen[0]);
      if (chosen[1] !== null) state.func = this.functionNamed(chosen[1]);
      keys.tree = '';
    }
    if (keys.weights !== this.weightsKey) {
      keys.weights = this.weightsKey;
      this.weights = weigh(data, this.filter, state.baseline);
      keys.tree = '';
    }
    if (keys.tree !== this.treeKey) {
      keys.tree = this.treeKey;
      this.tree = buildTree(this.shape, this.weights, {
        heavy: this.heavy,
        normalized: !state.absolute,
      });
      keys.search = '';
    }
    if (state.zoom >= this.shape.count || this.tree.extent[state.zoom] === 0) {
      state.zoom = 0;
      state.window = null;
    }
    this.search();
    this.painter.highlight = state.mark;
  }

  search() {
    const {state, keys} = this;
    const key = JSON.stringify([
      state.search,
      state.plain,
      state.ignoreCase,
      state.zoom,
      this.data.names,
    ]);
    if (keys.search === key) return;
    keys.search = key;
    const field = byId('search');
    const output = byId('matched');
    if (field.value !== state.search) field.value = state.search;
    field.removeAttribute('aria-invalid');
    this.painter.hits = null;
    this.matches = {whole: 0, part: 0, outermost: [], at: -1, sorted: false};
    output.textContent = '';
    if (state.search === '') return;
    const matches = matcher({
      text: state.search,
      regex: !state.plain,
      ignoreCase: state.ignoreCase,
    });
    if (!matches) {
      field.setAttribute('aria-invalid', 'true');
      output.textContent = 'not a regular expression';
      return;
    }
    this.painter.hits = matchingFunctions(this.data, matches);
    this.matches = {...matched(this.tree, this.painter.hits, state.zoom), at: -1, sorted: false};
    output.textContent =
      `Matched: ${percent(this.matches.whole / (this.tree.whole || 1))}` +
      (state.zoom > 0
        ? ` (${percent(this.matches.part / (this.tree.extent[state.zoom] || 1))} of the zoomed part)`
        : '');
  }

  update() {
    this.compute();
    const {state} = this;
    if (this.viewName !== state.view) {
      this.view?.remove();
      this.viewName = state.view;
      this.view = this.makeView(state.view);
      byId('view').replaceChildren(this.view.element);
      byId('view').setAttribute('aria-labelledby', `tab-${state.view}`);
    }
    for (const view of this.views) {
      byId(`tab-${view}`).setAttribute('aria-selected', String(view === state.view));
      byId(`tab-${view}`).tabIndex = view === state.view ? 0 : -1;
    }
    byId('mode').setAttribute('aria-pressed', String(!state.plain));
    byId('case').setAttribute('aria-pressed', String(state.ignoreCase));
    showFilterBar(this);
    this.showCrumbs();
    this.hideTip();
    byId('details').textContent = '';
    this.view?.show();
  }

  /** @param {string} name @returns {View} */
  makeView(name) {
    switch (name) {
      case 'icicle':
        return flameView(this, true);
      case 'time':
        return this.data.meta.has_time ? timeView(this) : noTimeView();
      case 'heat':
        return this.data.meta.has_time ? heatView(this) : noTimeView();
      case 'sandwich':
        return sandwichView(this);
      case 'table':
        return tableView(this);
      case 'source':
        return sourceView(this);
      case 'about':
        return aboutView(this);
      default:
        return flameView(this, false);
    }
  }

  // --- transforms

  /** @param {Transform} transform */
  apply(transform) {
    const {transforms} = this.state;
    this.undone = [];
    // Inverting twice is nothing.
    const last = transforms[transforms.length - 1];
    const next =
      transform.type === 'invert' && last?.type === 'invert'
        ? transforms.slice(0, -1)
        : [...transforms, transform];
    this.set({transforms: next, zoom: 0, window: null});
  }

  undo() {
    const {transforms} = this.state;
    if (transforms.length === 0) return;
    this.undone.push(transforms[transforms.length - 1]);
    this.set({transforms: transforms.slice(0, -1), zoom: 0, window: null});
  }

  redo() {
    const transform = this.undone.pop();
    if (transform)
      this.set({transforms: [...this.state.transforms, transform], zoom: 0, window: null});
  }

  // --- zoom

  /** @param {number} box */
  zoomTo(box) {
    this.set({zoom: box, window: null});
  }

  /** The picture was moved or scaled by hand. @param {FlameCanvas} canvas */
  windowMoved(canvas) {
    this.state.window = canvas.window;
    clearTimeout(this.rememberLater);
    this.rememberLater = window.setTimeout(() => this.remember(), 200);
  }

  showCrumbs() {
    const {state, shape} = this;
    const bar = byId('crumbs');
    const isPicture = state.view === 'flame' || state.view === 'icicle';
    bar.replaceChildren();
    // Always there above a picture, which would else jump by a row when it is zoomed.
    if (!isPicture) return;
    const path = pathTo(shape, state.zoom);
    const crumb = (/** @type {number} */ box) =>
      button(cutLabel(this.painter.name(shape.func[box]), 30), () => this.zoomTo(box), {
        title: this.painter.name(shape.func[box]).slice(0, 500),
        ...(box === state.zoom ? {'aria-current': 'location'} : {}),
      });
    const shown = path.length > 60 ? [...path.slice(0, 20), ...path.slice(-40)] : path;
    bar.append(
      crumb(0),
      ...shown.flatMap(box => [el('span', {textContent: '›', 'aria-hidden': 'true'}), crumb(box)]),
    );
    bar.scrollLeft = bar.scrollWidth;
  }

  // --- boxes

  /** @param {(box: number) => void} zoom @returns {import('./canvas.js').Host} */
  hostOf(zoom) {
    return {
      theme: () => this.theme(),
      hover: (canvas, box, event) => this.showTip(canvas, box, event),
      zoom,
      moved: () => {},
      menu: (canvas, box, x, y) => this.boxMenu(canvas, box, x, y),
    };
  }

  theme() {
    if (!this.colors) {
      const style = getComputedStyle(document.documentElement);
      const color = (/** @type {string} */ name) => style.getPropertyValue(name).trim();
      this.colors = {
        ink: color('--ink'),
        paper: color('--paper'),
        faint: color('--faint'),
        ring: color('--ring'),
        dark: style.colorScheme.includes('dark'),
      };
    }
    return this.colors;
  }

  /** @param {FlameCanvas} canvas @param {number} box @param {MouseEvent|null} event */
  showTip(canvas, box, event) {
    const details = byId('details');
    if (box < 0 || !canvas.tree) {
      details.textContent = '';
      this.hideTip();
      return;
    }
    if (this.tip?.canvas !== canvas || this.tip.box !== box || this.tip.tree !== canvas.tree) {
      const name = this.painter.name(canvas.tree.shape.func[box]);
      this.tip = {
        canvas,
        box,
        tree: canvas.tree,
        ...describe(this.data, canvas.tree, box, canvas.zoomed, this.unit, name),
      };
    }
    const {head, lines} = this.tip;
    details.textContent = `${isolated(head.slice(0, 300))} · ${lines.join(' · ')}`;
    if (event) this.placeTip(head, lines, event);
    else this.hideTip();
  }

  /** @param {string} head @param {string[]} lines @param {MouseEvent} event */
  placeTip(head, lines, event) {
    const tip = byId('tip');
    tip.replaceChildren(
      el('b', {textContent: head.slice(0, 2000)}),
      ...lines.map(line => el('div', {textContent: line.slice(0, 500)})),
    );
    tip.hidden = false;
    const {offsetWidth: width, offsetHeight: height} = tip;
    const x =
      event.clientX + 14 + width > innerWidth ? event.clientX - width - 8 : event.clientX + 14;
    const y =
      event.clientY + 18 + height > innerHeight ? event.clientY - height - 10 : event.clientY + 18;
    tip.style.left = `${Math.max(4, x)}px`;
    tip.style.top = `${Math.max(4, y)}px`;
  }

  /** Below the picture, and aloud. @param {string} text */
  say(text) {
    byId('details').textContent = text;
  }

  hideTip() {
    byId('tip').hidden = true;
  }

  /** @param {FlameCanvas} canvas @param {number} box @param {number} x @param {number} y */
  boxMenu(canvas, box, x, y) {
    this.hideTip();
    const tree = /** @type {import('./tree.js').Tree} */ (canvas.tree);
    showMenu(this.painter.name(tree.shape.func[box]), boxActions(this, canvas, box), x, y);
  }

  /** @param {number} thread */
  threadName(thread) {
    const [pid, tid, comm] = this.data.meta.threads[thread];
    const numbers =
      tid >= 0 && tid !== pid
        ? pid >= 0
          ? `${pid}/${tid}`
          : String(tid)
        : pid >= 0
          ? String(pid)
          : '';
    return [comm, numbers].filter(Boolean).join(' ') || 'unknown thread';
  }

  /** @param {string} text */
  short(text) {
    return isolated(text.length > 40 ? text.slice(0, 39) + '…' : text);
  }

  /** @param {number} f @param {number} x @param {number} y */
  functionMenu(f, x, y) {
    const box = this.shape.func.indexOf(f);
    showMenu(
      this.painter.name(f),
      functionActions(this, f, box > 0 ? this.shape.frame[box] : -1),
      x,
      y,
    );
  }

  /** @param {string} name */
  functionNamed(name) {
    for (let f = 0; f < this.data.names; ++f) if (this.data.name(f) === name) return f;
    return -1;
  }

  /** @param {number} by */
  nextMatch(by) {
    const canvas = this.view?.canvas;
    const {matches} = this;
    if (matches.outermost.length === 0) return;
    if (!canvas || canvas.tree !== this.tree) {
      this.set({view: this.usual.view === 'icicle' ? 'icicle' : 'flame'});
      this.nextMatch(by);
      return;
    }
    if (!matches.sorted) {
      const {extent} = this.tree;
      matches.outermost.sort((a, b) => extent[b] - extent[a] || a - b);
      matches.sorted = true;
    }
    const count = matches.outermost.length;
    matches.at = matches.at < 0 ? (by > 0 ? 0 : count - 1) : (matches.at + by + count) % count;
    canvas.reveal(matches.outermost[matches.at]);
    byId('matched').textContent =
      `${byId('matched').textContent.replace(/ · \d.*$/, '')} · ${amount(matches.at + 1, 0)} of ${amount(count, 0)}`;
  }

  // --- the rest of the page

  toggleTheme() {
    const dark = this.theme().dark;
    document.documentElement.dataset.theme = dark ? 'light' : 'dark';
    this.themeChanged();
  }

  themeChanged() {
    this.colors = undefined;
    this.view?.show();
    this.view?.canvas?.draw();
  }

  help() {
    byId('help').showModal();
  }

  ask() {
    byId('search').focus();
    byId('search').select();
  }

  listen() {
    byId('search').addEventListener('input', () => this.set({search: byId('search').value}));
    byId('search').addEventListener('keydown', (/** @type {KeyboardEvent} */ event) => {
      if (event.key === 'Enter') this.nextMatch(event.shiftKey ? -1 : 1);
    });
    byId('mode').onclick = () => this.set({plain: !this.state.plain});
    byId('case').onclick = () => this.set({ignoreCase: !this.state.ignoreCase});
    byId('previous').onclick = () => this.nextMatch(-1);
    byId('next').onclick = () => this.nextMatch(1);
    window.addEventListener('hashchange', () => {
      this.recall();
      this.update();
    });
    // The list of threads lies over the picture.
    document.addEventListener('pointerdown', event => {
      const list = document.querySelector('#filters details[open]');
      if (list && !list.contains(/** @type {Node} */ (event.target))) list.removeAttribute('open');
    });
    window.addEventListener('resize', () => closeMenu());
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () =>
      this.themeChanged(),
    );
    window.addEventListener('keydown', event => {
      if (pageKey(this, event)) event.preventDefault();
    });
  }
}
