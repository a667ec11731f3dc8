// SPDX-License-Identifier: Apache-2.0
// How names are shown.
import {fittedLabel, labelParts} from './labels.js';

/** A name without its annotation, "_[k]" and the like. @param {string} name */
export const shownName = name => (/_\[[kwij]\]$/.test(name) ? name.slice(0, -4) : name);

/** Where the last part of a name begins. @param {string} name */
export const lastPartStart = name => labelParts(name).starts.at(-1) ?? 0;

/** With less room, a name that does not fit is not shown. */
const LEAST_ROOM = 5;

/** The first `count` characters, of which some have two units. @param {string} text */
function unitsOf(text, /** @type {number} */ count) {
  if (!/[\ud800-\udbff]/.test(text.slice(0, count))) return Math.min(count, text.length);
  let units = 0;
  for (let i = 0; i < count && units < text.length; ++i)
    units += /** @type {number} */ (text.codePointAt(units)) > 0xffff ? 2 : 1;
  return units;
}

/**
 * A label of at most `room` characters; '' if too little would be left.
 * @param {string} name @param {number} room
 * @param {() => import('./labels.js').Parts|null} [partsOf] null: only its end is cut
 */
export function cutLabel(name, room, partsOf = () => labelParts(name)) {
  if (room < LEAST_ROOM && unitsOf(name, room) < name.length) return '';
  return fittedLabel(name, (text, hasDots) => unitsOf(text, hasDots ? room - 2 : room), partsOf);
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

/** @param {import('./data.js').Data} data @param {number} thread */
export function threadName({meta}, thread) {
  const [pid, tid, comm] = meta.threads[thread];
  const known = tid === pid ? [pid] : [pid, tid];
  // As in `wick report`: which thread of a process ran is not always known.
  const ids = pid >= 0 && tid < 0 ? `${pid}/?` : known.filter(id => id >= 0).join('/');
  return [comm, ids].filter(Boolean).join(' ') || 'unknown thread';
}

/**
 * A name for use within a sentence, which right-to-left letters in it do not reorder.
 * @param {string} name
 */
export const isolated = name =>
  /[\u0590-\u08ff\u200e\u200f\u202a-\u202e\u2066-\u2069\ufb1d-\ufdff\ufe70-\ufeff]/.test(name)
    ? `\u2068${name}\u2069`
    : name;

/** A name that fits on a button. @param {string} name */
export const shortened = name => isolated(cutLabel(name, 40));
