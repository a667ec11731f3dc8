// SPDX-License-Identifier: Apache-2.0
// What a view shows of the profile, in words: for files that leave the page, whose readers see no
// filters.
import {transformText} from './filter_bar.js';
import {shortened, threadName} from './names.js';
import {countText, moment} from './numbers.js';

/** @typedef {import('./app.js').App} App */

/** @param {App} app @param {[number, number]} range in ticks */
function rangeText({data}, [from, to]) {
  const {tick_ns: tickNs} = data.meta;
  const step = ((to - from) * tickNs) / 100;
  return [from, to].map(tick => moment(tick * tickNs, step, data.clock)).join(' to ');
}

/** @param {App} app */
function threadsText(app) {
  const {threads} = app.state;
  if (!threads) return '';
  return threads.length === 1
    ? `thread ${shortened(threadName(app.data, threads[0]))}`
    : countText(threads.length, 'thread');
}

/** @param {App} app */
function timeTexts(app) {
  const {range, baseline, cpu} = app.state;
  return [
    cpu && `${cpu} the CPU`,
    range && rangeText(app, range),
    baseline && `compared with ${rangeText(app, baseline)}`,
  ];
}

/** @param {App} app */
function comparisonTexts({state, weights}) {
  const scale = state.absolute ? 'absolute' : 'normalised';
  return [state.side && `${state.side} alone`, weights.before && scale];
}

/** @param {App} app */
function zoomText(app) {
  const {state, shape, kind, painter} = app;
  if (!kind.isWholeTree || state.zoom === 0) return '';
  return `zoomed to ${shortened(painter.name(shape.func[state.zoom]))}`;
}

/** The view, and which part of the profile it shows. @param {App} app @returns {string[]} */
export function describedParts(app) {
  const {state, kind} = app;
  return [
    kind.title,
    state.event || 'samples',
    threadsText(app),
    ...timeTexts(app),
    ...comparisonTexts(app),
    ...state.transforms.map((transform, i) => transformText(app, transform, i)),
    zoomText(app),
    state.search && `search ${shortened(state.search)}`,
  ].flatMap(part => part || []);
}

/** How long a file's name may be, without its ending: file systems take 255 bytes. */
const MOST_LETTERS = 120;

/**
 * A file's name without its ending: letters, digits, dots and hyphens.
 * @param {string[]} parts
 */
export function fileName(parts) {
  const name = parts
    .map(part => part.replace(/[^\p{L}\p{N}_.]+/gu, '-').replace(/^[-.]+|[-.]+$/g, ''))
    .filter(Boolean)
    .join('-')
    .toLowerCase();
  return (
    Array.from(name)
      .slice(0, MOST_LETTERS)
      .join('')
      .replace(/[-.]+$/, '') || 'flame'
  );
}
