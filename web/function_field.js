// SPDX-License-Identifier: Apache-2.0
// A field that completes the names of functions: the heaviest that match what was typed, which is a
// regular expression or, if it is none, text.
import {el} from './dom.js';
import {amount, percent} from './numbers.js';
import {matcher, testing} from './search.js';
import {shareOf} from './shares.js';
import {finished, sorting} from './work.js';

/** @typedef {import('./app.js').App} App */
/** @typedef {import('./totals.js').FunctionTotals} FunctionTotals */

/** How many functions are suggested. */
const MOST_SUGGESTED = 50;

/** @param {string} text */
function testOf(text) {
  const ignoreCase = !/[A-Z]/.test(text);
  return (
    matcher({text, regex: true, ignoreCase}) ??
    /** @type {(name: string) => boolean} */ (matcher({text, regex: false, ignoreCase}))
  );
}

/** By totals. @type {WeakMap<FunctionTotals, number[]>} */
const knownOrders = new WeakMap();

/** @param {FunctionTotals} totals @returns {import('./work.js').Work<number[]>} */
export function* heaviestFirst(totals) {
  const known = knownOrders.get(totals);
  if (known) return known;
  const {total, beforeTotal, functions} = totals;
  const weight = (/** @type {number} */ f) => Math.max(total[f], beforeTotal?.[f] ?? 0);
  const order = yield* sorting(functions, (a, b) => weight(b) - weight(a) || a - b);
  knownOrders.set(totals, order);
  return order;
}

export class FunctionField {
  /** @param {App} app @param {(f: number) => void} choose */
  constructor(app, choose) {
    this.app = app;
    this.choose = choose;
    /** Heaviest first. @type {number[]} */
    this.functions = [];
    /** @type {FunctionTotals|null} */
    this.totals = null;
    /** @type {number[]} */
    this.suggested = [];
    this.active = -1;
    /** The name of the current function. */
    this.name = '';
    this.input = this.makeInput();
    this.list = el('ul', {id: 'suggestions', role: 'listbox', 'aria-label': 'Functions'});
    this.list.hidden = true;
    this.none = el('div', {className: 'loss none', role: 'status'});
    this.element = el('div', {className: 'completed'}, this.input, this.list, this.none);
  }

  makeInput() {
    const properties = {
      type: 'text',
      role: 'combobox',
      'aria-label': 'Function',
      'aria-autocomplete': 'list',
      'aria-controls': 'suggestions',
      'aria-expanded': false,
      placeholder: 'name or regular expression',
      spellcheck: false,
      autocomplete: 'off',
    };
    return el('input', {
      ...properties,
      oninput: () => this.suggest(),
      onfocus: () => this.input.select(),
      onclick: () => this.suggest(''),
      onblur: () => this.close(),
      onkeydown: (/** @type {KeyboardEvent} */ event) => this.key(event),
    });
  }

  /** @param {number} f the current function @param {FunctionTotals} totals */
  show(f, totals) {
    this.totals = totals;
    this.functions = finished(heaviestFirst(totals));
    this.name = this.app.data.name(f);
    this.input.value = this.name;
    this.close();
  }

  /**
   * Suggests what matches.
   * @param {string} [text] instead of what was typed
   * @param {() => void} [then] called when the suggestions are there
   */
  suggest(text = this.input.value, then) {
    const {app} = this;
    if (text === '') {
      this.showMatches(text, this.functions);
      return;
    }
    app.afterwards(() => {
      const {data} = app;
      app.alongside(testing(data, data.made, testOf(text)), hits => {
        if (document.activeElement !== this.input) return;
        const found = this.functions.filter(f => hits[f]);
        this.showMatches(text, found);
        then?.();
      });
    });
  }

  /** @param {string} text @param {number[]} found */
  showMatches(text, found) {
    const {totals} = this;
    this.suggested = found.slice(0, MOST_SUGGESTED);
    const rest = found.length - this.suggested.length;
    const items = this.suggested.map((f, i) => this.option(f, i, totals));
    if (rest > 0)
      items.push(el('li', {className: 'quiet', textContent: `${amount(rest, 0)} more`}));
    this.list.replaceChildren(...items);
    const none = text !== '' && found.length === 0;
    this.none.textContent = none ? 'No function matches.' : '';
    this.list.hidden = found.length === 0;
    this.input.setAttribute('aria-expanded', String(!this.list.hidden));
    this.activate(-1);
  }

  /** @param {number} f @param {number} i @param {FunctionTotals|null} totals */
  option(f, i, totals) {
    const {tree, painter} = this.app;
    const share = percent(shareOf(tree, totals?.total[f] ?? 0));
    const properties = {
      role: 'option',
      id: `suggestion-${i}`,
      title: painter.name(f).slice(0, 2000),
      // The field keeps the focus.
      onmousedown: (/** @type {MouseEvent} */ event) => event.preventDefault(),
      onclick: () => this.take(i),
    };
    return el(
      'li',
      properties,
      el('span', {className: 'quiet', textContent: share}),
      el('span', {textContent: painter.name(f)}),
    );
  }

  /** @param {number} i the suggestion that Enter takes; -1: none */
  activate(i) {
    this.list.children[this.active]?.removeAttribute('aria-selected');
    this.active = i;
    const item = this.list.children[i];
    if (!item) {
      this.input.removeAttribute('aria-activedescendant');
      return;
    }
    item.setAttribute('aria-selected', 'true');
    item.scrollIntoView({block: 'nearest'});
    this.input.setAttribute('aria-activedescendant', item.id);
  }

  /** @param {number} i */
  take(i) {
    const f = this.suggested[i];
    this.close();
    if (f !== undefined) this.choose(f);
  }

  /** Takes what is typed: a name, or else the heaviest function that matches. */
  takeTyped() {
    const {totals} = this;
    const {data} = this.app;
    const exact = data.functionNamed(this.input.value);
    const isThere = totals?.total[exact] || totals?.beforeTotal?.[exact];
    if (exact >= 0 && isThere && data.isFunction(exact)) {
      this.close();
      this.choose(exact);
    } else if (this.list.hidden) this.suggest(this.input.value, () => this.take(0));
    else this.take(0);
  }

  close() {
    this.list.hidden = true;
    this.suggested = [];
    this.activate(-1);
    this.input.setAttribute('aria-expanded', 'false');
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const count = this.suggested.length;
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step !== 0) {
      if (this.list.hidden) this.suggest(this.input.value === this.name ? '' : this.input.value);
      else this.activate((Math.max(this.active, step > 0 ? -1 : 0) + step + count) % count);
    } else if (event.key === 'Enter') {
      if (this.active >= 0) this.take(this.active);
      else if (this.input.value !== '') this.takeTyped();
    } else if (event.key === 'Escape' && (!this.list.hidden || this.input.value !== this.name)) {
      this.none.textContent = '';
      this.input.value = this.name;
      this.close();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }
}
