// SPDX-License-Identifier: Apache-2.0
// The table of functions: what the pictures show, as text that can be sorted and read aloud.
import {el} from './dom.js';
import {amount, countText} from './numbers.js';
import {wholeName} from './shares.js';
import {textField} from './state.js';
import {callersOf, forgetCallers} from './table_callers.js';
import {describedRow, headRow, tableRow} from './table_cells.js';
import {allColumns} from './table_columns.js';
import {tableFile} from './table_export.js';
import {listing, listOf} from './table_list.js';
import {RowList, RowWindow} from './table_rows.js';
import {finished} from './work.js';

/** @typedef {import('./app.js').App} App */
/** @typedef {import('./picture.js').Picture} Picture */
/** @typedef {import('./table_list.js').TableList} TableList */
/** @typedef {import('./tree.js').Tree} Tree */

/** Browsers cannot scroll further than some tens of millions of pixels. */
const MOST_LISTED = 500_000;

/** @param {App} app */
const tableCaption = ({tree}) =>
  tree.unit_ns > 0 ? 'Functions and their time' : `Functions, in ${tree.unit}`;

export class TableView {
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
    /** What is listed, from show() on. @type {TableList} */
    this.listed;
    this.list = this.rowsOf([]);
    this.window = new RowWindow(this.element, i => tableRow(this, i));
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
    const listed = listOf(app);
    const restoreFocus = this.rememberedFocus();
    const list = this.rowsOf(listed.functions.slice(0, MOST_LISTED));
    list.openAs(this.list);
    this.list = list;
    this.listed = listed;
    this.current = Math.min(this.current, Math.max(list.rows.length - 1, 0));
    const table = this.table();
    this.element.replaceChildren(table, this.foot());
    this.window.fill(table, list.rows.length);
    restoreFocus();
  }

  /** @param {number[]} functions */
  rowsOf(functions) {
    return new RowList(functions, f => finished(callersOf(this.app, f)));
  }

  table() {
    return el(
      'table',
      {'aria-rowcount': this.list.rows.length + 1},
      el('caption', {className: 'quiet', textContent: tableCaption(this.app)}),
      el('thead', {}, headRow(this, allColumns(this.listed.columns))),
      el('tbody', {}),
    );
  }

  /** Shows or hides the callers of a row. @param {number} i */
  toggle(i) {
    const {app, list} = this;
    const row = list.rows[i];
    if (typeof row !== 'number' || list.isOpen(i)) {
      if (typeof row === 'number') forgetCallers(app.tree, row);
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

  /** @param {number} i */
  announce(i) {
    const [name, lines] = describedRow(this, i);
    this.app.tips.describe(name, lines);
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

  foot() {
    const {length: count} = this.listed.functions;
    const functions = countText(count, this.app.painter.hits ? 'matching function' : 'function');
    const cut = count > MOST_LISTED ? `, of which the table has ${amount(MOST_LISTED, 0)}` : '';
    return el('p', {className: 'quiet', textContent: functions + cut + this.legend()});
  }

  /** What the numbers are. */
  legend() {
    const {tree, filter, unit} = this.app;
    const whole = wholeName(filter);
    if (!this.listed.isComparison) return `; shares of ${whole}`;
    const what = tree.isAbsolute
      ? `absolute: ${tree.unit_ns > 0 ? 'times' : unit}`
      : `normalised: shares of ${whole} of each side, changes in points`;
    return `; ${what}; *: the interval excludes 0`;
  }

  /** The functions that are listed, with all that is known of them. */
  get tableRows() {
    const {functions, columns} = this.listed;
    return {
      count: functions.length,
      file: (/** @type {string} */ separator, most = functions.length) =>
        tableFile(functions.slice(0, most), columns, separator),
    };
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
  yield* listing(picture);
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
