// SPDX-License-Identifier: Apache-2.0
// The user's choices. They are kept in the fragment of the page's address, which is never sent
// anywhere and also works for files on disk: a link restores the view.

import {keepChoice, keptChoice} from './choices.js';

/** @typedef {import('./transform.js').Transform} Transform */
/** @typedef {[number, number]} Range */
/**
 * The choices that all views share; a view may add its own (ViewKind.fields).
 * @typedef {object} SharedState
 * @property {string} view the id of a ViewKind
 * @property {''|'heavy'|'name'} order of siblings; '': the view's default
 * @property {number} zoom a box
 * @property {Range|null} window the visible part of the tree's width, 0 to 1; null: the zoomed box
 * @property {string} search
 * @property {boolean} plain the search is text, not a regular expression
 * @property {''|'ignore'|'match'} letterCase of the search; '': matters if it has a capital letter
 * @property {string} event a group of events
 * @property {number[]|null} threads null: all
 * @property {''|'on'|'off'} cpu
 * @property {Range|null} range in ticks
 * @property {Range|null} baseline the range to compare with
 * @property {boolean} absolute a comparison is not normalised
 * @property {''|'before'|'after'} side the side of a difference that is shown alone
 * @property {boolean} changes colours show what changed since the profile that was shown before
 * @property {import('./parts.js').PartChoice|null} parts kinds of code or files that are shown
 * @property {string} colors a palette; '': the one that the page was written with
 * @property {Transform[]} transforms
 * @property {number} mark the function whose frames are highlighted; -1: none
 */

/**
 * How one choice is written in the fragment.
 * @typedef {object} Field
 * @property {string} name its property in the state
 * @property {string} key its name in the fragment
 * @property {any} initial
 * @property {(value: any) => string|null} write null: not written
 * @property {(text: string) => any} read undefined: the text is not valid
 * @property {boolean} [isFunction] the value is the number of a function
 * @property {boolean} [isKept] the browser keeps it for other pages
 */

/** @param {string} text @returns {number|undefined} */
export const wholeNumber = text => (/^\d{1,15}$/.test(text) ? Number(text) : undefined);

/** @param {string} name @param {number} [initial] @returns {Field} */
export const numberField = (name, initial = -1) => ({
  name,
  key: name,
  initial,
  write: String,
  read: wholeNumber,
});

/** A choice of how pages look, which the browser keeps. @param {Field} field @returns {Field} */
export const keptField = field => ({...field, isKept: true});

/** @param {string} name @returns {Field} */
export const functionField = name => ({...numberField(name), isFunction: true});

/** @param {string} name @returns {Field} */
export const textField = name => ({
  name,
  key: name,
  initial: '',
  write: text => text,
  read: text => text,
});

/** One of a few values. @template T @param {string} name @param {T} initial @param {T[]} others */
export const choiceField = (name, initial, others) => ({
  name,
  key: name,
  initial,
  write: String,
  read: (/** @type {string} */ text) => others.find(value => String(value) === text),
});

/** @param {string} text @returns {Range|undefined} */
function readRange(text) {
  const [from, to, ...rest] = text.split('-').map(Number);
  return rest.length === 0 && from >= 0 && from < to && to < Infinity ? [from, to] : undefined;
}

/**
 * @param {string} name @param {string} key @param {(end: number) => number} [rounded]
 * @returns {Field}
 */
export const rangeField = (name, key, rounded = end => end) => ({
  name,
  key,
  initial: null,
  write: range => range?.map(rounded).join('-') ?? null,
  read: readRange,
});

/** @param {string} name @param {string} key @param {string} word what a set flag is written as */
export const flagField = (name, key, word) => ({
  name,
  key,
  initial: false,
  write: (/** @type {boolean} */ isSet) => (isSet ? word : null),
  read: (/** @type {string} */ text) => text === word,
});

/** How many words a list in an address has at most. */
const MOST_WORDS = 1000;

/** Words of letters, digits and minus. @param {string} name @returns {Field} */
export const wordsField = name => ({
  name,
  key: name,
  initial: [],
  write: (/** @type {string[]} */ words) => words.join('.'),
  read: text =>
    text
      .split('.')
      .filter(word => /^[\w-]{1,20}$/.test(word))
      .slice(0, MOST_WORDS),
});

/** @type {Field} */
const WINDOW = {
  ...rangeField('window', 'window', share => Number(share.toPrecision(8))),
  read(text) {
    const window = readRange(text);
    return window && window[1] <= 1 ? window : undefined;
  },
};

/** How many threads an address can choose. */
const MOST_THREADS = 1_000_000;

/**
 * "3.5-8.10" for numbers in ascending order.
 * @param {number[]} numbers
 */
function writeNumbers(numbers) {
  const runs = [];
  for (let i = 0, first = 0; i < numbers.length; ++i) {
    if (numbers[i + 1] === numbers[i] + 1) continue;
    runs.push(first === i ? `${numbers[i]}` : `${numbers[first]}-${numbers[i]}`);
    first = i + 1;
  }
  return runs.join('.');
}

/** @param {string} text */
function readNumbers(text) {
  const numbers = [];
  for (const run of text.split('.')) {
    const [first, last = first] = run.split('-').map(wholeNumber);
    if (first === undefined || last === undefined) continue;
    for (let i = first; i <= last && numbers.length < MOST_THREADS; ++i) numbers.push(i);
  }
  return numbers;
}

/** @type {Field} */
const THREADS = {
  name: 'threads',
  key: 'threads',
  initial: null,
  write: threads => threads && writeNumbers(threads),
  read: readNumbers,
};

/** The transforms that an address may ask for, and how many of them. */
/** @type {Transform['type'][]} */
const TRANSFORMS = [
  'function',
  'subtree',
  'hide',
  'drop',
  'recursion',
  'module',
  'templates',
  'invert',
];
const MOST_TRANSFORMS = 100;

/** @param {string} text @returns {Transform[]} */
function readTransform(text) {
  const [word, at] = text.split('.');
  const type = TRANSFORMS.find(name => name === word);
  return type ? [{type, at: wholeNumber(at ?? '') ?? -1}] : [];
}

/** @type {Field} */
const TRANSFORM_LIST = {
  name: 'transforms',
  key: 'do',
  initial: [],
  write: (/** @type {Transform[]} */ list) =>
    list.map(({type, at}) => (at < 0 ? type : `${type}.${at}`)).join('_'),
  read: text => text.split('_').flatMap(readTransform).slice(0, MOST_TRANSFORMS),
};

/** Written in full: which of the two is the default depends on the page. @type {Field} */
const SCALE = {
  name: 'absolute',
  key: 'scale',
  initial: false,
  write: isAbsolute => (isAbsolute ? 'absolute' : 'normalised'),
  read: text => ({absolute: true, normalised: false})[text],
};

/** @type {Field[]} */
export const SHARED_FIELDS = [
  textField('view'),
  keptField(choiceField('order', '', ['heavy', 'name'])),
  numberField('zoom', 0),
  WINDOW,
  textField('search'),
  keptField(flagField('plain', 'mode', 'text')),
  {...choiceField('letterCase', '', ['ignore', 'match']), key: 'case'},
  textField('event'),
  THREADS,
  choiceField('cpu', '', ['on', 'off']),
  rangeField('range', 'range'),
  rangeField('baseline', 'base'),
  SCALE,
  choiceField('side', '', ['before', 'after']),
  flagField('changes', 'changes', 'shown'),
  TRANSFORM_LIST,
  functionField('mark'),
];

/**
 * What the browser kept.
 * @param {Field[]} fields @returns {Record<string, any>}
 */
export function keptState(fields) {
  /** @type {Record<string, any>} */
  const state = {};
  for (const {name, key, read, isKept} of fields) {
    const text = isKept ? keptChoice(key) : null;
    const value = text === null ? undefined : read(text);
    if (value !== undefined) state[name] = value;
  }
  return state;
}

/** @param {Field[]} fields @param {Record<string, any>} changes what the user chose */
export function keepState(fields, changes) {
  for (const {name, key, write, isKept} of fields)
    if (isKept && name in changes) keepChoice(key, write(changes[name]));
}

/** @param {Field[]} fields @returns {any} */
export const initialState = fields =>
  Object.fromEntries(fields.map(({name, initial}) => [name, initial]));

/**
 * Leaves out values that equal `defaults`.
 * @param {Field[]} fields @param {any} state @param {any} defaults
 */
export function toFragment(fields, state, defaults) {
  const parts = new URLSearchParams();
  for (const {name, key, write} of fields) {
    const text = write(state[name]);
    if (text !== null && text !== write(defaults[name])) parts.set(key, text);
  }
  return parts.toString();
}

/**
 * Ignores invalid text. Whether the profile has what a number refers to is left to the caller.
 * @param {Field[]} fields @param {string} fragment @param {any} defaults @returns {any}
 */
export function fromFragment(fields, fragment, defaults) {
  const state = {...defaults};
  const parts = new URLSearchParams(fragment);
  for (const {name, key, read} of fields) {
    const text = parts.get(key);
    const value = text === null ? undefined : read(text);
    if (value !== undefined) state[name] = value;
  }
  return state;
}
