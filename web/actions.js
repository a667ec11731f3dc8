// SPDX-License-Identifier: Apache-2.0
// What can be done with a frame or a function, and with the view as a whole.
import {byId, copyText, download, el} from './dom.js';
import {toFolded} from './export.js';
import {showMenu} from './menu.js';
import {baseName, shortened} from './names.js';
import {showCallersAndCallees} from './sandwich_view.js';
import {showSource, SOURCE_VIEW} from './source_view.js';
import {pathTo} from './tree.js';

/** @typedef {import('./app.js').App} App */
/** @typedef {import('./canvas.js').FlameCanvas} FlameCanvas */
/** @typedef {import('./menu.js').Item} Item */

/** @param {App} app @param {FlameCanvas} canvas @param {number} box @returns {Item[]} */
export function boxActions(app, canvas, box) {
  const {shape} = /** @type {import('./tree.js').Tree} */ (canvas.tree);
  const names = () => pathTo(shape, box).map(b => app.data.name(shape.func[b]));
  const zoom = {text: 'Zoom here', key: 'Enter', run: () => canvas.host.zoom(box)};
  if (box === 0) return [zoom];
  const focus = {
    text: 'Focus on this subtree',
    key: 'F',
    run: () => app.apply({type: 'subtree', at: box}),
  };
  return [
    zoom,
    ...functionActions(app, shape.func[box], shape.frame[box]),
    ...(shape === app.shape ? [focus] : []),
    {text: 'Copy the stack', key: 'C', run: () => copyText(names().join('\n'))},
  ];
}

/**
 * What can be done with the module and the source of a frame, as far as they are known.
 * @param {App} app @param {number} frame @returns {Item[]}
 */
function frameActions(app, frame) {
  if (frame < 0) return [];
  const {frameModule, frameFile, frameLine, strings} = app.data;
  const at = frameModule[frame];
  const module = strings.at(at);
  const file = frameFile[frame];
  /** @type {Item[]} */
  const items = [];
  if (module !== '') {
    const text = `Collapse ${shortened(baseName(module))}`;
    items.push({text, key: 'l', run: () => app.apply({type: 'module', at})});
  }
  if (strings.at(file) !== '' && app.views.includes(SOURCE_VIEW)) {
    const run = () => showSource(app, file, frameLine[frame]);
    items.push({text: 'Show the source', key: 'v', run});
  }
  return items;
}

/**
 * @param {App} app @param {number} f @param {number} frame one of its frames, or -1
 * @returns {Item[]}
 */
export function functionActions(app, f, frame) {
  const mark = app.state.mark === f ? -1 : f;
  return [
    {text: 'Focus on the function', key: 'f', run: () => app.apply({type: 'function', at: f})},
    {text: 'Callers and callees', key: 'e', run: () => showCallersAndCallees(app, f)},
    {text: 'Mark all its frames', key: 'k', run: () => app.set({mark})},
    {text: 'Hide the function', key: 'h', run: () => app.apply({type: 'hide', at: f})},
    {text: 'Drop stacks that contain it', key: 'x', run: () => app.apply({type: 'drop', at: f})},
    {text: 'Collapse its recursion', key: 'r', run: () => app.apply({type: 'recursion', at: f})},
    ...frameActions(app, frame),
    {text: 'Copy the name', key: 'c', run: () => copyText(app.data.name(f))},
  ];
}

/**
 * Canvases as one, one below the other.
 * @param {HTMLCanvasElement[]} canvases @returns {HTMLCanvasElement}
 */
function joined(canvases) {
  if (canvases.length === 1) return canvases[0];
  const width = Math.max(...canvases.map(c => c.width));
  const height = canvases.reduce((sum, c) => sum + c.height, 0);
  const all = /** @type {HTMLCanvasElement} */ (el('canvas', {width, height}));
  let top = 0;
  for (const canvas of canvases) {
    all.getContext('2d')?.drawImage(canvas, 0, top);
    top += canvas.height;
  }
  return all;
}

/** @param {string} name @param {string} text @param {string} type */
const downloadText = (name, text, type) => download(name, new Blob([text], {type}));

/** @param {string} name @param {HTMLCanvasElement[]} canvases */
const downloadPng = (name, canvases) =>
  joined(canvases).toBlob(blob => {
    if (blob) download(name, blob);
  });

/** A file name without its ending. @param {string} title */
const fileName = title =>
  title
    .replace(/[^\w.-]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .toLowerCase() || 'flame';

/** @param {App} app */
export function exportMenu({view, data, tree}) {
  const title = byId('title').textContent;
  const name = fileName(title);
  const items = [];
  if (view?.svg) {
    const svg = view.svg.bind(view);
    const run = () => downloadText(`${name}.svg`, svg(title), 'image/svg+xml');
    items.push({text: 'SVG of this view', run});
  }
  const pictures = Array.from(view?.element.querySelectorAll('canvas') ?? []);
  if (pictures.length > 0)
    items.push({text: 'PNG of this view', run: () => downloadPng(`${name}.png`, pictures)});
  items.push({
    text: 'Folded stacks',
    run: () => {
      const folded = toFolded(data, view?.canvas?.tree ?? tree);
      downloadText(`${name}.folded`, folded, 'text/plain');
    },
  });
  const {left, bottom} = byId('export').getBoundingClientRect();
  showMenu('Export', items, left, bottom + 4);
}
