// SPDX-License-Identifier: Apache-2.0
// What can be done with a frame or a function, and with the view as a whole.
import {byId, copyText, download, el} from './dom.js';
import {toFolded} from './export.js';
import {showMenu} from './menu.js';
import {baseName} from './names.js';
import {pathTo} from './tree.js';

/** @typedef {import('./app.js').App} App */
/** @typedef {import('./canvas.js').FlameCanvas} FlameCanvas */

/**
 * What can be done with a box, by key.
 * @param {App} app @param {FlameCanvas} canvas @param {number} box
 * @returns {import('./menu.js').Item[]}
 */
export function boxActions(app, canvas, box) {
  const tree = /** @type {import('./tree.js').Tree} */ (canvas.tree);
  const {shape} = tree;
  const f = shape.func[box];
  const isMain = shape === app.shape;
  const names = () => pathTo(shape, box).map(b => app.data.name(shape.func[b]));
  /** @type {import('./menu.js').Item[]} */
  const items = [{text: 'Zoom here', key: 'Enter', run: () => canvas.host.zoom(box)}];
  if (box > 0) {
    items.push(...functionActions(app, f, shape.frame[box]));
    if (isMain)
      items.push({
        text: 'Focus on this subtree',
        key: 'F',
        run: () => app.apply({type: 'subtree', at: box}),
      });
    items.push({text: 'Copy the stack', key: 'C', run: () => copyText(names().join('\n'))});
  }
  return items;
}

/**
 * @param {App} app @param {number} f @param {number} frame one of its frames, or -1
 * @returns {import('./menu.js').Item[]}
 */
export function functionActions(app, f, frame) {
  const module = frame >= 0 ? app.data.frameModule[frame] : -1;
  const hasModule = module >= 0 && app.data.strings.at(module) !== '';
  const file = frame >= 0 ? app.data.frameFile[frame] : -1;
  const items = [
    {text: 'Focus on the function', key: 'f', run: () => app.apply({type: 'function', at: f})},
    {text: 'Callers and callees', key: 'e', run: () => app.set({view: 'sandwich', func: f})},
    {
      text: 'Mark all its frames',
      key: 'k',
      run: () => app.set({mark: app.state.mark === f ? -1 : f}),
    },
    {text: 'Hide the function', key: 'h', run: () => app.apply({type: 'hide', at: f})},
    {text: 'Drop the stacks with it', key: 'x', run: () => app.apply({type: 'drop', at: f})},
    {text: 'Collapse its recursion', key: 'r', run: () => app.apply({type: 'recursion', at: f})},
  ];
  if (hasModule)
    items.push({
      text: `Collapse ${app.short(baseName(app.data.strings.at(module)))}`,
      key: 'l',
      run: () => app.apply({type: 'module', at: module}),
    });
  if (file >= 0 && app.data.strings.at(file) !== '' && app.views.includes('source'))
    items.push({
      text: 'Show the source',
      key: 'v',
      run: () => app.set({view: 'source', file, line: app.data.frameLine[frame]}),
    });
  items.push({text: 'Copy the name', key: 'c', run: () => copyText(app.data.name(f))});
  return items;
}

/**
 * Canvases as one, one below the other.
 * @param {HTMLCanvasElement[]} canvases @returns {HTMLCanvasElement}
 */
function joined(canvases) {
  if (canvases.length === 1) return canvases[0];
  const all = /** @type {HTMLCanvasElement} */ (
    el('canvas', {
      width: Math.max(...canvases.map(c => c.width)),
      height: canvases.reduce((sum, c) => sum + c.height, 0),
    })
  );
  let top = 0;
  for (const canvas of canvases) {
    all.getContext('2d')?.drawImage(canvas, 0, top);
    top += canvas.height;
  }
  return all;
}

/** @param {App} app */
export function exportMenu(app) {
  const {view, data, tree} = app;
  const title = byId('title').textContent;
  const name =
    title
      .replace(/[^\w.-]+/g, '-')
      .replace(/^-+|-+$/g, '')
      .toLowerCase() || 'flame';
  const canvas = view?.canvas;
  const items = [];
  const svg = view?.svg;
  if (svg)
    items.push({
      text: 'SVG of this view',
      run: () => download(`${name}.svg`, new Blob([svg(title)], {type: 'image/svg+xml'})),
    });
  const pictures = Array.from(view?.element.querySelectorAll('canvas') ?? []);
  if (pictures.length > 0)
    items.push({
      text: 'PNG of this view',
      run: () =>
        joined(pictures).toBlob(blob => {
          if (blob) download(`${name}.png`, blob);
        }),
    });
  items.push({
    text: 'Folded stacks',
    run: () =>
      download(
        `${name}.folded`,
        new Blob([toFolded(data, canvas?.tree ?? tree)], {type: 'text/plain'}),
      ),
  });
  const {left, bottom} = byId('export').getBoundingClientRect();
  showMenu('Export', items, left, bottom + 4);
}
