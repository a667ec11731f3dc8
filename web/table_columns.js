// SPDX-License-Identifier: Apache-2.0
// The columns of the table: what is known about a function, as numbers to sort by and as text.
import {filterOf, weigh} from './filter.js';
import {baseName, shownName} from './names.js';
import {amount, percent, weightText} from './numbers.js';
import {changeFrom, changeTexts, isCertain, plainChange, shareOf} from './shares.js';
import {inPieces} from './work.js';

/** @typedef {import('./data.js').Data} Data */
/** @typedef {import('./table_callers.js').Shown} Shown */
/** @typedef {import('./totals.js').FunctionTotals} FunctionTotals */
/** @typedef {import('./tree.js').Tree} Tree */
/** @template T @typedef {import('./work.js').Work<T>} Work */
/**
 * @typedef {object} TableColumn
 * @property {string} key
 * @property {string} title
 * @property {boolean} [wide] left out of narrow pages
 * @property {boolean} [isText] texts begin with A at first, numbers with the largest
 * @property {(f: number) => number} value what rows are sorted by
 * @property {(f: number) => string} text
 * @property {(f: number) => number} [bar] its length, up to 1
 * @property {(f: number) => string} [tone] the class of the bar
 * @property {(f: number) => string} [whole] for other programs: not shortened, plain numbers
 */

/**
 * How often each function was called; null: not known.
 * @param {Shown} picture @returns {Float64Array|null}
 */
function callsOf({data, state, shape}) {
  const hasCalls = data.meta.events.some(event => event.group === 'calls');
  if (!hasCalls || data.isDifference) return null;
  const filter = filterOf(state);
  // A trace does not say when its calls were made.
  if (filter.range && data.clock) return null;
  const weights = weigh(data, {...filter, group: 'calls'}, null).after;
  const calls = new Float64Array(data.names);
  const {map, func} = shape;
  for (let i = 1; i < map.length; ++i)
    if (weights[i] > 0 && map[i] > 0) calls[func[map[i]]] += weights[i];
  return calls;
}

/**
 * @param {Tree} tree @param {FunctionTotals} totals @param {Float64Array} beforeTotal
 * @returns {Work<TableColumn[]>}
 */
function* comparisonColumns(tree, {self, total, functions}, beforeTotal) {
  const of = (/** @type {number} */ f) => changeFrom(tree, beforeTotal[f], total[f]);
  const texts = changeTexts(tree);
  // The interval is not symmetric: half its width next to a star could exceed the change.
  const intervalText = (/** @type {number} */ f) => of(f).interval.map(texts.bound).join(' to ');
  const wholeInterval = (/** @type {number} */ f) => {
    const bounds = of(f).interval.map(texts.bound).join(', ');
    return `[${bounds}]${isCertain(of(f)) ? ' *' : ''}`;
  };
  const intervalWidth = (/** @type {number} */ f) => {
    const [low, high] = of(f).interval;
    return high - low;
  };
  const beforeText = (/** @type {number} */ f) =>
    beforeTotal[f] === 0 ? 'new' : texts.value(of(f).before);
  const afterText = (/** @type {number} */ f) =>
    total[f] === 0 ? 'gone' : texts.value(of(f).after);
  const selfText = (/** @type {number} */ f) =>
    tree.isAbsolute ? weightText(tree, self[f]) : percent(shareOf(tree, self[f]));
  const change = (/** @type {number} */ f) => plainChange(tree, beforeTotal[f], total[f]);
  let largest = 0;
  yield* inPieces(0, functions.length, (from, to) => {
    for (let i = from; i < to; ++i) largest = Math.max(largest, Math.abs(change(functions[i])));
  });
  return [
    {
      key: 'change',
      title: 'Change',
      value: f => Math.abs(change(f)),
      text: f => texts.change(change(f)) + (isCertain(of(f)) ? ' *' : ''),
      whole: f => texts.change(change(f)),
      bar: f => Math.abs(change(f)) / (largest || 1),
      tone: f => (change(f) > 0 ? 'grew' : 'shrank'),
    },
    {
      key: 'interval',
      title: '95% interval',
      wide: true,
      value: intervalWidth,
      text: intervalText,
      whole: wholeInterval,
    },
    {key: 'before', title: 'Before', value: f => of(f).before, text: beforeText},
    {key: 'after', title: 'After', value: f => of(f).after, text: afterText},
    {key: 'self', title: 'Self after', wide: true, value: f => self[f], text: selfText},
  ];
}

/**
 * @param {Tree} tree @param {FunctionTotals} totals @param {Float64Array|null} calls
 * @returns {TableColumn[]}
 */
function plainColumns(tree, {self, total}, calls) {
  /** @returns {TableColumn[]} */
  const pair = (/** @type {Float64Array} */ weights, key = '', title = '') => {
    const value = (/** @type {number} */ f) => weights[f];
    const text = (/** @type {number} */ f) => weightText(tree, weights[f]);
    const share = (/** @type {number} */ f) => percent(shareOf(tree, weights[f]));
    return [
      {key, title, wide: true, value, text, whole: f => String(weights[f] / 10 ** tree.decimals)},
      {
        key: `${key}%`,
        title: `${title} %`,
        value,
        text: share,
        bar: f => shareOf(tree, weights[f]),
      },
    ];
  };
  const columns = [...pair(self, 'self', 'Self'), ...pair(total, 'total', 'Total')];
  if (calls)
    columns.push({
      key: 'calls',
      title: 'Calls',
      value: f => calls[f],
      text: f => amount(calls[f], 0),
      whole: f => String(calls[f]),
    });
  return columns;
}

/**
 * The frame of each function that has the largest total; -1: none.
 * @param {Tree} tree @returns {Work<Int32Array>}
 */
function* heaviestFrames({shape, extent, boxes}) {
  const {func, frame, made} = shape;
  const frames = new Int32Array(made.end).fill(-1);
  const most = new Float64Array(made.end);
  yield* inPieces(0, boxes.length, (from, to) => {
    for (let i = from; i < to; ++i) {
      const box = boxes[i];
      const f = func[box];
      if (f < 0 || extent[box] <= most[f]) continue;
      most[f] = extent[box];
      frames[f] = frame[box];
    }
  });
  return frames;
}

/**
 * A column of strings that functions have through their frames.
 * @param {Data} data @param {FunctionTotals} totals @param {Int32Array} frames of functions
 * @param {{key: string, title: string, strings: Int32Array}} column strings of frames
 * @returns {Work<TableColumn[]>} none if no function has one
 */
function* originColumn(data, {functions}, frames, {key, title, strings}) {
  const of = (/** @type {number} */ f) => (frames[f] < 0 ? -1 : strings[frames[f]]);
  /** @type {Map<number, string>} */
  const texts = new Map();
  yield* inPieces(0, functions.length, (from, to) => {
    for (let i = from; i < to; ++i) {
      const at = of(functions[i]);
      if (at >= 0 && !texts.has(at)) texts.set(at, data.strings.at(at));
    }
  });
  if (![...texts.values()].some(text => text !== '')) return [];
  const whole = (/** @type {number} */ f) => texts.get(of(f)) ?? '';
  const sorted = [...new Set([...texts.values()].map(baseName))].sort();
  const ranks = new Map(sorted.map((text, rank) => [text, rank]));
  const text = (/** @type {number} */ f) => baseName(whole(f));
  const value = (/** @type {number} */ f) => ranks.get(text(f)) ?? -1;
  return [{key, title, wide: true, isText: true, value, text, whole}];
}

/**
 * Where functions come from.
 * @param {Tree} tree @param {Data} data @param {FunctionTotals} totals
 * @returns {Work<TableColumn[]>}
 */
function* originColumns(tree, data, totals) {
  const frames = yield* heaviestFrames(tree);
  const {frameModule, frameFile} = data;
  const module = {key: 'module', title: 'Module', strings: frameModule};
  const file = {key: 'file', title: 'File', strings: frameFile};
  return [
    ...(yield* originColumn(data, totals, frames, module)),
    ...(yield* originColumn(data, totals, frames, file)),
  ];
}

/** @typedef {{before: TableColumn[], name: TableColumn, after: TableColumn[]}} Columns */

/** The columns of a tree do not depend on how it is sorted. @type {WeakMap<Tree, Columns>} */
const knownColumns = new WeakMap();

/**
 * The columns before and after that of names.
 * @param {Shown} picture @param {FunctionTotals} totals @returns {Work<Columns>}
 */
export function* columnsOf(picture, totals) {
  const {tree, data} = picture;
  const known = knownColumns.get(tree);
  if (known) return known;
  const before = totals.beforeTotal
    ? yield* comparisonColumns(tree, totals, totals.beforeTotal)
    : plainColumns(tree, totals, callsOf(picture));
  /** @type {TableColumn} */
  const name = {
    key: 'name',
    title: 'Function',
    isText: true,
    // Functions are numbered by name.
    value: f => f,
    text: f => shownName(data.name(f)),
    whole: f => data.name(f),
  };
  const columns = {before, name, after: yield* originColumns(tree, data, totals)};
  knownColumns.set(tree, columns);
  return columns;
}

/** @param {Columns} columns @returns {TableColumn[]} */
export const allColumns = ({before, name, after}) => [...before, name, ...after];
