// SPDX-License-Identifier: Apache-2.0
// Weights by line of source. Lines come from the profile; the text of a file is in the page if it
// was embedded.
import {choice, el} from './dom.js';
import {baseName} from './names.js';
import {percent, weightText} from './numbers.js';
import {numberField} from './state.js';

/** @typedef {import('./app.js').App} App */
/** @typedef {import('./data.js').Data} Data */
/**
 * @typedef {object} SourceState
 * @property {number} file a string; -1: the heaviest file
 * @property {number} line the current line; 0: none
 */
/** @typedef {{self: Map<number, number>, total: Map<number, number>, selfSum: number}} FileLines */
/**
 * @typedef {object} Listing
 * @property {FileLines} weights
 * @property {string[]|null} text null: not embedded
 * @property {number} whole the weight of all samples
 * @property {import('./numbers.js').Measure} measure
 */

const MOST_FILES = 500;
const MOST_LINES = 20_000;
/** Lines with a larger share of the samples are highlighted. */
const HOT = 0.01;

/** @param {Map<number, number>} map @param {number} key @param {number} by */
const add = (map, key, by) => map.set(key, (map.get(key) ?? 0) + by);

/** Whether a caller of a node is on the same line. @param {Data} data @param {number} node */
function isOnCallersLine({nodeParent, nodeFrame, frameFile, frameLine}, node) {
  const file = frameFile[nodeFrame[node]];
  const line = frameLine[nodeFrame[node]];
  for (let i = nodeParent[node]; i > 0; i = nodeParent[i])
    if (frameFile[nodeFrame[i]] === file && frameLine[nodeFrame[i]] === line) return true;
  return false;
}

/**
 * The weight of each line of each file, by itself and with what it called.
 * @param {Data} data @param {Float64Array} weights of nodes @returns {Map<number, FileLines>}
 */
function lineWeights(data, weights) {
  const {nodes, nodeParent, nodeFrame, frameFile, frameLine} = data;
  const total = weights.slice();
  for (let i = nodes - 1; i > 0; --i) total[nodeParent[i]] += total[i];
  /** @type {Map<number, FileLines>} */
  const files = new Map();
  for (let i = 1; i < nodes; ++i) {
    const line = frameLine[nodeFrame[i]];
    if (line === 0 || total[i] === 0) continue;
    const name = frameFile[nodeFrame[i]];
    const file = files.get(name) ?? {self: new Map(), total: new Map(), selfSum: 0};
    files.set(name, file);
    if (weights[i] > 0) {
      add(file.self, line, weights[i]);
      file.selfSum += weights[i];
    }
    // A line that calls itself counts once.
    if (!isOnCallersLine(data, i)) add(file.total, line, total[i]);
  }
  return files;
}

/** @param {Listing} listing @param {number} line */
function lineRow({weights, text, whole, measure}, line) {
  const self = weights.self.get(line) ?? 0;
  const total = weights.total.get(line) ?? 0;
  const cell = (/** @type {string} */ content, className = '') =>
    el('td', {textContent: content, className});
  return el(
    'tr',
    {className: self > whole * HOT ? 'hot' : total > 0 ? 'warm' : '', 'data-line': line},
    cell(self > 0 ? weightText(measure, self) : ''),
    cell(self > 0 ? percent(self / whole) : ''),
    cell(total > 0 ? percent(total / whole) : ''),
    cell(String(line), 'quiet'),
    cell(text ? text[line - 1] : ''),
  );
}

/** @param {Listing} listing */
function listingTable(listing) {
  const {text, weights} = listing;
  const lines = text ? text.map((_, i) => i + 1) : [...weights.total.keys()].sort((a, b) => a - b);
  const titles = ['Self', 'Self %', 'Total %', 'Line', 'Source'];
  const head = titles.map(title => el('th', {textContent: title, scope: 'col'}));
  const rows = lines.slice(0, MOST_LINES).map(line => lineRow(listing, line));
  return el('table', {}, el('thead', {}, el('tr', {}, ...head)), el('tbody', {}, ...rows));
}

class SourceView {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this.bar = el('div', {className: 'bar'});
    const properties = {className: 'page code', tabIndex: 0, role: 'region'};
    this.body = el('div', {...properties, 'aria-label': 'Source'});
    this.element = el('div', {className: 'half'}, this.bar, this.body);
    this.texts = new Map(app.data.meta.sources ?? []);
    /** @type {unknown} */
    this.shownWeights = null;
    this.shownFile = -2;
    this.shownLine = -1;
  }

  show() {
    const {weights, state, data} = this.app;
    const isSameLine = this.shownFile === state.file && this.shownLine === state.line;
    if (this.shownWeights === weights && isSameLine) return;
    this.shownWeights = weights;
    const files = [...lineWeights(data, weights.after)].sort(
      ([, a], [, b]) => b.selfSum - a.selfSum,
    );
    const file = this.chosenFile(files.map(([name]) => name));
    this.shownFile = state.file = file;
    this.shownLine = state.line;
    this.bar.replaceChildren();
    this.body.replaceChildren();
    const lines = files.find(([name]) => name === file)?.[1];
    if (!lines) {
      this.body.append('The selected samples have no line numbers.');
      return;
    }
    const whole = weights.after.reduce((a, b) => a + b, 0);
    const text = this.textOf(file);
    this.showBar(files, file, whole, text !== null);
    const listing = {weights: lines, text, whole, measure: this.app.tree};
    this.body.append(listingTable(listing));
    this.scrollToLine(lines);
  }

  /** @param {number[]} files heaviest first */
  chosenFile(files) {
    const {state} = this.app;
    if (files.includes(state.file)) return state.file;
    state.line = 0;
    return files.find(file => this.texts.has(file)) ?? files[0] ?? -1;
  }

  /** @param {number} file @returns {string[]|null} */
  textOf(file) {
    const text = this.texts.get(file);
    if (text === undefined) return null;
    return this.app.data.strings.at(text).replace(/\n$/, '').split('\n');
  }

  /**
   * @param {[number, FileLines][]} files @param {number} file @param {number} whole
   * @param {boolean} hasText
   */
  showBar(files, file, whole, hasText) {
    const {app} = this;
    const {data} = app;
    const quiet = (/** @type {string} */ text) =>
      el('span', {className: 'quiet', textContent: text});
    const options = files.slice(0, MOST_FILES).map(([name, {selfSum}]) => {
      const text = `${baseName(data.strings.at(name))} · ${percent(selfSum / (whole || 1))}`;
      return /** @type {[string, string]} */ ([String(name), text]);
    });
    const select = choice('File', options, String(file), value =>
      showSource(app, Number(value), 0),
    );
    this.bar.append(select, quiet(data.strings.at(file)));
    if (app.weights.before)
      this.bar.append(
        quiet(
          data.isDifference
            ? 'These are the weights after; Side selects those before.'
            : 'These are the weights of the selected range, not of the one to compare with.',
        ),
      );
    if (!hasText) this.bar.append(quiet('The page was written without the text of its sources.'));
  }

  /** Scrolls to the current line, or to the hottest. @param {FileLines} lines */
  scrollToLine({self}) {
    const rowOf = (/** @type {number} */ line) => this.body.querySelector(`[data-line="${line}"]`);
    const current = rowOf(this.shownLine);
    const hottest = [...self].sort((a, b) => b[1] - a[1])[0];
    current?.setAttribute('aria-current', 'location');
    const row = current ?? (hottest && rowOf(hottest[0]));
    row?.scrollIntoView({block: 'center'});
    this.body.scrollLeft = 0;
  }

  remove() {
    this.element.remove();
  }
}

/** @type {import('./views.js').ViewKind} */
export const SOURCE_VIEW = {
  id: 'source',
  title: 'Source',
  make: app => new SourceView(app),
  isOffered: data => data.frameLine.some(line => line > 0),
  fields: [numberField('file'), numberField('line', 0)],
};

/** @param {App} app @param {number} file @param {number} line */
export const showSource = (app, file, line) => app.set({view: SOURCE_VIEW.id, file, line});
