// SPDX-License-Identifier: Apache-2.0
// How names are shown. docs/flame-graphs.md has the rules; src/render follows them for the SVG.

/** A name without its annotation, "_[k]" and the like. @param {string} name */
export const shownName = name => (/_\[[kwij]\]$/.test(name) ? name.slice(0, -4) : name);

/** Where the part after the last qualifier begins. @param {string} name */
export function lastPartStart(name) {
  const colons = name.lastIndexOf('::');
  const slash = name.lastIndexOf('/');
  return Math.max(colons >= 0 ? colons + 2 : 0, slash + 1);
}

/** The part after the last qualifier. @param {string} name */
const lastPart = name => name.slice(lastPartStart(name));

const isSimple = (/** @type {string} */ text) => !/[\ud800-\udfff]/.test(text);
/**
 * Characters, with surrogate pairs kept together.
 * @param {string} text @returns {string[]|string}
 */
const letters = text => (isSimple(text) ? text : Array.from(text));
/** @param {string[]|string} from @param {number} start @param {number} [end] */
const cut = (from, start, end) =>
  typeof from === 'string' ? from.slice(start, end) : from.slice(start, end).join('');

/**
 * A label of at most `room` characters; '' if too little would be left.
 * @param {string} name @param {number} room @param {boolean} [atRight] @returns {string}
 */
export function cutLabel(name, room, atRight = false) {
  // Names can have megabytes; labels never need more than this.
  if (name.length > 4096) name = name.slice(0, 4096);
  const all = letters(name);
  if (all.length <= room) return name;
  if (room < Math.min(all.length, 5)) return '';
  if (atRight) return cut(all, 0, room - 2) + '..';
  const last = lastPart(name);
  const lastLetters = letters(last);
  if (lastLetters.length > room) return cut(lastLetters, 0, room - 2) + '..';
  if (lastLetters.length > room - 2) return last;
  return '..' + cut(all, all.length - (room - 2));
}

/**
 * Whether the "<" at `i` is part of an operator's name: <, <<, <= and so on.
 * @param {string} name @param {number} i
 */
const isOperator = (name, i) => /operator<?$/.test(name.slice(Math.max(0, i - 9), i));

/** "std::vector<int, A>::at" becomes "std::vector<>::at". @param {string} name @returns {string} */
export function withoutTemplates(name) {
  if (!name.includes('<')) return name;
  let out = '';
  let depth = 0;
  for (let i = 0; i < name.length; ++i) {
    const c = name[i];
    if (c === '<' && depth === 0 && (i === 0 || isOperator(name, i))) {
      // "<T as Trait>::f" of Rust: the brackets hold the subject, not arguments.
      if (i === 0) return name;
      out += c;
    } else if (c === '<') {
      if (depth++ === 0) out += '<';
    } else if (c === '>' && depth > 0 && name[i - 1] !== '-') {
      if (--depth === 0) out += '>';
    } else if (depth === 0) {
      out += c;
    }
  }
  return depth === 0 ? out : name;
}

/** The last part of a path. @param {string} path */
export const baseName = path => path.slice(path.lastIndexOf('/') + 1);

/**
 * A name for use within a sentence, which right-to-left letters in it do not reorder.
 * @param {string} name
 */
export const isolated = name =>
  /[\u0590-\u08ff\u200e\u200f\u202a-\u202e\u2066-\u2069\ufb1d-\ufdff\ufe70-\ufeff]/.test(name)
    ? `\u2068${name}\u2069`
    : name;

/** A name that fits on a button. @param {string} name */
export const shortened = name => isolated(name.length > 40 ? name.slice(0, 39) + '…' : name);
