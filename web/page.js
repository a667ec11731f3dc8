// SPDX-License-Identifier: Apache-2.0
// The parts of the page around the view: title, tabs, tools, help; and the events that concern
// the page as a whole.
import {showAbout} from './about_view.js';
import {exportMenu} from './actions.js';
import {button, byId} from './dom.js';
import {fillHelp, showHelp} from './help.js';
import {pageKey} from './keys.js';
import {closeMenu} from './menu.js';
import {countText} from './numbers.js';
import {differenceTitle} from './sides.js';
import {fillBanner} from './summary.js';
import {TABLE_VIEW} from './table_view.js';

/** @typedef {import('./app.js').App} App */

/** @param {App} app */
function pageTitle({data}) {
  if (data.meta.title) return data.meta.title;
  if (data.isDifference) return differenceTitle(data);
  return data.meta.recorded.command || 'Flame graph';
}

/** @param {App} app */
function fillTitle(app) {
  const title = pageTitle(app);
  document.title = title;
  byId('title').textContent = title;
  byId('title').title = app.data.meta.subtitle || title;
}

/** @param {string} id */
const tabOf = id => byId(`tab-${id}`);

/** @param {App} app */
function fillTabs(app) {
  const tabs = app.views.map(({id, title}, i) =>
    button(title, () => app.set({view: id}), {
      role: 'tab',
      id: `tab-${id}`,
      title: `${title} (${i + 1})`,
      'aria-controls': 'view',
    }),
  );
  byId('tabs').replaceChildren(...tabs);
}

/** Arrow keys go from tab to tab. @param {App} app */
function listenToTabs(app) {
  byId('tabs').addEventListener('keydown', (/** @type {KeyboardEvent} */ event) => {
    const by = {ArrowRight: 1, ArrowLeft: -1}[event.key];
    if (!by) return;
    const count = app.views.length;
    const {id} = app.views[(app.views.indexOf(app.kind) + by + count) % count];
    app.set({view: id});
    tabOf(id).focus();
  });
}

/** Shows which tab is selected. @param {App} app */
export function markTab(app) {
  for (const {id} of app.views) {
    const isSelected = id === app.state.view;
    tabOf(id).setAttribute('aria-selected', String(isSelected));
    tabOf(id).tabIndex = isSelected ? 0 : -1;
  }
  byId('view').setAttribute('aria-labelledby', `tab-${app.state.view}`);
  byId('as-table').hidden = !app.view?.element.querySelector('[aria-describedby=as-table]');
}

/** @param {App} app */
function fillTools(app) {
  const theme = {id: 'theme', title: 'Light or dark (t)', 'aria-label': 'Light or dark'};
  byId('tools').append(
    button('Export', () => exportMenu(app), {id: 'export', 'aria-haspopup': 'menu'}),
    button('◐', () => app.body.toggleTheme(), theme),
    button('?', showHelp, {id: 'keys', title: 'Keys (?)', 'aria-label': 'Keys'}),
  );
}

/** @param {App} app */
function fillLosses(app) {
  const losses = app.data.meta.notes.filter(note => note.loss);
  Object.assign(byId('losses'), {
    hidden: losses.length === 0,
    textContent: countText(losses.length, 'loss', 'losses'),
    title: losses.map(note => note.text).join('\n'),
    onclick: () => showAbout(app),
  });
}

/** The list of threads is open over the picture until something else is clicked. */
function listenForThreadList() {
  document.addEventListener('pointerdown', event => {
    const list = document.querySelector('#filters details[open]');
    const target = /** @type {Node} */ (event.target);
    if (list && !list.contains(target)) list.removeAttribute('open');
  });
}

/** @param {App} app */
function listen(app) {
  listenForThreadList();
  app.searchBar.listen();
  listenToTabs(app);
  byId('cancel').onclick = () => app.cancel();
  window.addEventListener('resize', () => closeMenu());
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () =>
    app.body.themeChanged(),
  );
  window.addEventListener('keydown', event => {
    if (!pageKey(app, event)) return;
    event.preventDefault();
    if (document.activeElement === document.body) byId('view').focus();
  });
  byId('help').addEventListener('close', () => {
    if (document.activeElement === document.body) byId('view').focus();
  });
  byId('as-table').onclick = () => {
    app.set({view: TABLE_VIEW.id});
    app.body.focusView();
  };
}

/** Shows that work is under way, and how to cancel it. @param {boolean} isBusy */
export function showBusy(isBusy) {
  byId('busy').hidden = !isBusy;
  byId('view').setAttribute('aria-busy', String(isBusy));
}

/** Fills in what the page says of the profile. @param {App} app */
export function describeProfile(app) {
  fillTitle(app);
  fillTabs(app);
  fillLosses(app);
  fillBanner(app);
  fillHelp(app.views);
}

/** @param {App} app */
export function fillPage(app) {
  byId('message').hidden = true;
  describeProfile(app);
  fillTools(app);
  listen(app);
}
