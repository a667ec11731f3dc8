// SPDX-License-Identifier: Apache-2.0
// The table of functions: what the pictures show, as text that can be sorted and read aloud.
import {button, el} from './dom.js';
import {lastPartStart} from './names.js';
import {amount, countText, percent, weightText} from './numbers.js';
import {showCallersAndCallees} from './sandwich_view.js';
import {changeFrom, changeTexts, shareOf, wholeName} from './shares.js';
import {textField} from './state.js';
import {allColumns, columnsOf, originColumns, sortFunctions, tableText} from './table_columns.js';
import {MOST_INDENT, pathOf, RowList, RowWindow} from './table_rows.js';
import {functionTotals, summingUp} from './totals.js';
import {transformed} from './transform.js';
import {treeBuilding} from './tree.js';
import {finished} from './work.js';

/** @typedef {import('./app.js').App} App */
/** @typedef {import('./picture.js').Picture} Picture */
/** @typedef {import('./table_columns.js').Columns} Columns */
/** @typedef {import('./table_columns.js').TableColumn} TableColumn */
/** @typedef {import('./table_rows.js').Caller} Caller */
/** @typedef {import('./tree.js').Tree} Tree */
/**
 * @typedef {object} TableState
 * @property {string} sort the key of a column and a direction: 'self.down'; '': the default
 */

/** Browsers cannot scroll further than some tens of millions of pixels. */
const MOST_LISTED = 500_000;

/** @param {App} app */
const tableCaption = ({tree}) =>
  tree.unit_ns > 0 ? 'Functions and their time' : `Functions, in ${tree.unit}`;

/** A name in two parts: what is before the last qualifier may be cut. @param {string} name */
function nameParts(name) {
  const start = lastPartStart(name);
  const parts = [el('span', {className: 'last', textContent: name.slice(start)})];
  if (start > 0) parts.unshift(el('span', {className: 'scope', textContent: name.slice(0, start)}));
  return parts;
}

/** The callers of open functions, by tree. @type {WeakMap<Tree, Map<number, Tree>>} */
const knownCallers = new WeakMap();

/**
 * @param {Pick<Picture, 'data'|'state'|'shape'|'weights'|'tree'>} picture @param {number} f
 * @returns {import('./work.js').Work<Tree>}
 */
function* callersOf({data, state, shape, weights, tree}, f) {
  let known = knownCallers.get(tree);
  if (!known) knownCallers.set(tree, (known = new Map()));
  let callers = known.get(f);
  if (callers) return callers;
  const callersShape = yield* transformed(data, shape, {type: 'callers', at: f});
  const options = {heavy: true, normalized: !state.absolute};
  callers = yield* treeBuilding(callersShape, weights, options);
  known.set(f, callers);
  return callers;
}

class TableView {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this.element = el('div', {
      className: 'page table',
      tabIndex: 0,
      role: 'region',
      'aria-label': 'Table of functions',
      onkeydown: (/** @type {KeyboardEvent} */ event) => this.key(event),
    });
    /** @type {Columns|null} */
    this.columns = null;
    this.list = this.listOf([]);
    this.window = new RowWindow(this.element, i => this.row(i));
    /** The row that the Tab key leads to. */
    this.current = 0;
    this.shownKey = '';
    /** @type {Tree|null} */
    this.shownTree = null;
  }

  func() {
    const row = this.element.querySelector('tbody tr:hover, tbody tr:focus-within');
    return Number(row?.dataset.function ?? -1);
  }

  show() {
    const {app} = this;
    const {state, tree} = app;
    const {sort, search, plain, letterCase, mark} = state;
    const key = JSON.stringify([sort, search, plain, letterCase, mark]);
    if (key === this.shownKey && this.shownTree === tree) return;
    this.shownKey = key;
    this.shownTree = tree;
    const totals = functionTotals(tree, app.data);
    const columns = columnsOf(app, totals);
    const [sortKey, direction] = (sort || `${columns.before[0].key}.down`).split('.');
    const isUp = direction === 'up';
    const {hits} = app.painter;
    const functions = hits ? totals.functions.filter(f => hits[f]) : totals.functions.slice();
    const sorted = allColumns(columns).find(column => column.key === sortKey) ?? columns.before[0];
    const ties = sorted.key.startsWith('self') ? totals.total : totals.self;
    sortFunctions(functions, sorted, isUp, totals.beforeTotal ? null : ties);
    this.columns = columns;
    const restoreFocus = this.rememberedFocus();
    const list = this.listOf(functions.slice(0, MOST_LISTED));
    list.openAs(this.list);
    this.list = list;
    this.current = Math.min(this.current, Math.max(list.rows.length - 1, 0));
    const table = this.table(columns, sorted, isUp);
    const foot = this.foot(functions.length, totals.beforeTotal !== null);
    this.element.replaceChildren(table, foot);
    this.window.fill(table, list.rows.length);
    restoreFocus();
  }

  /** @param {number[]} functions */
  listOf(functions) {
    return new RowList(functions, f => finished(callersOf(this.app, f)));
  }

  /** @param {Columns} columns @param {TableColumn} sorted @param {boolean} isUp */
  table(columns, sorted, isUp) {
    const head = allColumns(columns).map(column => this.head(column, column === sorted, isUp));
    return el(
      'table',
      {'aria-rowcount': this.list.rows.length + 1},
      el('caption', {className: 'quiet', textContent: tableCaption(this.app)}),
      el('thead', {}, el('tr', {'aria-rowindex': 1}, ...head)),
      el('tbody', {}),
    );
  }

  /** @param {TableColumn} column @param {boolean} isSorted @param {boolean} isUp */
  head({key, title, wide, isText}, isSorted, isUp) {
    const first = isText ? 'up' : 'down';
    const other = isUp ? 'down' : 'up';
    const sort = `${key}.${isSorted ? other : first}`;
    const properties = {
      scope: 'col',
      className: [wide && 'wide', isText && 'text', key === 'name' && 'name']
        .filter(Boolean)
        .join(' '),
      'aria-sort': !isSorted ? 'none' : isUp ? 'ascending' : 'descending',
      'data-key': key,
    };
    const arrow = !isSorted ? '' : isUp ? ' ▲' : ' ▼';
    return el(
      'th',
      properties,
      button(title + arrow, () => this.app.set({sort})),
    );
  }

  /** @param {number} i @returns {HTMLTableRowElement} */
  row(i) {
    const row = this.list.rows[i];
    const columns = /** @type {Columns} */ (this.columns);
    if (typeof row !== 'number') return this.callerRow(i, row, columns);
    const cells = (/** @type {TableColumn[]} */ list) => list.map(column => this.cell(column, row));
    const className = row === this.app.state.mark ? 'hit' : '';
    return el(
      'tr',
      {className, 'data-function': row, 'aria-rowindex': i + 2},
      ...cells(columns.before),
      this.nameCell(i, row, 0),
      ...cells(columns.after),
    );
  }

  /** @param {TableColumn} column @param {number} f */
  cell({wide, isText, text, bar, tone}, f) {
    const share = bar?.(f) ?? 0;
    const names = [wide && 'wide', isText && 'text', share > 0 && 'share', tone?.(f)];
    const td = el('td', {className: names.filter(Boolean).join(' '), textContent: text(f)});
    if (share > 0) td.style.setProperty('--share', `${(100 * Math.min(share, 1)).toFixed(2)}%`);
    return td;
  }

  /** @param {number} i @param {number} f @param {number} depth */
  nameCell(i, f, depth) {
    const {app, list} = this;
    const open = list.isOpen(i);
    const toggle = button(open ? '▾' : '▸', () => this.toggle(i), {
      className: 'toggle',
      tabIndex: -1,
      'aria-expanded': open,
      'aria-label': `Callers of ${app.painter.name(f).slice(0, 100)}`,
      disabled: !list.canOpen(i),
    });
    const name = el(
      'button',
      {
        type: 'button',
        className: 'function',
        tabIndex: i === this.current ? 0 : -1,
        onclick: () => showCallersAndCallees(app, f),
        onfocus: () => this.focused(i),
        onmouseenter: (/** @type {MouseEvent} */ event) => this.showTip(i, event),
        onmouseleave: () => app.tips.hide(),
      },
      ...nameParts(app.painter.name(f)),
    );
    name.addEventListener('contextmenu', (/** @type {MouseEvent} */ event) => {
      event.preventDefault();
      app.functionMenu(f, event.clientX, event.clientY);
    });
    const cell = el('td', {className: 'name'}, el('div', {}, name, toggle));
    cell.firstChild.style.setProperty('--depth', String(Math.min(depth, MOST_INDENT)));
    return cell;
  }

  /**
   * What is known of a caller, by the column's key.
   * @param {Caller} row @returns {Record<string, string>}
   */
  callerTexts({tree, box, rest}) {
    if (rest > 0) return {};
    const total = tree.total[box];
    if (!tree.beforeTotal)
      return {total: weightText(tree, total), 'total%': percent(shareOf(tree, total))};
    const {before, after, change} = changeFrom(tree, tree.beforeTotal[box], total);
    const texts = changeTexts(tree);
    return {before: texts.value(before), after: texts.value(after), change: texts.change(change)};
  }

  /** @param {number} i @param {Caller} row @param {Columns} columns */
  callerRow(i, row, columns) {
    const {data} = this.app;
    const {tree, box, depth, rest} = row;
    const texts = this.callerTexts(row);
    const cells = (/** @type {TableColumn[]} */ list) =>
      list.map(({key, wide}) =>
        el('td', {className: wide ? 'wide' : '', textContent: texts[key] ?? ''}),
      );
    const f = tree.shape.func[box];
    const name =
      rest > 0
        ? el('td', {className: 'name quiet', textContent: `${countText(rest, 'more caller')}`})
        : this.nameCell(i, f, depth);
    if (rest === 0 && !data.isFunction(f))
      name.firstChild.append(el('span', {className: 'quiet', textContent: '\u2002thread'}));
    return el(
      'tr',
      {className: 'caller', 'data-function': rest > 0 ? -1 : f, 'aria-rowindex': i + 2},
      ...cells(columns.before),
      name,
      ...cells(columns.after),
    );
  }

  /** Shows or hides the callers of a row. @param {number} i */
  toggle(i) {
    const {app, list} = this;
    const row = list.rows[i];
    if (typeof row !== 'number' || list.isOpen(i)) {
      if (typeof row === 'number') knownCallers.get(app.tree)?.delete(row);
      this.toggleKnown(i);
      return;
    }
    app.alongside(callersOf(app, row), () => {
      const now = this.list.rows.indexOf(row);
      if (now >= 0) this.toggleKnown(now);
    });
  }

  /** @param {number} i */
  toggleKnown(i) {
    const {list, window: rows} = this;
    list.toggle(i);
    this.current = i;
    rows.table?.setAttribute('aria-rowcount', String(list.rows.length + 1));
    rows.refill(list.rows.length);
    this.focusRow(i);
  }

  /** @param {number} i */
  focusRow(i) {
    const last = this.list.rows.length - 1;
    const to = Math.min(Math.max(i, 0), last);
    this.window.reveal(to);
    this.window.rowAt(to)?.querySelector('button')?.focus({preventScroll: true});
  }

  /** A row got the focus: the Tab key leads back to it. @param {number} i */
  focused(i) {
    const before = this.window.rowAt(this.current)?.querySelector('button');
    if (before) before.tabIndex = -1;
    this.current = i;
    const now = this.window.rowAt(i)?.querySelector('button');
    if (!now) return;
    now.tabIndex = 0;
    this.announce(i);
  }

  /**
   * Everything about a row, with its whole name.
   * @param {number} i @returns {[string, string[]]}
   */
  description(i) {
    const row = this.list.rows[i];
    const columns = /** @type {Columns} */ (this.columns);
    if (typeof row !== 'number') {
      const names = pathOf(row).map(f => this.app.painter.name(f));
      const share = percent(shareOf(row.tree, row.tree.total[row.box]));
      return [
        names.pop() ?? '',
        [`total: ${share}`, `calls ${names.reverse().join(', which calls ')}`],
      ];
    }
    const lines = [...columns.before, ...columns.after]
      .map(({title, text, whole, isText}) => [title, (isText && whole ? whole : text)(row)])
      .filter(([, text]) => text !== '')
      .map(([title, text]) => `${title}: ${text}`);
    return [columns.name.text(row), lines];
  }

  /** @param {number} i */
  announce(i) {
    const [name, lines] = this.description(i);
    this.app.tips.describe(name, lines);
  }

  /** @param {number} i @param {MouseEvent} event */
  showTip(i, event) {
    this.app.tips.show(...this.description(i), event);
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const i = this.window.rowOf(document.activeElement);
    if (event.ctrlKey || event.metaKey || event.altKey || i < 0) return;
    const [from, to] = this.window.visible();
    const page = Math.max(to - from - 2, 1);
    const {list} = this;
    /** @type {Record<string, () => void>} */
    const keys = {
      ArrowDown: () => this.focusRow(i + 1),
      ArrowUp: () => this.focusRow(i - 1),
      PageDown: () => this.focusRow(i + page),
      PageUp: () => this.focusRow(i - page),
      Home: () => this.focusRow(0),
      End: () => this.focusRow(list.rows.length - 1),
      ArrowRight: () => (list.isOpen(i) ? this.focusRow(i + 1) : this.toggle(i)),
      ArrowLeft: () => (list.isOpen(i) ? this.toggle(i) : this.focusRow(list.parentOf(i))),
    };
    if (!Object.hasOwn(keys, event.key)) return;
    event.preventDefault();
    keys[event.key]();
  }

  /** @param {number} count @param {boolean} isComparison */
  foot(count, isComparison) {
    const functions = countText(count, this.app.painter.hits ? 'matching function' : 'function');
    const cut = count > MOST_LISTED ? `, of which the table has ${amount(MOST_LISTED, 0)}` : '';
    const textContent = functions + cut + this.legend(isComparison);
    return el('p', {className: 'quiet', textContent});
  }

  /** What the numbers are. @param {boolean} isComparison */
  legend(isComparison) {
    const {tree, filter, unit} = this.app;
    const whole = wholeName(filter);
    if (!isComparison) return `; shares of ${whole}`;
    const what = tree.isAbsolute
      ? `absolute: ${tree.unit_ns > 0 ? 'times' : unit}`
      : `normalised: shares of ${whole} of each side, changes in points`;
    return `; ${what}; *: the interval excludes 0`;
  }

  /** The functions with all that is known of them. @param {string} separator */
  text(separator) {
    return tableText(this.list.functions, /** @type {Columns} */ (this.columns), separator);
  }

  /** Rows are what the search found. @returns {import('./views.js').Matches} */
  matches() {
    const {functions} = this.list;
    return {count: functions.length, show: i => this.goToRow(this.list.rows.indexOf(functions[i]))};
  }

  /** @param {number} i */
  goToRow(i) {
    const {element} = this;
    for (const row of element.querySelectorAll('tr[aria-current]'))
      row.removeAttribute('aria-current');
    this.window.reveal(i);
    this.window.rowAt(i)?.setAttribute('aria-current', 'true');
    if (element.contains(document.activeElement)) this.focusRow(i);
    else this.current = i;
    this.announce(i);
  }

  /** A function that gives the focus to what has it now, or to what takes its place. */
  rememberedFocus() {
    const {element, window: rows} = this;
    const th = document.activeElement?.closest('th');
    const key = th && element.contains(th) ? th.dataset.key : '';
    const index = rows.rowOf(document.activeElement);
    const row = this.list.rows[index];
    return () => {
      if (key) element.querySelector(`th[data-key="${key}"] button`)?.focus();
      if (index < 0) return;
      const same = this.list.rows.indexOf(row);
      this.focusRow(same >= 0 ? same : index);
    };
  }

  remove() {
    this.app.tips.hide();
    this.element.remove();
  }
}

/** @param {Picture} picture @param {import('./views.js').View|null} view */
function* preparingTable(picture, view) {
  const {data, tree} = picture;
  const totals = yield* summingUp(tree, data);
  yield* originColumns(tree, data, totals);
  if (view instanceof TableView) for (const f of view.list.open) yield* callersOf(picture, f);
}

/** @type {import('./views.js').ViewKind} */
export const TABLE_VIEW = {
  id: 'table',
  title: 'Table',
  make: app => new TableView(app),
  preparing: preparingTable,
  fields: [textField('sort')],
  keys: [
    ['↑ ↓ Home End', 'the next row, the first, the last'],
    ['→ ←', 'show or hide the callers of a function'],
  ],
};
