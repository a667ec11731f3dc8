// SPDX-License-Identifier: Apache-2.0
// The page: what was chosen, what follows from it, and the parts that show it.
// Data flows one way: set() changes the state, update() computes what depends on
// it (shape, weights, tree; each only if something changed) and shows it.
import {aboutView} from './about_view.js';
import {button, byId, choice, copyText, download, el} from './dom.js';
import {toFolded, toSvg} from './export.js';
import {eventGroups, offCpuNodes, weigh} from './filter.js';
import {flameView, sandwichView} from './flame_view.js';
import {heatView} from './heat_view.js';
import {closeMenu, fillHelp, showMenu} from './menu.js';
import {Shapes} from './merge.js';
import {baseName} from './names.js';
import {amount, percent, seconds} from './numbers.js';
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
 *   png?: () => HTMLCanvasElement, escape?: () => boolean}} View */

/** @type {Record<string, string>} */
const TITLES = {flame: 'Flame graph', icicle: 'Icicle', time: 'Time', heat: 'Heat map', sandwich: 'Sandwich', table: 'Table', source: 'Source', about: 'About'};

export class App {
  /** @param {Data} data */
  constructor(data) {
    this.data = data;
    this.painter = new Painter(data);
    this.shapes = new Shapes(data);
    this.groups = eventGroups(data);
    const {look} = data.meta;
    /** @type {State} */
    this.usual = {...initialState(), event: this.groups.includes(data.meta.event) ? data.meta.event : this.groups[0] ?? '',
      view: look.chart && data.meta.has_time ? 'time' : look.inverted ? 'icicle' : 'flame',
      order: look.inverted ? 'name' : '',
      transforms: look.reversed ? [{type: 'invert', at: -1}] : []};
    this.views = ['flame', 'icicle', ...(data.meta.has_time ? ['time', 'heat'] : []), 'sandwich', 'table',
      ...(linesKnown(data) ? ['source'] : []), 'about'];
    /** @type {State} */
    this.state = this.usual;
    /** @type {Transform[]} */
    this.undone = [];
    /** @type {View|null} */
    this.view = null;
    this.viewName = '';
    this.keys = {shape: '', weights: '', tree: '', search: ''};
    /** @type {{whole: number, part: number, outermost: number[], at: number, sorted: boolean}} */
    this.matches = {whole: 0, part: 0, outermost: [], at: -1, sorted: false};
    this.recall();
    this.shape = this.shapes.base;
    this.weights = weigh(data, this.filter, null);
    this.tree = buildTree(this.shape, this.weights, {heavy: false, normalized: true});
    this.keys = {shape: '', weights: this.weightsKey, tree: '', search: ''};
    this.rememberLater = 0;
    /** @type {import('./paint.js').Theme|undefined} */
    this.colors = undefined;
    /** The last tip, since a hand moves often within a box. @type {{canvas: FlameCanvas, box: number, tree: unknown, head: string, lines: string[]}|null} */
    this.tip = null;
  }

  start() {
    const title = this.data.meta.title || (this.data.isDifference ? 'Differential flame graph' : 'Flame graph');
    byId('title').textContent = title;
    byId('title').title = this.data.meta.subtitle || title;
    byId('tabs').append(...this.views.map((view, i) => button(TITLES[view], () => this.set({view}), {
      role: 'tab', id: `tab-${view}`, title: `${TITLES[view]} (${i + 1})`, 'aria-controls': 'view'})));
    byId('tabs').addEventListener('keydown', (/** @type {KeyboardEvent} */ event) => {
      const by = {ArrowRight: 1, ArrowLeft: -1}[event.key];
      if (!by) return;
      const next = this.views[(this.views.indexOf(this.state.view) + by + this.views.length) % this.views.length];
      this.set({view: next});
      byId(`tab-${next}`).focus();
    });
    byId('tools').append(
      button('Export', () => this.exportMenu(), {id: 'export', 'aria-haspopup': 'menu'}),
      button('◐', () => this.toggleTheme(), {id: 'theme', title: 'Light or dark (t)', 'aria-label': 'Light or dark'}),
      button('?', () => this.help(), {id: 'keys', title: 'Keys (?)', 'aria-label': 'Keys'}));
    const losses = this.data.meta.notes.filter(note => note.loss).length;
    if (losses > 0) Object.assign(byId('losses'), {hidden: false, textContent: losses === 1 ? '1 loss' : `${losses} losses`,
      title: this.data.meta.notes.filter(note => note.loss).map(note => note.text).join('\n'), onclick: () => this.set({view: 'about'})});
    fillHelp(byId('help'));
    this.listen();
    this.update();
  }

  // --- state

  /** @param {Partial<State>} changes */
  set(changes) {
    Object.assign(this.state, changes);
    this.remember();
    this.update();
  }

  remember() {
    const fragment = toFragment(this.state, this.usual);
    try {
      history.replaceState(null, '', fragment ? '#' + fragment : location.pathname + location.search);
    } catch {
      // A document without an address of its own has no state.
    }
  }

  recall() {
    const state = fromFragment(location.hash.slice(1), this.usual);
    if (!this.views.includes(state.view)) state.view = this.usual.view;
    if (!this.groups.includes(state.event)) state.event = this.usual.event;
    state.threads = state.threads?.filter(t => t < this.data.meta.threads.length) ?? null;
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
    const limit = type === 'subtree' ? shape.count : type === 'module' ? this.data.strings.size : this.data.names;
    return at >= 0 && at < limit;
  }

  /** @returns {import('./filter.js').Filter} */
  get filter() {
    const {event, threads, cpu, range} = this.state;
    return {group: event, threads: threads && new Set(threads), cpu, range};
  }

  get weightsKey() {
    const {event, threads, cpu, range, baseline} = this.state;
    return JSON.stringify([event, threads, cpu, range, baseline]);
  }

  /** The tree without a comparison, for views that show none. */
  get plainTree() { return this.tree.beforeTotal ? {...this.tree, beforeTotal: null, beforeSelf: null} : this.tree; }
  get heavy() { return this.state.order === 'heavy' || (this.state.order === '' && this.state.view === 'icicle'); }
  get unit() { return this.data.meta.look.count || this.weights.unit; }

  // --- what follows from the state

  compute() {
    const {state, keys, data} = this;
    const shapeKey = JSON.stringify(state.transforms);
    if (keys.shape !== shapeKey) {
      keys.shape = shapeKey;
      this.shape = this.shapes.after(state.transforms);
      keys.tree = '';
    }
    if (keys.weights !== this.weightsKey) {
      keys.weights = this.weightsKey;
      this.weights = weigh(data, this.filter, state.baseline);
      keys.tree = '';
    }
    const treeKey = `${this.heavy} ${state.absolute}`;
    if (keys.tree !== treeKey) {
      keys.tree = treeKey;
      this.tree = buildTree(this.shape, this.weights, {heavy: this.heavy, normalized: !state.absolute});
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
    const key = JSON.stringify([state.search, state.plain, state.ignoreCase, state.zoom, this.data.names]);
    if (keys.search === key) return;
    keys.search = key;
    const field = byId('search'), output = byId('matched');
    if (field.value !== state.search) field.value = state.search;
    field.removeAttribute('aria-invalid');
    this.painter.hits = null;
    this.matches = {whole: 0, part: 0, outermost: [], at: -1, sorted: false};
    output.textContent = '';
    if (state.search === '') return;
    const matches = matcher({text: state.search, regex: !state.plain, ignoreCase: state.ignoreCase});
    if (!matches) {
      field.setAttribute('aria-invalid', 'true');
      output.textContent = 'not a regular expression';
      return;
    }
    this.painter.hits = matchingFunctions(this.data, matches);
    this.matches = {...matched(this.tree, this.painter.hits, state.zoom), at: -1, sorted: false};
    output.textContent = `Matched: ${percent(this.matches.whole / (this.tree.whole || 1))}` +
      (state.zoom > 0 ? ` (${percent(this.matches.part / (this.tree.extent[state.zoom] || 1))} of the zoomed part)` : '');
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
    this.showFilters();
    this.showCrumbs();
    this.hideTip();
    this.view?.show();
  }

  /** @param {string} name @returns {View} */
  makeView(name) {
    switch (name) {
      case 'icicle': return flameView(this, true);
      case 'time': return timeView(this);
      case 'heat': return heatView(this);
      case 'sandwich': return sandwichView(this);
      case 'table': return tableView(this);
      case 'source': return sourceView(this);
      case 'about': return aboutView(this);
      default: return flameView(this, false);
    }
  }

  // --- filters and transforms

  showFilters() {
    const {state, data} = this;
    const bar = byId('filters');
    const focused = document.activeElement?.getAttribute('aria-label');
    const wasOpen = bar.querySelector('details')?.open;
    const parts = [];
    if (this.groups.length > 1)
      parts.push(choice('Event', this.groups.map(g => [g, g || 'samples']), state.event, event => this.set({event, zoom: 0, window: null})));
    if (data.meta.threads.length > 2) parts.push(this.threadFilter(wasOpen ?? false));
    if (offCpuNodes(data))
      parts.push(choice('On or off the CPU', [['', 'on and off CPU'], ['on', 'on CPU'], ['off', 'off CPU']], state.cpu,
        cpu => this.set({cpu: /** @type {''|'on'|'off'} */ (cpu)})));
    if (state.view === 'flame' || state.view === 'icicle')
      parts.push(choice('Order', [['name', 'by name'], ['heavy', 'heaviest first']], this.heavy ? 'heavy' : 'name',
        order => this.set({order: /** @type {'heavy'|'name'} */ (order), window: null})));
    if (this.weights.before)
      parts.push(choice('Scale', [['', 'normalised'], ['absolute', 'absolute']], state.absolute ? 'absolute' : '',
        value => this.set({absolute: value === 'absolute', window: null})));
    if (state.range) parts.push(this.rangeChip('Time', state.range, () => this.set({range: null, window: null})));
    if (state.baseline) parts.push(this.rangeChip('compared with', state.baseline, () => this.set({baseline: null, window: null})));
    state.transforms.forEach((transform, i) => parts.push(button(this.transformText(transform, i), () => {
      this.undone = state.transforms.slice(i + 1).reverse().concat(this.undone);
      this.set({transforms: state.transforms.slice(0, i + 1), zoom: 0, window: null});
    }, {className: 'chip', title: 'Go back to this step'})));
    if (state.transforms.length > 0) parts.push(button('Undo', () => this.undo(), {title: 'Undo (Ctrl-Z)', 'aria-label': 'Undo the last transform'}));
    if (state.mark >= 0 && state.mark < data.names)
      parts.push(button(`marked: ${this.short(this.painter.name(state.mark))} ×`, () => this.set({mark: -1}), {className: 'chip', title: 'Mark nothing'}));
    bar.replaceChildren(...parts);
    if (focused) for (const element of bar.querySelectorAll('[aria-label]'))
      if (element.getAttribute('aria-label') === focused) element.focus();
  }

  /** @param {string} text @param {[number, number]} range @param {() => void} clear */
  rangeChip(text, range, clear) {
    const ns = this.data.meta.tick_ns, step = (range[1] - range[0]) * ns / 100;
    return button(`${text} ${seconds(range[0] * ns, step)} – ${seconds(range[1] * ns, step)} ×`, clear, {className: 'chip', title: 'Take this back'});
  }

  /** @param {boolean} open */
  threadFilter(open) {
    const {state, data} = this;
    const chosen = state.threads;
    const summary = el('summary', {textContent: chosen ? `${chosen.length} of ${data.meta.threads.length - 1} threads` : 'all threads'});
    const details = el('details', {open}, summary);
    const fill = () => {
      if (details.children.length > 1) return;
      const used = new Map();
      for (let i = 0; i < data.samples; ++i) used.set(data.sampleThread[i], (used.get(data.sampleThread[i]) ?? 0) + data.sampleWeight[i]);
      const rows = [...used].sort((a, b) => b[1] - a[1]).map(([thread]) => thread);
      /** @type {Map<number, number[]>} */
      const processes = new Map();
      for (const thread of rows) {
        const pid = data.meta.threads[thread][0];
        processes.set(pid, [...(processes.get(pid) ?? []), thread]);
      }
      const apply = (/** @type {Set<number>} */ set) => this.set({threads: set.size === rows.length ? null : [...set].sort((a, b) => a - b)});
      const now = new Set(chosen ?? rows);
      const box = (/** @type {number[]} */ threads, /** @type {string} */ text) => {
        const input = el('input', {type: 'checkbox', checked: threads.every(t => now.has(t)), onchange: () => {
          for (const t of threads) if (input.checked) now.add(t); else now.delete(t);
          apply(now);
        }, 'aria-label': text});
        return el('label', {}, input, ' ' + text);
      };
      const list = [box(rows, 'all')];
      for (const [pid, threads] of processes) {
        if (threads.length > 1) list.push(box(threads, `process ${pid}: ${this.threadName(threads[0])}`));
        list.push(...threads.slice(0, 500).map(t => box([t], (threads.length > 1 ? '   ' : '') + this.threadName(t))));
      }
      details.append(el('div', {}, ...list));
    };
    if (open) fill();
    details.addEventListener('toggle', fill);
    return details;
  }

  /** @param {number} thread */
  threadName(thread) {
    const [pid, tid, comm] = this.data.meta.threads[thread];
    const numbers = tid >= 0 && tid !== pid ? `${pid}/${tid}` : pid >= 0 ? String(pid) : '';
    return [comm, numbers].filter(Boolean).join(' ') || 'unknown thread';
  }

  /** @param {string} text */
  short(text) { return text.length > 40 ? text.slice(0, 39) + '…' : text; }

  /** @param {Transform} transform @param {number} i */
  transformText({type, at}, i) {
    const name = () => this.short(this.painter.name(at));
    switch (type) {
      case 'function': return `focus ${name()}`;
      case 'subtree': return `subtree ${this.short(this.painter.name(this.shapes.after(this.state.transforms.slice(0, i)).func[at]))}`;
      case 'hide': return `hide ${name()}`;
      case 'drop': return `drop ${name()}`;
      case 'recursion': return at < 0 ? 'no direct recursion' : `collapse recursion of ${name()}`;
      case 'module': return `collapse ${this.short(baseName(this.data.strings.at(at)))}`;
      case 'templates': return 'no template arguments';
      default: return 'inverted';
    }
  }

  /** @param {Transform} transform */
  apply(transform) {
    const {transforms} = this.state;
    this.undone = [];
    // Inverting twice is nothing.
    const last = transforms[transforms.length - 1];
    const next = transform.type === 'invert' && last?.type === 'invert' ? transforms.slice(0, -1) : [...transforms, transform];
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
    if (transform) this.set({transforms: [...this.state.transforms, transform], zoom: 0, window: null});
  }

  // --- zoom

  /** @param {number} box */
  zoomTo(box) { this.set({zoom: box, window: null}); }

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
    if (!isPicture || (state.zoom === 0 && !state.window)) return;
    const path = pathTo(shape, state.zoom);
    const crumb = (/** @type {number} */ box) => button(this.painter.name(shape.func[box]), () => this.zoomTo(box),
      box === state.zoom ? {'aria-current': 'location'} : {});
    const shown = path.length > 60 ? [...path.slice(0, 20), ...path.slice(-40)] : path;
    bar.append(crumb(0), ...shown.flatMap(box => [el('span', {textContent: '›', 'aria-hidden': 'true'}), crumb(box)]));
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
      const style = getComputedStyle(document.documentElement), color = (/** @type {string} */ name) => style.getPropertyValue(name).trim();
      this.colors = {ink: color('--ink'), paper: color('--paper'), faint: color('--faint'), ring: color('--ring'),
        dark: style.colorScheme.includes('dark')};
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
      this.tip = {canvas, box, tree: canvas.tree, ...describe(this.data, canvas.tree, box, canvas.zoomed, this.unit, name)};
    }
    const {head, lines} = this.tip;
    details.textContent = `${head.slice(0, 300)} · ${lines.join(' · ')}`;
    if (event) this.placeTip(head, lines, event);
    else this.hideTip();
  }

  /** @param {string} head @param {string[]} lines @param {MouseEvent} event */
  placeTip(head, lines, event) {
    const tip = byId('tip');
    tip.replaceChildren(el('b', {textContent: head.slice(0, 2000)}), ...lines.map(line => el('div', {textContent: line.slice(0, 500)})));
    tip.hidden = false;
    const {offsetWidth: width, offsetHeight: height} = tip;
    const x = event.clientX + 14 + width > innerWidth ? event.clientX - width - 8 : event.clientX + 14;
    const y = event.clientY + 18 + height > innerHeight ? event.clientY - height - 10 : event.clientY + 18;
    tip.style.left = `${Math.max(4, x)}px`;
    tip.style.top = `${Math.max(4, y)}px`;
  }

  hideTip() { byId('tip').hidden = true; }

  /** What can be done with a box, by key. @param {FlameCanvas} canvas @param {number} box @returns {import('./menu.js').Item[]} */
  boxActions(canvas, box) {
    const tree = /** @type {import('./tree.js').Tree} */ (canvas.tree), {shape} = tree;
    const f = shape.func[box];
    const isMain = shape === this.shape;
    const names = () => pathTo(shape, box).map(b => this.data.name(shape.func[b]));
    /** @type {import('./menu.js').Item[]} */
    const items = [{text: 'Zoom here', key: 'Enter', run: () => canvas.host.zoom(box)}];
    if (box > 0) {
      items.push(...this.functionActions(f, shape.frame[box]));
      if (isMain) items.push({text: 'Focus on this subtree', key: 'F', run: () => this.apply({type: 'subtree', at: box})});
      items.push({text: 'Copy the stack', key: 'C', run: () => copyText(names().join('\n'))});
    }
    return items;
  }

  /** @param {number} f @param {number} frame one of its frames, or -1 @returns {import('./menu.js').Item[]} */
  functionActions(f, frame) {
    const module = frame >= 0 ? this.data.frameModule[frame] : -1;
    const hasModule = module >= 0 && this.data.strings.at(module) !== '';
    const file = frame >= 0 ? this.data.frameFile[frame] : -1;
    const items = [
      {text: 'Focus on the function', key: 'f', run: () => this.apply({type: 'function', at: f})},
      {text: 'Callers and callees', key: 'e', run: () => this.set({view: 'sandwich', func: f})},
      {text: 'Mark all its frames', key: 'k', run: () => this.set({mark: this.state.mark === f ? -1 : f})},
      {text: 'Hide the function', key: 'h', run: () => this.apply({type: 'hide', at: f})},
      {text: 'Drop the stacks with it', key: 'x', run: () => this.apply({type: 'drop', at: f})},
      {text: 'Collapse its recursion', key: 'r', run: () => this.apply({type: 'recursion', at: f})},
    ];
    if (hasModule) items.push({text: `Collapse ${this.short(baseName(this.data.strings.at(module)))}`, key: 'l', run: () => this.apply({type: 'module', at: module})});
    if (file >= 0 && this.data.strings.at(file) !== '' && this.views.includes('source'))
      items.push({text: 'Show the source', key: 'v', run: () => this.set({view: 'source', file})});
    items.push({text: 'Copy the name', key: 'c', run: () => copyText(this.data.name(f))});
    return items;
  }

  /** @param {FlameCanvas} canvas @param {number} box @param {number} x @param {number} y */
  boxMenu(canvas, box, x, y) {
    this.hideTip();
    const tree = /** @type {import('./tree.js').Tree} */ (canvas.tree);
    showMenu(this.painter.name(tree.shape.func[box]), this.boxActions(canvas, box), x, y);
  }

  /** @param {number} f @param {number} x @param {number} y */
  functionMenu(f, x, y) {
    const box = this.shape.func.indexOf(f);
    showMenu(this.painter.name(f), this.functionActions(f, box > 0 ? this.shape.frame[box] : -1), x, y);
  }

  /** @param {string} name */
  functionNamed(name) {
    for (let f = 0; f < this.data.names; ++f) if (this.data.name(f) === name) return f;
    return -1;
  }

  /** @param {number} by */
  nextMatch(by) {
    const canvas = this.view?.canvas, {matches} = this;
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
    byId('matched').textContent = `${byId('matched').textContent.replace(/ · \d.*$/, '')} · ${amount(matches.at + 1, 0)} of ${amount(count, 0)}`;
  }

  // --- the rest of the page

  exportMenu() {
    const {view, data, tree} = this;
    const title = byId('title').textContent;
    const name = title.replace(/[^\w.-]+/g, '-').replace(/^-+|-+$/g, '').toLowerCase() || 'flame';
    const canvas = view?.canvas;
    const items = [];
    if (canvas?.tree) {
      const shown = canvas.tree;
      items.push({text: 'SVG of this view', run: () => download(`${name}.svg`, new Blob([toSvg(this.painter, shown, {
        window: canvas.window, rootAtTop: canvas.rootAtTop, width: Math.max(canvas.width, 800), title, count: this.unit})], {type: 'image/svg+xml'}))});
    }
    const picture = canvas?.canvas ?? view?.element.querySelector('canvas');
    if (picture) items.push({text: 'PNG of this view', run: () => picture.toBlob((/** @type {Blob|null} */ blob) => { if (blob) download(`${name}.png`, blob); })});
    items.push({text: 'Folded stacks', run: () => download(`${name}.folded`, new Blob([toFolded(data, canvas?.tree ?? tree)], {type: 'text/plain'}))});
    const {left, bottom} = byId('export').getBoundingClientRect();
    showMenu('Export', items, left, bottom + 4);
  }

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

  help() { byId('help').showModal(); }

  ask() {
    byId('search').focus();
    byId('search').select();
  }

  /** Escape: the search, then the zoom, then the ranges. */
  escape() {
    const {state} = this;
    if (this.view?.escape?.()) return;
    if (state.search) this.set({search: ''});
    else if (state.zoom > 0 || state.window) this.set({zoom: 0, window: null});
    else if (state.baseline) this.set({baseline: null});
    else if (state.range) this.set({range: null});
    else if (state.mark >= 0) this.set({mark: -1});
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
    window.addEventListener('resize', () => closeMenu());
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.themeChanged());
    window.addEventListener('keydown', event => { if (this.key(event)) event.preventDefault(); });
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const {key} = event, target = /** @type {HTMLElement} */ (event.target);
    const command = event.ctrlKey || event.metaKey;
    if (byId('help').open || target.closest?.('.menu')) return false;
    const typing = target.matches?.('input:not([type=checkbox]), select, textarea') ?? false;
    if (key === 'F3' || (command && !event.shiftKey && key.toLowerCase() === 'f')) this.ask();
    else if (command && !event.shiftKey && key.toLowerCase() === 'i') this.set({ignoreCase: !this.state.ignoreCase});
    else if (command && key.toLowerCase() === 'z' && !typing) event.shiftKey ? this.redo() : this.undo();
    else if (command || event.altKey) return false;
    else if (key === 'Escape') {
      this.escape();
      if (typing) this.view?.canvas?.canvas.focus();
    } else if (typing || event.defaultPrevented) return false;
    else if (/^[1-9]$/.test(key) && Number(key) <= this.views.length) this.set({view: this.views[Number(key) - 1]});
    else if (key === '/') this.ask();
    else if (key === '?') this.help();
    else if (key === 'n') this.nextMatch(1);
    else if (key === 'N') this.nextMatch(-1);
    else if (key === 't') this.toggleTheme();
    else if (key === 'o') this.set({order: this.heavy ? 'name' : 'heavy', window: null});
    else if (key === 'i') this.apply({type: 'invert', at: -1});
    else if (key === 'T') this.apply({type: 'templates', at: -1});
    else if (key === 'R') this.apply({type: 'recursion', at: -1});
    else if (key === 'Backspace') this.zoomTo(this.state.zoom > 0 ? this.shape.parent[this.state.zoom] : 0);
    else return this.boxKey(key);
    return true;
  }

  /** Keys for the box that is selected, or under the mouse. @param {string} key */
  boxKey(key) {
    const canvas = this.view?.canvas;
    if (!canvas?.tree) return false;
    const box = canvas.hovered >= 0 ? canvas.hovered : canvas.selected;
    if (box < 0) return false;
    const item = this.boxActions(canvas, box).find(action => action.key === key);
    item?.run();
    return item !== undefined;
  }
}
