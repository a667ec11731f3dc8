// SPDX-License-Identifier: Apache-2.0
// What keys do, wherever the focus is. Canvases have some of their own.
import {boxActions, functionActions} from './actions.js';
import {byId} from './dom.js';

/** @typedef {import('./app.js').App} App */

/** @param {App} app @param {string} key @param {number} f */
function functionKey(app, key, f) {
  if (f < 0) return false;
  if (key === 'm') {
    const {left, bottom} = /** @type {HTMLElement} */ (
      document.activeElement?.closest('td') ?? byId('tabs')
    ).getBoundingClientRect();
    app.functionMenu(f, left, bottom);
    return true;
  }
  const box = app.shape.func.indexOf(f);
  const item = functionActions(app, f, box > 0 ? app.shape.frame[box] : -1).find(
    action => action.key === key,
  );
  item?.run();
  return item !== undefined;
}

/** Keys for the box that is under the mouse, or selected. @param {App} app @param {string} key */
function boxKey(app, key) {
  const {view} = app;
  const canvases = view?.canvases ?? (view?.canvas ? [view.canvas] : []);
  const canvas =
    canvases.find(c => c.hovered >= 0) ??
    canvases.find(c => c.canvas === document.activeElement) ??
    view?.canvas;
  if (!canvas) return functionKey(app, key, view?.func?.() ?? -1);
  const box = canvas.hovered >= 0 ? canvas.hovered : canvas.selected;
  const item =
    canvas.tree && box >= 0
      ? boxActions(app, canvas, box).find(action => action.key === key)
      : undefined;
  item?.run();
  return item !== undefined;
}

/** Escape: the list of threads, the search, then the zoom, then the ranges. @param {App} app */
function takeBack(app) {
  const {state} = app;
  const list = document.querySelector('#filters details[open]');
  if (list) {
    list.querySelector('summary')?.focus();
    list.removeAttribute('open');
    return;
  }
  if (app.view?.escape?.()) return;
  if (state.search) app.set({search: ''});
  else if (state.zoom > 0 || state.window) app.set({zoom: 0, window: null});
  else if (state.baseline) app.set({baseline: null});
  else if (state.range) app.set({range: null});
  else if (state.mark >= 0) app.set({mark: -1});
}

/** Whether the key means something. @param {App} app @param {KeyboardEvent} event */
export function pageKey(app, event) {
  const {key} = event;
  const target = /** @type {HTMLElement} */ (event.target);
  const command = event.ctrlKey || event.metaKey;
  if (byId('help').open || target.closest?.('.menu')) return false;
  const typing = target.matches?.('input:not([type=checkbox]), select, textarea') ?? false;
  if (key === 'F3' || (command && !event.shiftKey && key.toLowerCase() === 'f')) app.ask();
  else if (command && !event.shiftKey && key.toLowerCase() === 'i')
    app.set({ignoreCase: !app.state.ignoreCase});
  else if (command && key.toLowerCase() === 'z' && !typing)
    event.shiftKey ? app.redo() : app.undo();
  else if (command || event.altKey) return false;
  else if (key === 'Escape') {
    takeBack(app);
    if (typing) app.view?.canvas?.canvas.focus();
  } else if (typing || event.defaultPrevented) return false;
  else if (/^[1-9]$/.test(key) && Number(key) <= app.views.length)
    app.set({view: app.views[Number(key) - 1]});
  else if (key === '/') app.ask();
  else if (key === '?') app.help();
  else if (key === 'n') app.nextMatch(1);
  else if (key === 'N') app.nextMatch(-1);
  else if (key === 't') app.toggleTheme();
  else if (key === 'o') app.set({order: app.heavy ? 'name' : 'heavy', window: null});
  else if (key === 'i') app.apply({type: 'invert', at: -1});
  else if (key === 'T') app.apply({type: 'templates', at: -1});
  else if (key === 'R') app.apply({type: 'recursion', at: -1});
  else if (key === 'Backspace')
    app.zoomTo(app.state.zoom > 0 ? app.shape.parent[app.state.zoom] : 0);
  else return boxKey(app, key);
  return true;
}
