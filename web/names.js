// SPDX-License-Identifier: Apache-2.0
// How names are shown: the rules of docs/flame-graphs.md, as src/render has them
// for the SVG.

/** Without "_[k]" and its like. @param {string} name */
export const shownName = name => (/_\[[kwij]\]$/.test(name) ? name.slice(0, -4) : name);

/** What follows the last qualifier. @param {string} name */
function lastPart(name) {
  const colons = name.lastIndexOf('::');
  const slash = name.lastIndexOf('/');
  return name.slice(Math.max(colons >= 0 ? colons + 2 : 0, slash + 1));
}

const isSimple = (/** @type {string} */ text) => !/[\ud800-\udfff]/.test(text);
/** Characters, not halves of them. @param {string} text @returns {string[]|string} */
const letters = text => (isSimple(text) ? text : Array.from(text));
/** @param {string[]|string} from @param {number} start @param {number} [end] */
const cut = (from, start, end) =>
  typeof from === 'string' ? from.slice(start, end) : from.slice(start, end).join('');

/**
 * A label of at most `room` characters; '' if that would say nothing.
 * @param {string} name @param {number} room @param {boolean} [atRight] @returns {string}
 */
export function cutLabel(name, room, atRight = false) {
  // No label has more than this; names can have megabytes.
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
 * Whether the "<" at `i` belongs to the name of an operator: <, <<, <= and so on.
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
      // "<T as Trait>::f" of Rust begins with it; keep what it is about.
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

/** A name as a part of a sentence: marks of direction in it end with it. @param {string} name */
export const isolated = name =>
  /[\u0590-\u08ff\u200e\u200f\u202a-\u202e\u2066-\u2069\ufb1d-\ufdff\ufe70-\ufeff]/.test(name)
    ? `\u2068${name}\u2069`
    : name;
