// SPDX-License-Identifier: Apache-2.0
// Runs the programs of regex.js. The steps that can be reached after some letters of a text are a
// state; each state remembers to which one a letter leads. However loose an expression is, a text
// is read once, and a letter costs at most as much as the program is long.

/** @typedef {import('./regex.js').Program} Program */
/**
 * Where a text is between letters: what is before and behind, for ^, $, \b and \B.
 * @typedef {0|1|2} Side   0: no letter of a word, 1: one, 2: the end of the text
 */
/**
 * @typedef {object} AutomatonState
 * @property {number[]} steps that can be reached, before those are followed that read no letter
 * @property {Side} before
 * @property {Map<number, AutomatonState|null>} moves by letter; null: it has matched
 * @property {boolean|null} isEnd matches if the text ends here; null: not yet known
 */

/** So many moves are remembered. Some expressions have more states than there is memory. */
const MOST_MOVES = 20_000;

/** Whether the text is where a step says. */
const POSITIONS = {
  '^': (/** @type {Side} */ before) => before === 2,
  $: (/** @type {Side} */ _, /** @type {Side} */ behind) => behind === 2,
  '\\b': (/** @type {Side} */ before, /** @type {Side} */ behind) =>
    (before === 1) !== (behind === 1),
  '\\B': (/** @type {Side} */ before, /** @type {Side} */ behind) =>
    (before === 1) === (behind === 1),
};

export class Automaton {
  /** @param {Program} program */
  constructor({steps, start, flags}) {
    this.steps = steps;
    this.start = start;
    this.isUnicode = flags.includes('u');
    this.word = new RegExp('\\w', flags);
    /** When each step was last reached. */
    this.reached = new Uint32Array(steps.length);
    this.round = 0;
    /** By what is in them. @type {Map<string, AutomatonState>} */
    this.states = new Map();
    this.moves = 0;
    this.first = this.stateOf([], 2);
  }

  /** Frees the memory of all states; the current one goes on. */
  forget() {
    this.states.clear();
    this.moves = 0;
    this.first = this.stateOf([], 2);
  }

  /** Whether the expression matches anywhere in a text. @param {string} text */
  test(text) {
    let state = this.first;
    for (let i = 0; i < text.length; ++i) {
      const letter = this.isUnicode
        ? /** @type {number} */ (text.codePointAt(i))
        : text.charCodeAt(i);
      if (letter > 0xffff) ++i;
      const known = state.moves.get(letter);
      const next = known === undefined ? this.move(state, letter) : known;
      if (next === null) return true;
      state = next;
    }
    return (state.isEnd ??= this.follow(state, 2) === null);
  }

  /** @param {number[]} steps @param {Side} before @returns {AutomatonState} */
  stateOf(steps, before) {
    const key = `${before}:${steps.join()}`;
    let state = this.states.get(key);
    if (!state) this.states.set(key, (state = {steps, before, moves: new Map(), isEnd: null}));
    return state;
  }

  /** Where a letter leads to. @param {AutomatonState} state @param {number} letter */
  move(state, letter) {
    if (++this.moves > MOST_MOVES) this.forget();
    const text = String.fromCodePoint(letter);
    /** @type {Side} */
    const side = this.word.test(text) ? 1 : 0;
    const readers = this.follow(state, side);
    /** @type {AutomatonState|null} */
    let next = null;
    if (readers) {
      const steps = new Set();
      for (const reader of readers) {
        const step = this.steps[reader];
        if (step.letter?.test(text)) steps.add(step.next);
      }
      next = this.stateOf(
        [...steps].sort((a, b) => a - b),
        side,
      );
    }
    state.moves.set(letter, next);
    return next;
  }

  /**
   * The steps that read the next letter; null: the expression has matched.
   * @param {AutomatonState} state @param {Side} behind
   */
  follow({steps, before}, behind) {
    ++this.round;
    /** @type {number[]} */
    const readers = [];
    // A match may begin anywhere.
    const waiting = [...steps, this.start];
    for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
      if (this.reached[at] === this.round) continue;
      this.reached[at] = this.round;
      const {kind, next, other} = this.steps[at];
      if (kind === 'end') return null;
      if (kind === 'letter') readers.push(at);
      else if (kind === 'fork') waiting.push(next, other);
      else if (POSITIONS[kind](before, behind)) waiting.push(next);
    }
    return readers;
  }
}
