// SPDX-License-Identifier: Apache-2.0
// The rows of the table as elements, and what is said of them.
import {button, el} from './dom.js';
import {lastPartStart} from './names.js';
import {countText, percent, weightText} from './numbers.js';
import {showCallersAndCallees} from './sandwich_view.js';
import {changeFrom, changeTexts, shareOf} from './shares.js';
import {MOST_INDENT, pathOf} from './table_rows.js';

/** @typedef {import('./table_columns.js').TableColumn} TableColumn */
/** @typedef {import('./table_rows.js').Caller} Caller */
/** @typedef {import('./table_view.js').TableView} TableView */

/**
 * The heading of a column, which sorts by it.
 * @param {TableView} view @param {TableColumn} column
 */
function headCell({app, listed}, column) {
  const {key, title, wide, isText} = column;
  const isSorted = column === listed.sorted;
  const first = isText ? 'up' : 'down';
  const other = listed.isUp ? 'down' : 'up';
  const sort = `${key}.${isSorted ? other : first}`;
  const names = [wide && 'wide', isText && 'text', key === 'name' && 'name'];
  const properties = {
    scope: 'col',
    className: names.filter(Boolean).join(' '),
    'aria-sort': !isSorted ? 'none' : listed.isUp ? 'ascending' : 'descending',
    'data-key': key,
  };
  const arrow = !isSorted ? '' : listed.isUp ? ' ▲' : ' ▼';
  return el(
    'th',
    properties,
    button(title + arrow, () => app.set({sort})),
  );
}

/** @param {TableView} view @param {TableColumn[]} columns */
export const headRow = (view, columns) =>
  el('tr', {'aria-rowindex': 1}, ...columns.map(column => headCell(view, column)));

/** @param {TableColumn} column @param {number} f */
function valueCell({wide, isText, text, bar, tone}, f) {
  const share = bar?.(f) ?? 0;
  const names = [wide && 'wide', isText && 'text', share > 0 && 'share', tone?.(f)];
  const td = el('td', {className: names.filter(Boolean).join(' '), textContent: text(f)});
  if (share > 0) td.style.setProperty('--share', `${(100 * Math.min(share, 1)).toFixed(2)}%`);
  return td;
}

/** A name in two parts: what is before the last qualifier may be cut. @param {string} name */
function nameParts(name) {
  const start = lastPartStart(name);
  const parts = [el('span', {className: 'last', textContent: name.slice(start)})];
  if (start > 0) parts.unshift(el('span', {className: 'scope', textContent: name.slice(0, start)}));
  return parts;
}

/** @param {TableView} view @param {number} i @param {number} f @param {number} depth */
function nameCell(view, i, f, depth) {
  const {app, list} = view;
  const open = list.isOpen(i);
  const toggle = button(open ? '▾' : '▸', () => view.toggle(i), {
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
      tabIndex: i === view.current ? 0 : -1,
      onclick: () => showCallersAndCallees(app, f),
      onfocus: () => view.focused(i),
      onmouseenter: (/** @type {MouseEvent} */ event) =>
        app.tips.show(...describedRow(view, i), event),
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
function callerTexts({tree, box, rest}) {
  if (rest > 0) return {};
  const total = tree.total[box];
  if (!tree.beforeTotal)
    return {total: weightText(tree, total), 'total%': percent(shareOf(tree, total))};
  const {before, after, change} = changeFrom(tree, tree.beforeTotal[box], total);
  const texts = changeTexts(tree);
  return {before: texts.value(before), after: texts.value(after), change: texts.change(change)};
}

/** @param {TableView} view @param {number} i @param {Caller} row */
function callerRow(view, i, row) {
  const {before, after} = view.listed.columns;
  const {tree, box, depth, rest} = row;
  const texts = callerTexts(row);
  const cells = (/** @type {TableColumn[]} */ list) =>
    list.map(({key, wide}) =>
      el('td', {className: wide ? 'wide' : '', textContent: texts[key] ?? ''}),
    );
  const f = tree.shape.func[box];
  const name =
    rest > 0
      ? el('td', {className: 'name quiet', textContent: `${countText(rest, 'more caller')}`})
      : nameCell(view, i, f, depth);
  if (rest === 0 && !view.app.data.isFunction(f))
    name.firstChild.append(el('span', {className: 'quiet', textContent: '\u2002thread'}));
  return el(
    'tr',
    {className: 'caller', 'data-function': rest > 0 ? -1 : f, 'aria-rowindex': i + 2},
    ...cells(before),
    name,
    ...cells(after),
  );
}

/** @param {TableView} view @param {number} i @returns {HTMLTableRowElement} */
export function tableRow(view, i) {
  const row = view.list.rows[i];
  if (typeof row !== 'number') return callerRow(view, i, row);
  const {before, after} = view.listed.columns;
  const cells = (/** @type {TableColumn[]} */ list) => list.map(column => valueCell(column, row));
  const className = row === view.app.state.mark ? 'hit' : '';
  return el(
    'tr',
    {className, 'data-function': row, 'aria-rowindex': i + 2},
    ...cells(before),
    nameCell(view, i, row, 0),
    ...cells(after),
  );
}

/**
 * Everything about a row, with its whole name.
 * @param {TableView} view @param {number} i @returns {[string, string[]]}
 */
export function describedRow({app, list, listed}, i) {
  const row = list.rows[i];
  const {before, name, after} = listed.columns;
  if (typeof row !== 'number') {
    const names = pathOf(row).map(f => app.painter.name(f));
    const share = percent(shareOf(row.tree, row.tree.total[row.box]));
    return [
      names.pop() ?? '',
      [`total: ${share}`, `calls ${names.reverse().join(', which calls ')}`],
    ];
  }
  const lines = [...before, ...after]
    .map(({title, text, whole, isText}) => [title, (isText && whole ? whole : text)(row)])
    .filter(([, text]) => text !== '')
    .map(([title, text]) => `${title}: ${text}`);
  return [name.text(row), lines];
}
