// SPDX-License-Identifier: Apache-2.0
// What the colours mean, with the share of each kind of code or file; a click shows it alone.
import {css, groupOf, packed, PALETTES, plainColor} from './color.js';
import {button, byId, choice, el, keepFocus, swatch} from './dom.js';
import {filterOf, weigh} from './filter.js';
import {CATEGORIES, categoryOf, KIND} from './kinds.js';
import {shortened} from './names.js';
import {percent} from './numbers.js';
import {findingParts, partsOf} from './parts.js';
import {finished, inPieces} from './work.js';

/** @typedef {import('./app.js').App} App */
/** @typedef {import('./data.js').Data} Data */
/** @typedef {import('./tree.js').Tree} Tree */
/** @typedef {import('./parts.js').PartChoice} PartChoice */
/** @typedef {import('./parts.js').PartKind} PartKind */
/** @typedef {import('./picture.js').Picture} Picture */
/** @typedef {Pick<Picture, 'data'|'shape'|'state'|'weights'|'tree'>} Weighed */
/** @template T @typedef {import('./work.js').Work<T>} Work */

/** How many parts are shown before all are. */
const FEW = 8;
/** How many are ever shown. */
const MOST = 500;

/** @type {Record<string, string>} */
const TITLES = {
  kind: 'kind of code',
  module: 'module',
  name: 'name',
};

/** @param {string} colors @returns {PartKind|null} null: colours that have no legend */
const partsIn = colors => (colors === 'kind' || colors === 'module' ? colors : null);

/** @param {PartKind} by @param {string} name */
const partTitle = (by, name) => (by === 'module' && name === '' ? 'no file' : shortened(name));

/** @param {App} app @param {PartChoice} chosen */
export function partsText(app, {by, isWithout, list}) {
  const {names} = partsOf(app.data, by);
  const titles = list.map(part => partTitle(by, names[part]));
  const text = titles.length > 3 ? `${titles.slice(0, 3).join(', ')}, …` : titles.join(', ');
  return `${isWithout ? 'without' : 'only'} ${text}`;
}

/**
 * The choice after a click: this part alone, or all again if it was; with Shift, all but it.
 * @param {PartChoice|null} now @param {PartKind} by @param {number} part
 * @param {boolean} hasShift @returns {PartChoice|null}
 */
export function afterClick(now, by, part, hasShift) {
  const isSame = now?.by === by && now.isWithout === hasShift;
  if (!isSame) return {by, isWithout: hasShift, list: [part]};
  const others = now.list.filter(other => other !== part);
  if (!hasShift) return others.length < now.list.length ? null : {...now, list: [part]};
  const list = others.length < now.list.length ? others : [...others, part];
  return list.length > 0 ? {...now, list} : null;
}

/** @typedef {[number, number][]} Shares parts and their shares; 0: only callers are of it */

/**
 * 1 for each kind of code that has boxes in the picture, as callers have in which nothing ended.
 * @param {Data} data @param {Tree} tree @returns {Work<Uint8Array>}
 */
function* drawnKinds({frameKind, frameUnnamed}, {boxes, shape}) {
  const {frame} = shape;
  const isDrawn = new Uint8Array(frameKind.length);
  yield* inPieces(0, boxes.length, (from, to) => {
    for (let i = from; i < to; ++i) if (frame[boxes[i]] >= 0) isDrawn[frame[boxes[i]]] = 1;
  });
  const drawn = new Uint8Array(Object.keys(CATEGORIES).length);
  isDrawn.forEach((is, at) => {
    if (is === 1) drawn[categoryOf(frameKind[at], frameUnnamed[at] === 1)] = 1;
  });
  // Processes and threads are not code.
  drawn[categoryOf(KIND.label, false)] = 0;
  return drawn;
}

/**
 * The share of each part in the picture, heaviest first, if all of them were shown: of all samples
 * that pass the other filters.
 * @param {Weighed} weighed @param {PartKind} by @returns {Work<Shares>}
 */
function* partShares({data, shape, state, weights, tree}, by) {
  const {names, ofNode} = yield* findingParts(data, by);
  const {after} = state.parts ? weigh(data, {...filterOf(state), parts: null}, null) : weights;
  const {map} = shape;
  const sums = new Float64Array(names.length);
  let whole = 0;
  yield* inPieces(0, after.length, (from, to) => {
    for (let i = from; i < to; ++i) {
      whole += after[i];
      if (after[i] !== 0 && map[i] >= 0) sums[ofNode[i]] += after[i];
    }
  });
  const drawn = by === 'kind' ? yield* drawnKinds(data, tree) : [];
  return Array.from(sums, (sum, part) => /** @type {[number, number]} */ ([part, sum / whole]))
    .filter(([part, share]) => share > 0 || drawn[part] === 1)
    .sort((a, b) => b[1] - a[1]);
}

/** What was computed last, and for what. @type {{of: unknown[], shares: Shares}} */
let lastShares = {of: [], shares: []};

/**
 * As partShares(), which visits all nodes: a zoom does not change it.
 * @param {Weighed} weighed @param {PartKind} by @returns {Work<Shares>}
 */
function* knownShares(weighed, by) {
  const of = [weighed.weights, weighed.shape, by];
  if (of.some((item, i) => item !== lastShares.of[i]))
    lastShares = {of, shares: yield* partShares(weighed, by)};
  return lastShares.shares;
}

/**
 * Computes what showLegend() needs.
 * @param {Weighed} weighed @param {string} colors
 */
export function* preparingLegend(weighed, colors) {
  const by = partsIn(colors);
  if (by) yield* knownShares(weighed, by);
}

/** @param {PartKind} by @param {string} name @param {number} part */
function colorOf(by, name, part) {
  const code = {kind: KIND.user, isUnnamed: false, module: name};
  const group = by === 'kind' ? part : groupOf(by, code);
  return css(packed(plainColor({colors: by, hash: false, deterministic: false}, '', group)));
}

/** @param {PartChoice|null} chosen @param {PartKind} by @param {number} part */
const isShown = (chosen, by, part) =>
  chosen?.by !== by || chosen.list.includes(part) !== chosen.isWithout;

/** @param {App} app @param {PartKind} by @param {[number, number]} part */
function entry(app, by, [part, share]) {
  const name = partsOf(app.data, by).names[part];
  const title = partTitle(by, name);
  const {parts} = app.state;
  const sample = swatch(colorOf(by, name, part));
  if (share === 0)
    return el('span', {title: `${title}: callers in which nothing ended`}, sample, title);
  const onclick = (/** @type {MouseEvent} */ event) =>
    app.set({parts: afterClick(parts, by, part, event.shiftKey), zoom: 0, window: null});
  const element = button('', () => {}, {
    onclick,
    title: `${title}: ${percent(share)} ended here. Click: only these; Shift-click: without them`,
    'aria-label': `${title}: ${percent(share)}`,
    'aria-pressed': parts?.by === by && isShown(parts, by, part),
    className: isShown(parts, by, part) ? '' : 'left-out',
  });
  element.append(sample, `${title} ${percent(share)}`);
  return element;
}

/** @param {App} app @param {PartKind} by @param {boolean} isOpen */
function entries(app, by, isOpen) {
  const all = finished(knownShares(app, by));
  const few = isOpen ? all.slice(0, MOST) : all.slice(0, FEW);
  const list = few.map(part => entry(app, by, part));
  const rest = all.length - FEW;
  if (rest > 0) {
    const text = isOpen ? 'fewer' : `${rest} more`;
    const bar = byId('legend');
    const toggle = () =>
      keepFocus(
        bar,
        () => showLegend(app, !isOpen),
        () => bar.focus(),
      );
    list.push(button(text, toggle, {'aria-expanded': isOpen, 'aria-label': 'All parts'}));
  }
  return list;
}

/** @param {App} app */
function colorsChoice(app) {
  const offered = ['kind', 'module', 'name', 'hot', app.data.meta.look.colors, app.colors];
  const options = [...new Set(offered)]
    .filter(colors => PALETTES.includes(colors))
    .map(
      colors => /** @type {[string, string]} */ ([colors, `Colours: ${TITLES[colors] ?? colors}`]),
    );
  const {colors} = app.data.meta.look;
  return choice('Colours', options, app.colors, value =>
    app.set({colors: value === colors ? '' : value}),
  );
}

/** Whether colours show what changed. @param {import('./tree.js').Tree} tree */
const showsChange = tree => Boolean(tree.beforeTotal || tree.was);

/** @param {import('./views.js').ViewKind} kind @param {import('./tree.js').Tree} tree */
export const hasLegend = (kind, tree) =>
  kind.isColored === true && (!showsChange(tree) || kind.showsTime === true);

/** Fills the legend anew. @param {App} app @param {boolean} [isOpen] all parts are shown */
export function showLegend(app, isOpen) {
  const bar = byId('legend');
  bar.hidden = !hasLegend(app.kind, app.tree);
  if (bar.hidden) return;
  const open = isOpen ?? bar.classList.contains('open');
  bar.classList.toggle('open', open);
  const by = partsIn(app.colors);
  bar.replaceChildren(colorsChoice(app), ...(by ? entries(app, by, open) : []));
}
