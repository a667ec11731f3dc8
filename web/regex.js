// SPDX-License-Identifier: Apache-2.0
// Regular expressions as programs for automaton.js. Browsers try one way to match after another:
// for (a+)+ or .*.*.*=, there are more ways through some names than anybody waits for, and nothing
// interrupts a browser at that. A program follows all ways at once, letter by letter.
//
// What a single letter of an expression matches is left to the browser, so classes, case and
// \p{…} mean the same. Lookarounds and backreferences are not possible.

/**
 * What a step of a program does. A letter goes on if a letter of the text matches, a fork goes both
 * ways, and the others go on if they are where they say.
 * @typedef {'letter'|'fork'|'end'|'^'|'$'|'\\b'|'\\B'} StepKind
 */
/** @typedef {{kind: StepKind, next: number, other: number, letter: RegExp|null}} Step */
/** @typedef {{steps: Step[], start: number, flags: string}} Program */

/** Larger programs would take long for each letter of a text. */
const MOST_STEPS = 1000;

/** The parts of an expression: escapes, classes, begins of groups, repetitions, letters. */
const REGEX_PART =
  '\\\\(?:u[dD][89abAB][\\da-fA-F]{2}\\\\u[dD][c-fC-F][\\da-fA-F]{2}|[pP]\\{[^}]*\\}|' +
  'u\\{[\\da-fA-F]+\\}|u[\\da-fA-F]{4}|x[\\da-fA-F]{2}|c[A-Za-z]|k<[^>]*>|.)|' +
  '\\[(?:\\\\.|[^\\]\\\\])*\\]|' +
  '\\((?:\\?(?:<?[=!]|:|<[^>=!]+>))?|' +
  '(?:[*+?]|\\{\\d+(?:,\\d*)?\\})\\??|.';

/** @param {string} source @param {string} flags */
const partsOfSource = (source, flags) =>
  source.match(new RegExp(REGEX_PART, flags.includes('u') ? 'gsu' : 'gs')) ?? [];

/** @param {string} part */
const isRepetition = part => /^(?:[*+?]|\{\d)/.test(part);

/** @param {string} part */
const isBackreference = part => /^\\(?:[1-9]|k<)/.test(part);

/**
 * Whether a browser may have many ways to match an expression: with one repetition, their number
 * grows with the square of the length of a name at most.
 * @param {string} source @param {string} flags
 */
export function hasManyWays(source, flags) {
  let depth = 0;
  let choices = 0;
  for (const part of partsOfSource(source, flags)) {
    if (part.startsWith('(')) ++depth;
    else if (part === ')') --depth;
    else if (isRepetition(part) || isBackreference(part) || (part === '|' && depth > 0)) ++choices;
  }
  return choices > 1;
}

/** How often something may be there: "*", "{2}", "{2,}?". @param {string} part */
function countsOf(part) {
  if (part[0] === '*') return [0, Infinity];
  if (part[0] === '+') return [1, Infinity];
  if (part[0] === '?') return [0, 1];
  const [least, most = least] = part.slice(1, part.indexOf('}')).split(',');
  return [Number(least), most === '' ? Infinity : Number(most)];
}

/** An expression that has no program. */
class NoProgram extends Error {}

/**
 * Makes the steps of a part of an expression, which lead to `next`, and returns the first of them.
 * Repetitions make the same steps several times.
 * @typedef {(next: number) => number} Maker
 */

/** Parses an expression that the browser accepts, and makes its program from the end. */
class ProgramMaker {
  /** @param {string} source @param {string} flags */
  constructor(source, flags) {
    this.parts = partsOfSource(source, flags);
    this.flags = flags;
    this.at = 0;
    /** @type {Step[]} */
    this.steps = [];
    this.work = 0;
  }

  /** @param {Omit<Step, 'other'|'letter'> & Partial<Step>} step @returns {number} */
  add(step) {
    this.steps.push({other: -1, letter: null, ...step});
    return this.steps.length - 1;
  }

  /** @returns {Maker} */
  choice() {
    const ways = [this.sequence()];
    while (this.parts[this.at] === '|') {
      ++this.at;
      ways.push(this.sequence());
    }
    return next =>
      ways
        .map(way => way(next))
        .reduceRight((other, first) => this.add({kind: 'fork', next: first, other}));
  }

  /** @returns {Maker} */
  sequence() {
    /** @type {Maker[]} */
    const items = [];
    while (this.at < this.parts.length && !['|', ')'].includes(this.parts[this.at]))
      items.push(this.repeated(this.item()));
    return next => items.reduceRight((to, item) => item(to), next);
  }

  /** @returns {Maker} */
  item() {
    const part = this.parts[this.at++];
    if (/^\(\?<?[=!]/.test(part) || isBackreference(part) || isRepetition(part))
      throw new NoProgram();
    if (part.startsWith('(')) {
      const inner = this.choice();
      if (this.parts[this.at++] !== ')') throw new NoProgram();
      return inner;
    }
    if (part === '^' || part === '$' || part === '\\b' || part === '\\B')
      return next => this.add({kind: part, next});
    const letter = new RegExp(`^(?:${part})$`, this.flags);
    return next => this.add({kind: 'letter', next, letter});
  }

  /** @param {Maker} item @returns {Maker} */
  repeated(item) {
    const part = this.parts[this.at];
    if (part === undefined || !isRepetition(part)) return item;
    ++this.at;
    const [least, most] = countsOf(part);
    return next => this.repeat(item, least, most, next);
  }

  /** @param {Maker} item @param {number} least @param {number} most @param {number} next */
  repeat(item, least, most, next) {
    let start = next;
    if (most === Infinity) {
      start = this.add({kind: 'fork', next: -1, other: next});
      this.steps[start].next = this.copy(item, start);
    } else
      for (let i = least; i < most; ++i)
        start = this.add({kind: 'fork', next: this.copy(item, start), other: next});
    for (let i = 0; i < least; ++i) start = this.copy(item, start);
    return start;
  }

  /** @param {Maker} item @param {number} next */
  copy(item, next) {
    // Also of items without steps, which could be repeated without end.
    if (++this.work > MOST_STEPS || this.steps.length > MOST_STEPS) throw new NoProgram();
    return item(next);
  }

  /** @returns {Program} */
  program() {
    if (this.parts.length > MOST_STEPS) throw new NoProgram();
    const make = this.choice();
    if (this.at < this.parts.length) throw new NoProgram();
    const start = make(this.add({kind: 'end', next: -1}));
    return {steps: this.steps, start, flags: this.flags};
  }
}

/**
 * The program of a regular expression; null: it has none, or a very large one.
 * @param {string} source that the browser accepts @param {string} flags
 */
export function programOf(source, flags) {
  try {
    return new ProgramMaker(source, flags).program();
  } catch (error) {
    if (error instanceof NoProgram) return null;
    throw error;
  }
}
