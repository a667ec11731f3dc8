// SPDX-License-Identifier: Apache-2.0
// What can be done with a frame or a function, and with the view as a whole.
import {describedParts, fileName} from './described.js';
import {byId, copyText, download, el} from './dom.js';
import {foldedFile} from './export.js';
import {showMenu} from './menu.js';
import {baseName, shortened} from './names.js';
import {amount} from './numbers.js';
import {showCallersAndCallees} from './sandwich_view.js';
import {showAssembly, showSource, SOURCE_VIEW} from './source_view.js';
import {pageTheme} from './theme.js';
import {pathTo} from './tree.js';

/** @typedef {import('./app.js').App} App */
/** @typedef {import('./canvas.js').FlameCanvas} FlameCanvas */
/** @typedef {import('./export.js').Heading} Heading */
/** @typedef {import('./menu.js').Item} Item */
/** @typedef {import('./paint.js').Theme} Theme */

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

/** @param {App} app @param {number} f @returns {Item[]} */
function codeActions(app, f) {
  const code = app.data.code.findIndex(({name}) => name === app.data.name(f));
  if (code < 0) return [];
  return [{text: 'Show the assembly', key: 'a', run: () => showAssembly(app, code)}];
}

/** A frame of a function; -1: none. @param {App} app @param {number} f */
export function frameOf({shape}, f) {
  const box = shape.func.indexOf(f);
  return box > 0 ? shape.frame[box] : -1;
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
    ...codeActions(app, f),
    {text: 'Copy the name', key: 'c', run: () => copyText(app.data.name(f))},
  ];
}

/** The height of a picture's heading, in pixels of CSS. */
const HEADING_HEIGHT = 44;

/**
 * @param {CanvasRenderingContext2D} context @param {Heading} heading @param {Theme} theme
 * @param {number} width
 */
function drawHeading(context, {title, part}, theme, width) {
  context.fillStyle = theme.paper;
  context.fillRect(0, 0, width, HEADING_HEIGHT);
  context.fillStyle = theme.ink;
  context.font = '600 15px sans-serif';
  context.fillText(title.slice(0, 1000), 10, 19);
  context.fillStyle = theme.faint;
  context.font = '12px sans-serif';
  context.fillText(part, 10, 37);
}

/**
 * Canvases as one, one below the other, below a heading, and their captions next to them.
 * @param {HTMLCanvasElement[]} canvases @param {Heading} heading @param {Theme} theme
 * @returns {HTMLCanvasElement}
 */
function joined(canvases, heading, theme) {
  const ratio = devicePixelRatio || 1;
  const width = Math.max(...canvases.map(c => c.width));
  let top = Math.round(HEADING_HEIGHT * ratio);
  const height = canvases.reduce((sum, c) => sum + c.height, top);
  const all = /** @type {HTMLCanvasElement} */ (el('canvas', {width, height}));
  const context = /** @type {CanvasRenderingContext2D} */ (all.getContext('2d'));
  context.fillStyle = theme.paper;
  context.fillRect(0, 0, width, height);
  context.scale(ratio, ratio);
  drawHeading(context, heading, theme, width / ratio);
  context.resetTransform();
  context.fillStyle = theme.ink;
  context.font = `${12 * ratio}px sans-serif`;
  for (const canvas of canvases) {
    context.drawImage(canvas, 0, top);
    const {caption = ''} = canvas.dataset;
    context.fillText(caption, canvas.width + 8 * ratio, top + 10 * ratio);
    top += canvas.height;
  }
  return all;
}

/** @param {string} name @param {string} text @param {string} type */
const downloadText = (name, text, type) => download(name, new Blob([text], {type}));

/** @param {string} name @param {HTMLCanvasElement} canvas */
const downloadPng = (name, canvas) =>
  canvas.toBlob(blob => {
    if (blob) download(name, blob);
  });

/** How many rows are copied: browsers copy in one go, and longer texts would take seconds. */
const MOST_COPIED = 100_000;

/**
 * @param {App} app @param {import('./views.js').TableRows} rows @param {string} name of a file
 * @returns {Item[]}
 */
function tableActions(app, {count, file}, name) {
  const few = `Copy the first ${amount(MOST_COPIED, 0)} rows`;
  const copy = async (/** @type {Blob} */ text) => copyText(await text.text());
  return [
    {
      text: 'CSV of this table',
      run: () => app.alongside(file(','), csv => download(`${name}.csv`, csv)),
    },
    {
      text: count > MOST_COPIED ? few : 'Copy this table',
      run: () => app.alongside(file('\t', MOST_COPIED), copy),
    },
  ];
}

/** @param {App} app */
export function exportMenu(app) {
  const {view, data, tree} = app;
  const title = byId('title').textContent;
  const parts = describedParts(app);
  const heading = {title, part: parts.join(' · ')};
  const name = fileName([title, ...parts]);
  const items = [];
  if (view?.svg) {
    const svg = view.svg.bind(view);
    const run = () => downloadText(`${name}.svg`, svg(heading), 'image/svg+xml');
    items.push({text: 'SVG of this view', run});
  }
  const pictures = Array.from(view?.element.querySelectorAll('canvas') ?? []);
  if (pictures.length > 0) {
    const run = () => downloadPng(`${name}.png`, joined(pictures, heading, pageTheme()));
    items.push({text: 'PNG of this view', run});
  }
  if (view?.tableRows) items.push(...tableActions(app, view.tableRows, name));
  items.push({
    text: 'Folded stacks',
    run: () =>
      app.alongside(foldedFile(data, view?.canvas?.tree ?? tree), file =>
        download(`${name}.folded`, file),
      ),
  });
  const {left, bottom} = byId('export').getBoundingClientRect();
  showMenu('Export', items, left, bottom + 4);
}
