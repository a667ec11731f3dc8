// SPDX-License-Identifier: Apache-2.0
// Weights by line of source, or by instruction. Lines come from the profile; the text of a file and
// the instructions of a function are in the page if they were embedded.
import {choice, el} from './dom.js';
import {baseName, cutLabel, shortened} from './names.js';
import {percent, quantityText, weightText} from './numbers.js';
import {showCallersAndCallees} from './sandwich_view.js';
import {wholeName} from './shares.js';
import {codeWeights, functionsByLine, lineWeights} from './source_lines.js';
import {numberField} from './state.js';

/** @typedef {import('./app.js').App} App */
/** @typedef {import('./source_lines.js').CodeWeights} CodeWeights */
/** @typedef {import('./source_lines.js').FileLines} FileLines */
/**
 * @typedef {object} SourceState
 * @property {number} file a string; -1: the heaviest file
 * @property {number} line the current line; 0: none
 * @property {number} code the function whose instructions are shown instead; -1: none
 */
/**
 * A line or an instruction.
 * @typedef {object} ListedRow
 * @property {number} key the line, or the offset of the instruction
 * @property {string} place what is shown for it
 * @property {string} text
 * @property {number} self
 * @property {number} total 0: not known
 * @property {Node|string} origin the function, or the line of an instruction
 */
/**
 * What is shown.
 * @typedef {object} Listing
 * @property {string[]} titles of the last three columns
 * @property {ListedRow[]} rows
 * @property {boolean} hasTotals
 */

const MOST_FILES = 500;
const MOST_LINES = 20_000;
/** As many as a column of functions has room for; see .origin in style.css. */
const MOST_ORIGIN_LETTERS = 28;

/** The background of the hottest line, in percent of the accent colour. */
const FULL_HEAT = 35;

/** @param {ListedRow} row @param {number} hottest @param {Listing} listing @param {App} app */
function rowElement({key, place, text, self, total, origin}, hottest, {hasTotals}, app) {
  const {tree} = app;
  const whole = tree.all.after || 1;
  const share = (/** @type {number} */ weight) => {
    const td = el('td', {textContent: weight > 0 ? percent(weight / whole) : ''});
    if (weight > 0) {
      td.className = 'share';
      td.style.setProperty('--share', `${((100 * weight) / whole).toFixed(2)}%`);
    }
    return td;
  };
  const row = el(
    'tr',
    {'data-line': key},
    el('td', {className: 'wide', textContent: self > 0 ? weightText(tree, self) : ''}),
    share(self),
    ...(hasTotals ? [share(total)] : []),
    el('td', {className: 'wide origin'}, origin),
    el('td', {className: 'quiet', textContent: place}),
    el('td', {textContent: text}),
  );
  // The eye compares areas: a square root keeps what is a tenth as hot in sight.
  const heat = FULL_HEAT * Math.sqrt(self / hottest);
  if (heat > 0) row.style.setProperty('--heat', `${heat.toFixed(1)}%`);
  return row;
}

/** @param {Listing} listing @param {App} app */
function listingTable(listing, app) {
  const {rows, titles, hasTotals} = listing;
  const hottest = rows.reduce((most, {self}) => Math.max(most, self), 0) || 1;
  const [origin, ...others] = titles.map(title => ({title, className: ''}));
  const heads = [
    {title: 'Self', className: 'wide'},
    {title: 'Self %', className: ''},
    ...(hasTotals ? [{title: 'Total %', className: ''}] : []),
    {...origin, className: 'wide origin'},
    ...others,
  ].map(({title, className}) => el('th', {textContent: title, scope: 'col', className}));
  const body = rows.slice(0, MOST_LINES).map(row => rowElement(row, hottest, listing, app));
  return el('table', {}, el('thead', {}, el('tr', {}, ...heads)), el('tbody', {}, ...body));
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
    this.shownPlace = '';
  }

  show() {
    const {weights, state, data} = this.app;
    const place = () => JSON.stringify([state.file, state.line, state.code]);
    if (this.shownWeights === weights && this.shownPlace === place()) return;
    this.shownWeights = weights;
    const files = [...lineWeights(data, weights.after)].sort(
      ([, a], [, b]) => b.selfSum - a.selfSum,
    );
    const code = codeWeights(data, weights.after);
    this.choose(
      files.map(([name]) => name),
      code,
    );
    this.shownPlace = place();
    this.bar.replaceChildren();
    this.body.replaceChildren();
    const lines = files.find(([name]) => name === state.file)?.[1];
    const listing =
      state.code >= 0
        ? this.assembly(state.code, code[state.code])
        : lines && this.source(state.file, lines);
    if (!listing) {
      this.body.append('The selected samples have no line numbers.');
      return;
    }
    this.showBar(files, code);
    this.body.append(listingTable(listing, this.app));
    this.scrollToLine(listing);
  }

  /** @param {number[]} files heaviest first @param {CodeWeights[]} code */
  choose(files, code) {
    const {state} = this.app;
    if (state.code >= code.length) state.code = -1;
    if (state.code < 0 && files.length === 0 && code.length > 0) state.code = 0;
    if (files.includes(state.file)) return;
    state.line = 0;
    state.file = files.find(file => this.texts.has(file)) ?? files[0] ?? -1;
  }

  /** @param {number} file @returns {string[]|null} */
  textOf(file) {
    const text = this.texts.get(file);
    if (text === undefined) return null;
    return this.app.data.strings.at(text).replace(/\n$/, '').split('\n');
  }

  /** @param {number} file @param {FileLines} lines @returns {Listing} */
  source(file, {self, total}) {
    const {data, weights} = this.app;
    const text = this.textOf(file);
    const numbers = text ? text.map((_, i) => i + 1) : [...total.keys()].sort((a, b) => a - b);
    const functions = functionsByLine(data, weights.after, file);
    let before = -1;
    const rows = numbers.map(line => {
      const f = functions.get(line) ?? -1;
      const origin = f >= 0 && f !== before ? this.functionLink(f) : '';
      if (f >= 0) before = f;
      return {
        key: line,
        place: String(line),
        text: text ? text[line - 1] : '',
        self: self.get(line) ?? 0,
        total: total.get(line) ?? 0,
        origin,
      };
    });
    return {titles: ['Function', 'Line', 'Source'], rows, hasTotals: true};
  }

  /** @param {number} number @param {CodeWeights} weights @returns {Listing} */
  assembly(number, {self, frames}) {
    const {data} = this.app;
    const {start, text} = data.code[number];
    const lines = data.strings.at(text).split('\n').filter(Boolean);
    const rows = lines.map(line => {
      const space = line.indexOf(' ');
      const offset = parseInt(line.slice(0, space), 16) || 0;
      return {
        key: offset,
        place: (start + BigInt(offset)).toString(16),
        text: line.slice(space + 1),
        self: self.get(offset) ?? 0,
        total: 0,
        origin: this.placeOf(frames.get(offset) ?? -1),
      };
    });
    return {titles: ['Line', 'Address', 'Instruction'], rows, hasTotals: false};
  }

  /** Where a frame is in the source. @param {number} frame */
  placeOf(frame) {
    const {frameFile, frameLine, strings} = this.app.data;
    if (frame < 0 || frameLine[frame] === 0) return '';
    const file = frameFile[frame];
    const line = frameLine[frame];
    return el('button', {
      type: 'button',
      textContent: `${baseName(strings.at(file))}:${line}`,
      title: strings.at(file),
      onclick: () => showSource(this.app, file, line),
    });
  }

  /** @param {number} f */
  functionLink(f) {
    const name = this.app.painter.name(f);
    return el('button', {
      type: 'button',
      textContent: cutLabel(name, MOST_ORIGIN_LETTERS),
      title: name.slice(0, 2000),
      onclick: () => showCallersAndCallees(this.app, f),
    });
  }

  /** @param {[number, FileLines][]} files @param {CodeWeights[]} code */
  showBar(files, code) {
    const {app, bar} = this;
    const {data, state} = app;
    const whole = app.tree.all.after || 1;
    const quiet = (/** @type {string} */ text) =>
      el('span', {className: 'quiet', textContent: text});
    const {strings} = data;
    /** @type {[string, string][]} */
    const options = files
      .slice(0, MOST_FILES)
      .map(([name, {selfSum}]) => [
        String(name),
        `${baseName(strings.at(name))} · ${percent(selfSum / whole)}`,
      ]);
    data.code.forEach(({name}, i) =>
      options.push([
        `code ${i}`,
        `assembly of ${shortened(name)} · ${percent(code[i].selfSum / whole)}`,
      ]),
    );
    const isCode = state.code >= 0;
    const select = choice(
      'File',
      options,
      isCode ? `code ${state.code}` : String(state.file),
      value =>
        value.startsWith('code ')
          ? showAssembly(app, Number(value.slice(5)))
          : showSource(app, Number(value), 0),
    );
    bar.append(select);
    if (isCode) {
      const {module, name} = data.code[state.code];
      const {selfSum} = code[state.code];
      const self = `self ${quantityText(app.tree, selfSum)}, ${percent(selfSum / whole)}`;
      bar.append(quiet(`${name} in ${module}: ${self} of ${wholeName(app.filter)}`));
    } else bar.append(quiet(strings.at(state.file)));
    if (app.weights.before)
      bar.append(
        quiet(
          data.isDifference
            ? 'These are the weights after; Side selects those before.'
            : 'These are the weights of the selected range, not of the one to compare with.',
        ),
      );
    if (!isCode && !this.texts.has(state.file))
      bar.append(quiet('The text of this file is not in the page.'));
  }

  /** Scrolls to the current line, or to the hottest. @param {Listing} listing */
  scrollToLine({rows}) {
    const {state} = this.app;
    const rowOf = (/** @type {number} */ line) => this.body.querySelector(`[data-line="${line}"]`);
    const current = state.code < 0 ? rowOf(state.line) : null;
    const hottest = rows.reduce((a, b) => (b.self > a.self ? b : a), rows[0]);
    current?.setAttribute('aria-current', 'location');
    const row = current ?? (hottest && rowOf(hottest.key));
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
  isOffered: data => data.code.length > 0 || data.frameLine.some(line => line > 0),
  fields: [numberField('file'), numberField('line', 0), numberField('code')],
};

/** @param {App} app @param {number} file @param {number} line */
export const showSource = (app, file, line) =>
  app.set({view: SOURCE_VIEW.id, file, line, code: -1});

/** @param {App} app @param {number} code its number */
export const showAssembly = (app, code) => app.set({view: SOURCE_VIEW.id, code});
