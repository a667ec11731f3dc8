// SPDX-License-Identifier: Apache-2.0
// Names cut to the room that a box has. docs/flame-graphs.md has the rule. The script of the SVG
// contains this file as well; src/render/label.cc is the same for a picture without script.

/**
 * Of what a name consists.
 * @typedef {object} Parts
 * @property {number[]} starts where a part begins that can stand without what is before it
 * @property {number[]} groups what is in brackets, with them: begin, end, begin, end …
 */
/**
 * How many UTF-16 units of a text fit, without splitting a character.
 * @callback Fit
 * @param {string} text @param {boolean} hasDots two dots must fit, too
 * @returns {number}
 */

/** Names can have megabytes; labels never need more than this. */
const LONGEST_NAME = 4096;

const OPEN = '(<[{';
const CLOSE = ')>]}';

const OPERATOR = 'operator';
/** Longest first. */
const OPERATORS = (
  '<=> <<= >>= ->* () [] << >> <= >= -> == != && || ++ -- += -= *= /= %= ^= &= |= ' +
  '< > = ! + - * / % ^ & | ~ ,'
).split(' ');

/**
 * The end of "operator<", "operator()", "operator bool" and the like; `at` if there is none.
 * @param {string} name @param {number} at
 */
function operatorEnd(name, at) {
  const isWord = (/** @type {number} */ i) => /\w/.test(name.charAt(i));
  const end = at + OPERATOR.length;
  if (!name.startsWith(OPERATOR, at) || isWord(at - 1) || isWord(end)) return at;
  const known = OPERATORS.find(text => name.startsWith(text, end));
  if (known !== undefined) return end + known.length;
  // A type, "new", or a literal's suffix, up to the parameters.
  let depth = 0;
  for (let i = end; i < name.length; ++i) {
    if (name[i] === '(' && depth === 0) return i;
    depth += Number(name[i] === '<') - Number(name[i] === '>');
  }
  return name.length;
}

/**
 * The end of what is in brackets of a type; `at` if they are never closed.
 * @param {string} name @param {number} at the opening bracket @param {number} type
 */
function groupEnd(name, at, type) {
  let depth = 0;
  for (let i = at; i < name.length; ++i) {
    if (name[i] === OPEN[type]) ++depth;
    const isArrow = type === 1 && name[i - 1] === '-';
    if (name[i] === CLOSE[type] && !isArrow && --depth <= 0) return i + 1;
  }
  return at;
}

class PartFinder {
  /** @param {string} name */
  constructor(name) {
    this.name = name.slice(0, LONGEST_NAME);
    this.at = 0;
    /** @type {number[]} */
    this.starts = [];
    /** @type {number[]} */
    this.groups = [];
    /** Brackets of a type that are never closed are letters. */
    this.isLetter = [false, false, false, false];
    /** "java.util." since the part began. */
    this.isLower = true;
    /** After the name comes where it is. */
    this.isInPlace = false;
    /** Where the first parameters begin; 0: nowhere. */
    this.parameters = 0;
  }

  /** @returns {Parts} */
  run() {
    const {name, starts, groups} = this;
    while (this.at < name.length) this.step();
    // Blanks separate a type from a function that has parameters.
    return {starts: starts.filter(i => name[i - 1] !== ' ' || i <= this.parameters), groups};
  }

  step() {
    const {name, at} = this;
    const c = name[at];
    if (c === 'o') this.skipOperator();
    const type = OPEN.indexOf(c);
    if (type >= 0 && !this.isLetter[type]) this.skipGroup(type);
    if (this.at > at) return;
    this.isLower = this.isLower && /[a-z0-9_.]/.test(c);
    if (!this.isInPlace) this.lookForStart(c, name.charAt(at + 1));
    ++this.at;
  }

  skipOperator() {
    const end = operatorEnd(this.name, this.at);
    // "operator()" is not cut within its symbol either.
    if (end > this.at) this.groups.push(this.at + OPERATOR.length, end);
    this.at = end;
  }

  /** @param {number} type of bracket */
  skipGroup(type) {
    const {name, at} = this;
    const end = groupEnd(name, at, type);
    this.isLetter[type] = end === at;
    if (end === at) return;
    const isCall = type === 0 && at > 0 && name[at - 1] !== ' ' && name[at - 1] !== '.';
    if (isCall && this.parameters === 0) this.parameters = at;
    this.groups.push(at, end);
    this.at = end;
    this.isLower = false;
  }

  /** @param {number} at */
  startAt(at) {
    if (at >= this.name.length) return;
    this.starts.push(at);
    this.isLower = true;
  }

  /** @param {string} c @param {string} next */
  lookForStart(c, next) {
    const {name, at} = this;
    if (c === ':' && next === ':') {
      this.at = at + 1;
      // "{{closure}}" says nothing by itself.
      if (name[at + 2] !== '{') this.startAt(at + 2);
    } else if ((c === ' ' || c === ':') && next === '/' && at > 0) {
      // "f /app/a.js:1", "py::f:/app/a.py"
      this.isInPlace = true;
    } else if (
      (c === '/' && next !== ' ') ||
      (c === ' ' && next !== '<') ||
      // "pkg.(*T).f" of Go
      (c === '.' && next === '(') ||
      // "java.util.Map.get"
      (c === '.' && this.isLower && next >= 'A' && next <= 'Z')
    ) {
      this.startAt(at + 1);
    }
  }
}

/** @param {string} name @returns {Parts} */
export const labelParts = name => new PartFinder(name).run();

/**
 * The beginning of a text, but not within brackets.
 * @param {string} text @param {number} end @param {number} from where it begins in the name
 * @param {number[]} groups
 */
function cutEnd(text, end, from, groups) {
  for (let i = 0; i < groups.length; i += 2) {
    const open = groups[i] - from;
    if (open > 0 && open < end && end < groups[i + 1] - from) end = open;
  }
  while (end > 1 && ' .:'.includes(text[end - 1])) --end;
  return text.slice(0, end) + '..';
}

/** A cut name has at least as many letters, or it says nothing. */
const LEAST_LETTERS = 3;

/**
 * The label of a name; '' if too little would be left.
 * @param {string} name @param {Fit} fit
 * @param {() => Parts|null} partsOf null: only the end is cut
 * @returns {string}
 */
export function fittedLabel(name, fit, partsOf) {
  if (fit(name, false) === name.length) return name;
  const parts = partsOf();
  const starts = parts?.starts ?? [];
  name = name.slice(0, LONGEST_NAME);
  const fits = (/** @type {string} */ text, /** @type {boolean} */ hasDots) =>
    fit(text, hasDots) === text.length;
  // From the last part on, as many as there is room for.
  let best = 0;
  for (let i = starts.length - 1; i >= 0 && fits(name.slice(starts[i]), true); --i)
    best = starts[i];
  if (best > 0) return '..' + name.slice(best);
  const from = starts.at(-1) ?? 0;
  const last = name.slice(from);
  if (from > 0 && fits(last, false)) return last;
  const end = fit(last, true);
  return end < LEAST_LETTERS ? '' : cutEnd(last, end, from, parts?.groups ?? []);
}
