// SPDX-License-Identifier: Apache-2.0
// The flame graph and the icicle: the whole tree, with the root at the bottom or at the top.
import {FlameCanvas} from './canvas.js';
import {toSvg} from './export.js';

/** @typedef {import('./app.js').App} App */
/** @typedef {import('./views.js').ViewKind} ViewKind */

/**
 * A canvas that follows the app's tree, zoom and window.
 * @param {App} app @param {{label: string, rootAtTop: boolean}} options
 */
export function treeCanvas(app, options) {
  const host = app.hostOf(box => app.zoomTo(box));
  const canvas = new FlameCanvas(app.painter, host, options);
  host.moved = () => app.windowMoved(canvas);
  return canvas;
}

/** @param {App} app @param {string} title @param {boolean} rootAtTop */
function flameView(app, title, rootAtTop) {
  const canvas = treeCanvas(app, {
    label: `${title}. Arrow keys move between frames, Enter zooms, m opens a menu`,
    rootAtTop,
  });
  return {
    element: canvas.element,
    canvas,
    followsProfile: true,
    svg: (/** @type {import('./export.js').Heading} */ heading) =>
      toSvg(app.painter, [canvas], heading),
    show() {
      canvas.painter = app.painter;
      canvas.show(app.tree, app.state.zoom, app.state.window);
    },
    remove() {
      canvas.remove();
    },
  };
}

/** @type {ViewKind} */
export const FLAME_VIEW = {
  id: 'flame',
  title: 'Flame graph',
  make: app => flameView(app, FLAME_VIEW.title, false),
  isWholeTree: true,
  hasZoom: true,
  isColored: true,
};

/** @type {ViewKind} */
export const ICICLE_VIEW = {
  id: 'icicle',
  title: 'Icicle',
  make: app => flameView(app, ICICLE_VIEW.title, true),
  isWholeTree: true,
  hasZoom: true,
  isColored: true,
  isHeavyFirst: true,
};
