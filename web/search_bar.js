// SPDX-License-Identifier: Apache-2.0
// The search field: what it matches, and the way from match to match.
import {byId} from './dom.js';
import {FLAME_VIEW, ICICLE_VIEW} from './flame_view.js';
import {amount} from './numbers.js';
import {matched, matchedText, matcher, matchingFunctions} from './search.js';
import {wholeName} from './shares.js';

/** @typedef {import('./app.js').App} App */
/** @typedef {import('./tree.js').Tree} Tree */

export class SearchBar {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    /** The outermost boxes that match. @type {number[]} */
    this.matches = [];
    this.isSorted = false;
    this.current = -1;
    this.key = '';
    /** @type {Tree|null} */
    this.tree = null;
  }

  listen() {
    const {app} = this;
    const field = byId('search');
    field.addEventListener('input', () => app.set({search: field.value}, 'search'));
    field.addEventListener('keydown', (/** @type {KeyboardEvent} */ event) => {
      if (event.key === 'Enter') this.go(event.shiftKey ? -1 : 1);
    });
    byId('mode').onclick = () => app.set({plain: !app.state.plain});
    byId('case').onclick = () => this.toggleCase();
    byId('previous').onclick = () => this.go(-1);
    byId('next').onclick = () => this.go(1);
  }

  focus() {
    byId('search').focus();
    byId('search').select();
  }

  toggleCase() {
    this.app.set({ignoreCase: !this.app.state.ignoreCase});
  }

  /** Searches again if the query, the tree or the zoom has changed. */
  update() {
    const {state, data, tree} = this.app;
    const query = [state.search, state.plain, state.ignoreCase];
    const key = JSON.stringify([...query, state.zoom, data.names]);
    if (this.key === key && this.tree === tree) return;
    this.key = key;
    this.tree = tree;
    this.app.painter.hits = null;
    this.matches = [];
    this.isSorted = false;
    this.current = -1;
    const found = this.search();
    const field = byId('search');
    if (field.value !== state.search) field.value = state.search;
    if (found === null) field.setAttribute('aria-invalid', 'true');
    else field.removeAttribute('aria-invalid');
    byId('matched').textContent = found ?? 'not a regular expression';
    byId('mode').setAttribute('aria-pressed', String(!state.plain));
    byId('case').setAttribute('aria-pressed', String(state.ignoreCase));
  }

  /** The share that matches, as text; null if the query is not a regular expression. */
  search() {
    const {state, painter, data, tree} = this.app;
    if (state.search === '') return '';
    const {search, plain, ignoreCase, zoom} = state;
    const matches = matcher({text: search, regex: !plain, ignoreCase});
    if (!matches) return null;
    painter.hits = matchingFunctions(data, matches);
    const found = matched(tree, painter.hits, zoom);
    this.matches = found.outermost;
    return matchedText(tree, found, zoom, wholeName(this.app.filter));
  }

  /** Reveals the next or the previous match, widest first. @param {number} by 1 or -1 */
  go(by) {
    const {app, matches} = this;
    if (matches.length === 0) return;
    if (app.view?.canvas?.tree !== app.tree) {
      app.set({view: (app.defaults.view === ICICLE_VIEW.id ? ICICLE_VIEW : FLAME_VIEW).id});
      this.go(by);
      return;
    }
    const {extent} = app.tree;
    if (!this.isSorted) matches.sort((a, b) => extent[b] - extent[a] || a - b);
    this.isSorted = true;
    const count = matches.length;
    const next = this.current < 0 ? (by > 0 ? 0 : -1) : this.current + by;
    this.current = (next + count) % count;
    app.view.canvas.reveal(matches[this.current]);
    const share = byId('matched').textContent.replace(/ · \d.*$/, '');
    const position = `${amount(this.current + 1, 0)} of ${amount(count, 0)}`;
    byId('matched').textContent = `${share} · ${position}`;
  }
}
