// SPDX-License-Identifier: Apache-2.0
// The search field: what it matches, and the way from match to match.
import {byId} from './dom.js';
import {amount} from './numbers.js';
import {PictureMatches} from './picture_matches.js';
import {
  hasCapital,
  matched,
  matchedText,
  matcher,
  matching,
  matchingFunctions,
  searchProblem,
  testing,
} from './search.js';
import {wholeName} from './shares.js';

/** @typedef {import('./app.js').App} App */
/** @typedef {import('./tree.js').Tree} Tree */
/** @typedef {import('./views.js').State} State */

/** @type {ReturnType<typeof matched>} */
const NOTHING_FOUND = {
  whole: {after: 0, before: 0},
  part: {after: 0, before: 0},
  inside: [],
  outside: [],
};

/**
 * Whether the case of letters matters: as chosen, or else if the search has a capital one.
 * @param {State} state
 */
const matchesCase = ({search, plain, letterCase}) =>
  letterCase === '' ? hasCapital(search, !plain) : letterCase === 'match';

/** @param {State} state @returns {import('./search.js').Query} */
const queryOf = state => ({
  text: state.search,
  regex: !state.plain,
  ignoreCase: !matchesCase(state),
});

/**
 * 1 for functions that the search of a state matches; null: nothing is searched.
 * @param {Pick<import('./picture.js').Picture, 'data'|'state'|'tree'>} picture
 * @returns {import('./work.js').Work<Uint8Array|null>}
 */
export function* hitsOf({data, state, tree}) {
  const matches = state.search && matcher(queryOf(state));
  return matches ? yield* testing(data, tree.shape.made, matches) : null;
}

export class SearchBar {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    /** The boxes of the tree that match: in the zoomed picture, and out of it. */
    this.found = NOTHING_FOUND;
    /** What was searched, and in which picture. */
    this.key = '';
    this.place = '';
    /** @type {Tree|null} */
    this.tree = null;
    /** What matches in the view, in the order of going through it; null: not yet known. */
    /** @type {import('./views.js').Matches|null} */
    this.places = null;
    this.current = -1;
    /** The share that matches, as text. */
    this.share = '';
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
    byId('outside').onclick = () => this.leaveZoom();
  }

  focus() {
    byId('search').focus();
    byId('search').select();
  }

  get matchesCase() {
    return matchesCase(this.app.state);
  }

  toggleCase() {
    const {app} = this;
    const {search, plain} = app.state;
    const matches = !this.matchesCase;
    const isUsual = matches === hasCapital(search, !plain);
    app.set({letterCase: isUsual ? '' : matches ? 'match' : 'ignore'});
  }

  /**
   * Finds what update() needs.
   * @param {import('./picture.js').Picture} picture
   * @returns {import('./work.js').Work<void>}
   */
  *preparing(picture) {
    const hits = yield* hitsOf(picture);
    if (hits) yield* matching(picture.tree, hits, picture.state.zoom);
  }

  /** Writes the query that is shown into the field. */
  restore() {
    byId('search').value = this.app.state.search;
  }

  /** Searches again if the query, the tree or the zoom has changed. */
  update() {
    const {state, data, tree} = this.app;
    const {search, plain, letterCase, zoom, view, func, halves, sort} = state;
    const key = JSON.stringify([search, plain, letterCase, zoom, data.names]);
    const place = JSON.stringify([view, func, halves, sort]);
    const isSame = this.key === key && this.tree === tree;
    if (isSame && this.place === place) return;
    this.place = place;
    this.places = null;
    this.current = -1;
    if (!isSame) {
      this.key = key;
      this.tree = tree;
      this.search();
    }
    this.showFound();
  }

  search() {
    const {state, painter, data, tree, filter} = this.app;
    const {search, plain, zoom} = state;
    painter.hits = null;
    this.found = NOTHING_FOUND;
    this.share = '';
    const matches = matcher(queryOf(state));
    if (search !== '' && matches) {
      painter.hits = matchingFunctions(data, matches);
      const found = matched(tree, painter.hits, zoom);
      this.found = found;
      this.share = matchedText(tree, found, zoom, wholeName(filter));
    }
    const field = byId('search');
    if (field.value !== search) field.value = search;
    if (matches) field.removeAttribute('aria-invalid');
    else field.setAttribute('aria-invalid', 'true');
    if (!matches) this.share = searchProblem(queryOf(state));
    byId('mode').setAttribute('aria-pressed', String(!plain));
    byId('case').setAttribute('aria-pressed', String(this.matchesCase));
  }

  /** Says what matches, which of the matches is current, and how many are out of the zoom. */
  showFound() {
    const {places, current, share, app} = this;
    const position =
      places && current >= 0 ? ` · ${amount(current + 1, 0)} of ${amount(places.count, 0)}` : '';
    byId('matched').textContent = share + position;
    const outside = app.kind.hasZoom ? this.found.outside.length : 0;
    if (outside === 0 && document.activeElement === byId('outside')) app.body.focusView();
    Object.assign(byId('outside'), {
      hidden: outside === 0,
      textContent: `${amount(outside, 0)} outside the zoom`,
    });
  }

  /** Shows the next or the previous match of the view. @param {number} by 1 or -1 */
  go(by) {
    const {app} = this;
    if (!app.painter.hits) return;
    this.places ??= app.view?.matches?.() ?? this.inPictures();
    const {count} = this.places;
    if (count === 0) {
      if (!byId('outside').hidden) this.leaveZoom();
      return;
    }
    const next = this.current < 0 ? (by > 0 ? 0 : -1) : this.current + by;
    this.current = (next + count) % count;
    this.places.show(this.current);
    this.showFound();
  }

  /** Zooms out, and shows the widest match that was outside. */
  leaveZoom() {
    const {app} = this;
    const {extent} = app.tree;
    const widest = this.found.outside.reduce((a, b) => (extent[b] > extent[a] ? b : a));
    app.set({zoom: 0, window: null});
    app.afterwards(() => {
      const places = this.inPictures();
      this.places = places;
      this.current = places.boxes.indexOf(widest);
      places.show(this.current);
      this.showFound();
    });
  }

  inPictures() {
    const {app, found} = this;
    const canvases = app.view?.canvases ?? (app.view?.canvas ? [app.view.canvas] : []);
    return new PictureMatches(canvases, canvas => {
      const {tree, zoomed} = canvas;
      const {hits} = app.painter;
      if (!tree || !hits) return [];
      return tree === app.tree ? found.inside : matched(tree, hits, zoomed).inside;
    });
  }
}
