// SPDX-License-Identifier: Apache-2.0
// The table of functions: what the pictures show, as text that can be sorted and read aloud.
import {button, el, keepFocus} from './dom.js';
import {weigh} from './filter.js';
import {amount, percent, weightText} from './numbers.js';
import {showCallersAndCallees} from './sandwich_view.js';
import {changeFrom, changeTexts, isCertain, shareOf, wholeName} from './shares.js';
import {textField} from './state.js';
import {functionTotals, summingUp} from './totals.js';

/** @typedef {import('./app.js').App} App */
/** @typedef {import('./totals.js').FunctionTotals} FunctionTotals */
/** @typedef {import('./tree.js').Tree} Tree */
/**
 * @typedef {object} TableState
 * @property {string} sort the key of a column and a direction: 'self.down'; '': the default
 */
/**
 * @typedef {object} TableColumn
 * @property {string} key
 * @property {string} title
 * @property {boolean} [wide] left out of narrow pages
 * @property {(f: number) => number} value
 * @property {(f: number) => string} text
 */

/** How many functions are shown at first. */
const FIRST_ROWS = 300;

/**
 * How often each function was called; null: not known.
 * @param {App} app @returns {Float64Array|null}
 */
function callsOf({data, filter, shape}) {
  const hasCalls = data.meta.events.some(event => event.group === 'calls');
  if (!hasCalls || data.isDifference) return null;
  // A trace does not say when its calls were made.
  if (filter.range && data.clock) return null;
  const weights = weigh(data, {...filter, group: 'calls'}, null).after;
  const calls = new Float64Array(data.names);
  const {map, func} = shape;
  for (let i = 1; i < map.length; ++i)
    if (weights[i] > 0 && map[i] > 0) calls[func[map[i]]] += weights[i];
  return calls;
}

/**
 * @param {Tree} tree @param {FunctionTotals} totals @param {Float64Array} beforeTotal
 * @returns {TableColumn[]}
 */
function comparisonColumns(tree, {self, total}, beforeTotal) {
  const of = (/** @type {number} */ f) => changeFrom(tree, beforeTotal[f], total[f]);
  const texts = changeTexts(tree);
  const half = (/** @type {import('./shares.js').Change} */ {interval: [low, high]}) =>
    (high - low) / 2;
  const intervalText = (/** @type {number} */ f) => {
    const change = of(f);
    return texts.half(half(change)) + (isCertain(change) ? ' *' : '');
  };
  const beforeText = (/** @type {number} */ f) =>
    beforeTotal[f] === 0 ? 'new' : texts.value(of(f).before);
  const afterText = (/** @type {number} */ f) =>
    total[f] === 0 ? 'gone' : texts.value(of(f).after);
  const selfText = (/** @type {number} */ f) =>
    tree.isAbsolute ? weightText(tree, self[f]) : percent(shareOf(tree, self[f]));
  const change = (/** @type {number} */ f) => of(f).change;
  return [
    {
      key: 'change',
      title: 'Change',
      value: f => Math.abs(change(f)),
      text: f => texts.change(change(f)),
    },
    {key: 'interval', title: '± 95%', value: f => half(of(f)), text: intervalText},
    {key: 'before', title: 'Before', value: f => of(f).before, text: beforeText},
    {key: 'after', title: 'After', value: f => of(f).after, text: afterText},
    {key: 'self', title: 'Self after', value: f => self[f], text: selfText},
  ];
}

/**
 * @param {Tree} tree @param {FunctionTotals} totals @param {Float64Array|null} calls
 * @returns {TableColumn[]}
 */
function plainColumns(tree, {self, total}, calls) {
  /** @returns {TableColumn[]} */
  const pair = (/** @type {Float64Array} */ weights, key = '', title = '') => {
    const value = (/** @type {number} */ f) => weights[f];
    const text = (/** @type {number} */ f) => weightText(tree, weights[f]);
    const share = (/** @type {number} */ f) => percent(shareOf(tree, weights[f]));
    return [
      {key, title, wide: true, value, text},
      {key: `${key}%`, title: `${title} %`, value, text: share},
    ];
  };
  const columns = [...pair(self, 'self', 'Self'), ...pair(total, 'total', 'Total')];
  if (calls)
    columns.push({
      key: 'calls',
      title: 'Calls',
      value: f => calls[f],
      text: f => amount(calls[f], 0),
    });
  return columns;
}

/** @param {App} app @param {FunctionTotals} totals */
function columnsOf(app, totals) {
  const {tree} = app;
  return totals.beforeTotal
    ? comparisonColumns(tree, totals, totals.beforeTotal)
    : plainColumns(tree, totals, callsOf(app));
}

/**
 * @param {number[]} functions @param {TableColumn|undefined} column undefined: by name
 * @param {boolean} isUp
 */
function sortFunctions(functions, column, isUp) {
  const sign = isUp ? -1 : 1;
  if (!column) return functions.sort((a, b) => sign * (a - b));
  const last = functions.reduce((a, b) => Math.max(a, b), 0);
  const values = new Float64Array(last + 1);
  for (const f of functions) values[f] = column.value(f);
  return functions.sort((a, b) => sign * (values[b] - values[a]) || a - b);
}

/** @param {App} app */
const tableCaption = ({tree}) =>
  tree.unit_ns > 0 ? 'Functions and their time' : `Functions, in ${tree.unit}`;

class TableView {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this.element = el('div', {
      className: 'page',
      tabIndex: 0,
      role: 'region',
      'aria-label': 'Table of functions',
    });
    this.limit = FIRST_ROWS;
    /** In the order of the rows. @type {number[]} */
    this.functions = [];
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
    const key = JSON.stringify([sort, search, plain, letterCase, mark, this.limit]);
    if (key === this.shownKey && this.shownTree === tree) return;
    this.shownKey = key;
    this.shownTree = tree;
    const totals = functionTotals(tree, app.data);
    const columns = columnsOf(app, totals);
    const [sortKey, direction] = (sort || `${columns[0].key}.down`).split('.');
    const isUp = direction === 'up';
    const {hits} = app.painter;
    const functions = hits ? totals.functions.filter(f => hits[f]) : totals.functions.slice();
    const sorted = columns.find(column => column.key === sortKey);
    sortFunctions(functions, sorted, isUp);
    this.functions = functions;
    this.element.replaceChildren(
      this.table(functions, columns, sortKey, isUp),
      ...this.foot(functions.length, totals.beforeTotal !== null),
    );
  }

  /**
   * @param {number[]} functions @param {TableColumn[]} columns @param {string} sortKey
   * @param {boolean} isUp
   */
  table(functions, columns, sortKey, isUp) {
    const all = [...columns, {key: 'name', title: 'Function', wide: false}];
    const head = all.map(column => this.head(column, column.key === sortKey, isUp));
    const rows = functions.slice(0, this.limit).map(f => this.row(f, columns));
    return el(
      'table',
      {},
      el('caption', {className: 'quiet', textContent: tableCaption(this.app)}),
      el('thead', {}, el('tr', {}, ...head)),
      el('tbody', {}, ...rows),
    );
  }

  /**
   * @param {{key: string, title: string, wide?: boolean}} column @param {boolean} isSorted
   * @param {boolean} isUp
   */
  head({key, title, wide}, isSorted, isUp) {
    const sort = `${key}.${isSorted && !isUp ? 'up' : 'down'}`;
    const properties = {
      scope: 'col',
      className: wide ? 'wide' : '',
      'aria-sort': !isSorted ? 'none' : isUp ? 'ascending' : 'descending',
    };
    const arrow = !isSorted ? '' : isUp ? ' ▲' : ' ▼';
    return el(
      'th',
      properties,
      button(title + arrow, () => this.app.set({sort})),
    );
  }

  /** @param {number} f @param {TableColumn[]} columns */
  row(f, columns) {
    const {app} = this;
    const name = button(app.painter.name(f), () => showCallersAndCallees(app, f), {
      title: 'Show its callers and callees',
    });
    name.addEventListener('contextmenu', (/** @type {MouseEvent} */ event) => {
      event.preventDefault();
      app.functionMenu(f, event.clientX, event.clientY);
    });
    const cells = columns.map(({wide, text}) =>
      el('td', {className: wide ? 'wide' : '', textContent: text(f)}),
    );
    const properties = {className: f === app.state.mark ? 'hit' : '', 'data-function': f};
    return el('tr', properties, ...cells, el('td', {}, name));
  }

  /** @param {number} count @param {boolean} isComparison */
  foot(count, isComparison) {
    const functions = this.app.painter.hits ? 'matching functions' : 'functions';
    const shown = `${Math.min(this.limit, count)} of ${count} ${functions}`;
    const text = el('p', {className: 'quiet', textContent: shown + this.legend(isComparison)});
    if (count <= this.limit) return [text];
    const more = () => {
      this.limit *= 4;
      keepFocus(
        this.element,
        () => this.show(),
        () => this.app.focusView(),
      );
    };
    return [text, button('Show more', more)];
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

  /** Rows are what the search found. @returns {import('./views.js').Matches} */
  matches() {
    return {count: this.functions.length, show: i => this.goToRow(i)};
  }

  /** @param {number} i */
  goToRow(i) {
    if (i >= this.limit) {
      this.limit = i + FIRST_ROWS;
      this.show();
    }
    const {element} = this;
    const rows = element.querySelectorAll('tbody tr');
    for (const row of rows) row.removeAttribute('aria-current');
    rows[i].setAttribute('aria-current', 'true');
    rows[i].scrollIntoView({block: 'nearest'});
    if (element.contains(document.activeElement)) rows[i].querySelector('button').focus();
    const cells = Array.from(rows[i].cells, cell => cell.textContent);
    this.app.tips.announce([cells.pop(), ...cells].join(' · '));
  }

  remove() {
    this.element.remove();
  }
}

/** @type {import('./views.js').ViewKind} */
export const TABLE_VIEW = {
  id: 'table',
  title: 'Table',
  make: app => new TableView(app),
  preparing: ({data}, {tree}) => summingUp(tree, data),
  fields: [textField('sort')],
};
