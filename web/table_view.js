// SPDX-License-Identifier: Apache-2.0
// The table of functions: what the pictures show, as text that can be sorted and
// read aloud.
import {button, el} from './dom.js';
import {amount, percent, points} from './numbers.js';
import {changeInterval, functionTotals} from './totals.js';
import {weigh} from './filter.js';

/** @typedef {import('./app.js').App} App */
/**
 * @typedef {{key: string, title: string, wide?: boolean, value: (f: number) => number, text: (f: number) => string}} Column   wide: left out of narrow pages
 */

const PAGE = 300;

/**
 * How often each function was called, where the profile has an event for it.
 * @param {App} app @returns {Float64Array|null}
 */
function callsOf(app) {
  if (!app.data.meta.events.some(event => event.group === 'calls') || app.data.isDifference)
    return null;
  // When calls of a trace were is not known.
  if (app.filter.range && app.data.clock) return null;
  const weights = weigh(app.data, {...app.filter, group: 'calls'}, null).after;
  const calls = new Float64Array(app.data.names);
  const {map, func} = app.shape;
  for (let i = 1; i < map.length; ++i)
    if (weights[i] > 0 && map[i] > 0) calls[func[map[i]]] += weights[i];
  return calls;
}

/** @param {App} app @param {import('./totals.js').FunctionTotals} totals @returns {Column[]} */
function columnsOf(app, totals) {
  const {tree} = app;
  const whole = tree.total[0] || 1;
  const text = (/** @type {number} */ w) => amount(w, tree.decimals);
  /** @type {Column[]} */
  const columns = [];
  if (totals.beforeTotal && totals.beforeSelf && tree.beforeTotal) {
    const {beforeTotal} = totals;
    const wholeBefore = tree.beforeTotal[0] || 1;
    const before = (/** @type {number} */ f) => beforeTotal[f] / wholeBefore;
    const after = (/** @type {number} */ f) => totals.total[f] / whole;
    const half = (/** @type {number} */ f) => {
      const [low, high] = changeInterval(before(f), after(f), tree.samples);
      return (high - low) / 2;
    };
    const sure = (/** @type {number} */ f) => {
      const [low, high] = changeInterval(before(f), after(f), tree.samples);
      return low > 0 || high < 0;
    };
    columns.push(
      {
        key: 'change',
        title: 'Change',
        value: f => Math.abs(after(f) - before(f)),
        text: f => points(after(f) - before(f)),
      },
      {
        key: 'interval',
        title: '± 95%',
        value: half,
        text: f => (100 * half(f)).toFixed(2) + (sure(f) ? ' *' : ''),
      },
      {
        key: 'before',
        title: 'Before',
        value: before,
        text: f => (beforeTotal[f] === 0 ? 'new' : percent(before(f))),
      },
      {
        key: 'after',
        title: 'After',
        value: after,
        text: f => (totals.total[f] === 0 ? 'gone' : percent(after(f))),
      },
      {
        key: 'self',
        title: 'Self after',
        value: f => totals.self[f],
        text: f => percent(totals.self[f] / whole),
      },
    );
    return columns;
  }
  columns.push(
    {
      key: 'self',
      title: 'Self',
      wide: true,
      value: f => totals.self[f],
      text: f => text(totals.self[f]),
    },
    {
      key: 'self%',
      title: 'Self %',
      value: f => totals.self[f],
      text: f => percent(totals.self[f] / whole),
    },
    {
      key: 'total',
      title: 'Total',
      wide: true,
      value: f => totals.total[f],
      text: f => text(totals.total[f]),
    },
    {
      key: 'total%',
      title: 'Total %',
      value: f => totals.total[f],
      text: f => percent(totals.total[f] / whole),
    },
  );
  const calls = callsOf(app);
  if (calls)
    columns.push({
      key: 'calls',
      title: 'Calls',
      value: f => calls[f],
      text: f => amount(calls[f], 0),
    });
  return columns;
}

/** @param {App} app */
export function tableView(app) {
  const element = el('div', {
    className: 'page',
    tabIndex: 0,
    role: 'region',
    'aria-label': 'Table of functions',
  });
  let shownKey = '';
  let limit = PAGE;
  /** @type {unknown} */
  let shownTree = null;
  return {
    element,
    func: () =>
      Number(
        /** @type {HTMLElement|null} */ (
          element.querySelector('tbody tr:hover, tbody tr:focus-within')
        )?.dataset.function ?? -1,
      ),
    show() {
      const {state, tree, data} = app;
      const key = `${state.sort} ${state.search} ${state.plain} ${state.ignoreCase} ${state.mark} ${limit}`;
      if (key === shownKey && shownTree === tree) return;
      shownKey = key;
      shownTree = tree;
      const totals = functionTotals(tree, data.names);
      const columns = columnsOf(app, totals);
      const [sortKey, direction] = (state.sort || `${columns[0].key}.down`).split('.');
      const sorted = columns.find(column => column.key === sortKey);
      const sign = direction === 'up' ? -1 : 1;
      let rows = totals.functions;
      if (app.painter.hits) rows = rows.filter(f => app.painter.hits?.[f]);
      const all = rows.length;
      if (sorted) {
        const values = new Float64Array(data.names);
        for (const f of rows) values[f] = sorted.value(f);
        rows.sort((a, b) => sign * (values[b] - values[a]) || a - b);
      } else {
        rows.sort((a, b) => sign * (a - b));
      }
      const sortBy = (/** @type {string} */ name) =>
        app.set({sort: `${name}.${sortKey === name && direction !== 'up' ? 'up' : 'down'}`});
      const head = (/** @type {string} */ title, /** @type {string} */ name, wide = false) =>
        el(
          'th',
          {
            scope: 'col',
            className: wide ? 'wide' : '',
            'aria-sort':
              name !== sortKey ? 'none' : direction === 'up' ? 'ascending' : 'descending',
          },
          button(title + (name === sortKey ? (direction === 'up' ? ' ▲' : ' ▼') : ''), () =>
            sortBy(name),
          ),
        );
      const body = rows.slice(0, limit).map(f => {
        const name = button(app.painter.name(f), () => app.set({view: 'sandwich', func: f}), {
          title: 'Show its callers and callees',
        });
        name.addEventListener('contextmenu', (/** @type {MouseEvent} */ event) => {
          event.preventDefault();
          app.functionMenu(f, event.clientX, event.clientY);
        });
        return el(
          'tr',
          {className: f === state.mark ? 'hit' : '', 'data-function': f},
          ...columns.map(column =>
            el('td', {className: column.wide ? 'wide' : '', textContent: column.text(f)}),
          ),
          el('td', {}, name),
        );
      });
      const focused = document.activeElement?.closest('th')?.textContent?.replace(/ [▲▼]$/, '');
      const row = /** @type {HTMLTableRowElement|null} */ (
        document.activeElement?.closest('#view tbody tr') ?? null
      );
      element.replaceChildren(
        el(
          'table',
          {},
          el('caption', {className: 'quiet', textContent: `Functions, in ${app.unit}`}),
          el(
            'thead',
            {},
            el(
              'tr',
              {},
              ...columns.map(column => head(column.title, column.key, column.wide)),
              head('Function', 'name'),
            ),
          ),
          el('tbody', {}, ...body),
        ),
        el('p', {
          className: 'quiet',
          textContent:
            `${Math.min(limit, all)} of ${all} functions${app.painter.hits ? ' that match' : ''}` +
            (totals.beforeTotal ? `; * says that the interval excludes 0` : ''),
        }),
        ...(all > limit
          ? [
              button('Show more', () => {
                limit *= 4;
                this.show();
              }),
            ]
          : []),
      );
      if (focused)
        for (const th of element.querySelectorAll('th'))
          if (th.textContent.replace(/ [▲▼]$/, '') === focused) th.firstElementChild.focus();
      // The function that keys were for, or who took its place.
      if (row)
        (
          element.querySelector(`tr[data-function="${row.dataset.function}"] button`) ??
          element.querySelectorAll('td button')[row.sectionRowIndex]
        )?.focus();
    },
    remove() {
      element.remove();
    },
  };
}
