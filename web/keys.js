// SPDX-License-Identifier: Apache-2.0
// Keys that work wherever the focus is. Canvases have some of their own.
import {boxActions, frameOf, functionActions} from './actions.js';
import {byId} from './dom.js';
import {showHelp} from './help.js';

/** @typedef {import('./app.js').App} App */

/** @param {App} app @param {string} key @param {number} f */
function functionKey(app, key, f) {
  if (f < 0) return false;
  if (key === 'm') {
    const place = document.activeElement?.closest('td') ?? byId('tabs');
    const {left, bottom} = place.getBoundingClientRect();
    app.functionMenu(f, left, bottom);
    return true;
  }
  const item = functionActions(app, f, frameOf(app, f)).find(action => action.key === key);
  item?.run();
  return item !== undefined;
}

/**
 * Keys for the box under the pointer, or else the selected one.
 * @param {App} app @param {string} key
 */
function boxKey(app, key) {
  const {view} = app;
  const canvases = view?.canvases ?? (view?.canvas ? [view.canvas] : []);
  const canvas =
    canvases.find(c => c.hovered >= 0) ??
    canvases.find(c => c.canvas === document.activeElement) ??
    view?.canvas;
  if (!canvas) return functionKey(app, key, view?.func?.() ?? -1);
  const box = canvas.hovered >= 0 ? canvas.hovered : canvas.selected;
  if (!canvas.tree || box < 0) return false;
  const item = boxActions(app, canvas, box).find(action => action.key === key);
  item?.run();
  return item !== undefined;
}

function closeThreadList() {
  const list = document.querySelector('#filters details[open]');
  list?.querySelector('summary')?.focus();
  list?.removeAttribute('open');
  return list !== null;
}

/**
 * Ends one thing: work that is under way, the search, the zoom, a range or the mark.
 * @param {App} app
 */
function cancelOne(app) {
  const {state} = app;
  if (app.desk.isBusy) return app.cancel();
  if (app.view?.escape?.()) return;
  if (state.search) app.set({search: ''});
  else if (state.zoom > 0 || state.window) app.set({zoom: 0, window: null});
  else if (state.baseline) app.set({baseline: null});
  else if (state.range) app.set({range: null});
  else if (state.parts) app.set({parts: null, window: null});
  else if (state.mark >= 0) app.set({mark: -1});
}

/** @type {Record<string, (app: App) => void>} */
const PAGE_KEYS = {
  '/': app => app.searchBar.focus(),
  '?': showHelp,
  n: app => app.searchBar.go(1),
  N: app => app.searchBar.go(-1),
  t: app => app.body.toggleTheme(),
  o: app => app.set({order: app.isHeavyFirst ? 'name' : 'heavy', window: null}),
  i: app => app.apply({type: 'invert', at: -1}),
  T: app => app.apply({type: 'templates', at: -1}),
  R: app => app.apply({type: 'recursion', at: -1}),
  Backspace: app => app.zoomTo(app.state.zoom > 0 ? app.shape.parent[app.state.zoom] : 0),
};

/** Keys with Ctrl or Command. @type {Record<string, (app: App) => void>} */
const COMMANDS = {
  f: app => app.searchBar.focus(),
  i: app => app.searchBar.toggleCase(),
};

/** @param {App} app @param {KeyboardEvent} event @param {boolean} isTyping */
function commandKey(app, event, isTyping) {
  const key = event.key.toLowerCase();
  if (key === 'z' && !isTyping) event.shiftKey ? app.history.redo() : app.history.undo();
  else if (!event.shiftKey && Object.hasOwn(COMMANDS, key)) COMMANDS[key](app);
  else return false;
  return true;
}

/** @param {App} app @param {boolean} isTyping */
function escape(app, isTyping) {
  if (!app.desk.isBusy && (app.tips.dismiss() || closeThreadList())) return;
  cancelOne(app);
  if (!isTyping) return;
  app.body.focusView();
  app.tips.hide();
}

/** Returns whether the key has a meaning. @param {App} app @param {KeyboardEvent} event */
export function pageKey(app, event) {
  const {key} = event;
  const target = /** @type {HTMLElement} */ (event.target);
  if (byId('help').open || target.closest?.('.menu')) return false;
  const isTyping = target.matches?.('input:not([type=checkbox]), select, textarea') ?? false;
  const chosenView = /^[1-9]$/.test(key) ? app.views[Number(key) - 1] : undefined;
  if (key === 'F3') app.searchBar.focus();
  else if (event.ctrlKey || event.metaKey) return commandKey(app, event, isTyping);
  else if (event.altKey) return false;
  else if (key === 'Escape') escape(app, isTyping);
  else if (isTyping || event.defaultPrevented) return false;
  else if (key === 'Enter' && target.matches?.('button, summary')) return false;
  else if (chosenView) app.set({view: chosenView.id});
  else if (Object.hasOwn(PAGE_KEYS, key)) PAGE_KEYS[key](app);
  else return boxKey(app, key);
  return true;
}
