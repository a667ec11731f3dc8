// SPDX-License-Identifier: Apache-2.0
// Search by name. Each distinct name is tested once; boxes then match by the number of their
// function.
import {Automaton} from './automaton.js';
import {MarkCounter} from './coverage.js';
import {shownName} from './names.js';
import {percent} from './numbers.js';
import {hasManyWays, programOf} from './regex.js';
import {finished, inPieces, PIECE} from './work.js';

/** @typedef {import('./data.js').Data} Data */
/** @typedef {import('./shape.js').MadeNames} MadeNames */
/** @typedef {import('./tree.js').Tree} Tree */
/** @template T @typedef {import('./work.js').Work<T>} Work */
/** @typedef {(name: string) => boolean} Test */
/** @typedef {{whole: Sums, part: Sums, inside: number[], outside: number[]}} Matched */
/** @typedef {{text: string, regex: boolean, ignoreCase: boolean}} Query */

/** What of a regular expression is not text: a capital letter in it says nothing. */
const NO_TEXT = /\\[pP]\{[^}]*\}|\\k?<\w*>|\(\?<\w+>|\\./gu;

/**
 * Whether a search has a capital letter: then its author means the case as it is.
 * @param {string} text @param {boolean} isRegex
 */
export const hasCapital = (text, isRegex) =>
  /\p{Lu}/u.test(isRegex ? text.replace(NO_TEXT, '') : text);

/** So many letters of a name are tested with a regular expression. */
const LETTERS_TESTED = 2000;

/**
 * The browser is faster for shorter names. For longer ones it takes the square of their length,
 * even with a single repetition.
 */
const LETTERS_OF_BROWSER = 200;

/**
 * A test for names; null: the query is not searched, for the reason that `problem` says.
 * @typedef {{test: Test|null, problem: string}} Matcher
 */

/** Those that were made last: several fields search. @type {Map<string, Matcher>} */
const knownMatchers = new Map();
const MATCHERS_KNOWN = 8;

/** @param {Query} query */
function matcherOf(query) {
  const key = JSON.stringify(query);
  const known = knownMatchers.get(key) ?? madeMatcher(query);
  // The last is the newest.
  knownMatchers.delete(key);
  knownMatchers.set(key, known);
  if (knownMatchers.size > MATCHERS_KNOWN)
    knownMatchers.delete(/** @type {string} */ (knownMatchers.keys().next().value));
  return known;
}

/** A test for names, the same for the same query; null: there is none. @param {Query} query */
export const matcher = query => matcherOf(query).test;

/** Why there is no test. @param {Query} query */
export const searchProblem = query => matcherOf(query).problem;

/** @param {Query} query @returns {Matcher} */
function madeMatcher({text, regex, ignoreCase}) {
  if (regex) return regexMatcher(text, ignoreCase ? 'i' : '');
  if (!ignoreCase) return {test: name => name.includes(text), problem: ''};
  const lower = text.toLowerCase();
  return {test: name => name.toLowerCase().includes(lower), problem: ''};
}

/**
 * An expression as browsers have it; null: it is none.
 * @param {string} text @param {string} flags
 */
function expressionOf(text, flags) {
  // Without "u", browsers accept more.
  for (const all of [`${flags}u`, flags]) {
    try {
      return new RegExp(text, all);
    } catch {
      // Then without it.
    }
  }
  return null;
}

/** @param {string} text @param {string} caseFlag @returns {Matcher} */
function regexMatcher(text, caseFlag) {
  const expression = expressionOf(text, caseFlag);
  if (!expression) return {test: null, problem: 'not a regular expression'};
  const {flags} = expression;
  const program = programOf(text, flags);
  const isLoose = hasManyWays(text, flags);
  if (isLoose && !program) {
    const problem = 'not searched: too long, or it looks around or back and may take forever';
    return {test: null, problem};
  }
  const automaton = program && new Automaton(program);
  const test = (/** @type {string} */ name) => {
    const letters = name.length > LETTERS_TESTED ? name.slice(0, LETTERS_TESTED) : name;
    const isSlow = isLoose || letters.length > LETTERS_OF_BROWSER;
    return (isSlow && automaton ? automaton : expression).test(letters);
  };
  return {test, problem: ''};
}

/** A test of a name costs as much as this many rows. */
const TEST_COST = 16;

/** So many names are a part of the work. */
const NAMES_AT_ONCE = 1 << 10;

/** The time is looked at once for so many names: most tests take less than that. */
const NAMES_TIMED = 8;

/** Tests that have taken longer than this are as much work as a piece. */
const SLOW_MS = 10;

/**
 * What tests found among the functions and made names.
 * @type {WeakMap<Test, [MadeNames, Uint8Array]>}
 */
const knownHits = new WeakMap();

/**
 * Tests names from `first` on: a part of the work.
 * @param {Data} data @param {MadeNames} made @param {Test} matches
 * @param {Uint8Array} hits gets 1 for those that match
 * @param {number} first
 */
function testSome(data, made, matches, hits, first) {
  const most = Math.min(first + NAMES_AT_ONCE, hits.length);
  const begin = performance.now();
  for (let f = first; f < most; ++f) {
    const name = f < made.first ? data.name(f) : made.names[f - made.first];
    if (matches(shownName(name))) hits[f] = 1;
    if (f % NAMES_TIMED === 0 && performance.now() - begin > SLOW_MS)
      return {end: f + 1, isSlow: true};
  }
  return {end: most, isSlow: false};
}

/**
 * 1 for each function that matches or, if none does, for each thread: a program is often named like
 * a function of it, which is what is meant.
 * @param {Data} data @param {MadeNames} made @param {Test} matches @returns {Work<Uint8Array>}
 */
export function* testing(data, made, matches) {
  const known = knownHits.get(matches);
  if (known?.[0] === made) return known[1];
  const hits = new Uint8Array(made.end);
  for (let f = 0; f < hits.length;) {
    const {end, isSlow} = testSome(data, made, matches, hits, f);
    yield isSlow ? PIECE : (end - f) * TEST_COST;
    f = end;
  }
  const anyFunction = hits.some((hit, f) => hit === 1 && data.isFunction(f));
  if (anyFunction) for (const f of data.meta.thread_names) hits[f] = 0;
  knownHits.set(matches, [made, hits]);
  return hits;
}

/** @param {Data} data @param {Test} matches */
export const matchingFunctions = (data, matches) => finished(testing(data, data.made, matches));

/**
 * Weights of a tree: after, and before (0 if it is no difference).
 * @typedef {{after: number, before: number}} Sums
 */

/** @param {Sums} sums @param {Tree} tree @param {number} box */
function addBox(sums, {total, beforeTotal}, box) {
  sums.after += total[box];
  if (beforeTotal) sums.before += beforeTotal[box];
}

/** @returns {Sums} */
const nothing = () => ({after: 0, before: 0});

/** What was found last in a tree. @type {WeakMap<Tree, [Uint8Array, number, Matched]>} */
const knownMatches = new WeakMap();

/** @param {Tree} tree @param {Uint8Array} hits @param {number} zoom @returns {Work<Matched>} */
export function* matching(tree, hits, zoom) {
  const known = knownMatches.get(tree);
  if (known?.[0] === hits && known[1] === zoom) return known[2];
  const found = yield* sumOfMatches(tree, hits, zoom);
  knownMatches.set(tree, [hits, zoom, found]);
  return found;
}

/** @param {Tree} tree @param {Uint8Array} hits @param {number} zoom */
export const matched = (tree, hits, zoom) => finished(matching(tree, hits, zoom));

/**
 * What the boxes that match cover of the whole tree and of the box `zoom`, each place once. Inside
 * are the outermost that can be seen in the zoomed picture, with callers; outside are those that
 * cannot.
 * @param {Tree} tree @param {Uint8Array} hits @param {number} zoom
 */
function* sumOfMatches(tree, hits, zoom) {
  const {shape, boxes, extent} = tree;
  const {parent, func} = shape;
  // 1: within a match, 2: within the zoomed box, 4: within a match inside it, 8: a match.
  const state = new Uint8Array(shape.count);
  const whole = nothing();
  const part = nothing();
  /** @type {number[]} */
  const inside = [];
  /** @type {number[]} */
  const outside = [];
  const callers = new Set();
  for (let box = zoom; box > 0;) callers.add((box = parent[box]));
  // In the order of the shape, what is read of each box is beside that of the one before.
  yield* inPieces(0, shape.count, (from, to) => {
    for (let box = from; box < to; ++box) {
      let s = box > 0 ? state[parent[box]] & 7 : 0;
      if (box === zoom) {
        s |= 2;
        if (s & 1) addBox(part, tree, box);
      }
      const hit = box > 0 ? hits[func[box]] : 0;
      if (hit === 1 && (s & 5) !== 5 && extent[box] !== 0) {
        const isOutermost = !(s & 1);
        if (isOutermost) {
          addBox(whole, tree, box);
          if (s & 2) addBox(part, tree, box);
        }
        if (s & 2 ? !(s & 4) : callers.has(box)) inside.push(box);
        else if (isOutermost) outside.push(box);
        s |= s & 2 ? 5 : 1;
      }
      state[box] = s | (hit << 3);
    }
  });
  const counter = new MarkCounter(tree);
  yield* inPieces(0, boxes.length, (from, to) => counter.add(from, to, state, 3));
  counter.end(hits);
  return {whole, part, inside, outside};
}

/**
 * The shares that match, as text. In a difference, of each side.
 * @param {Tree} tree @param {{whole: Sums, part: Sums}} found @param {number} zoom
 * @param {string} wholeText what the whole is called
 */
export function matchedText(tree, {whole, part}, zoom, wholeText) {
  const sides = (/** @type {Sums} */ {after, before}, ofBefore = 0, ofAfter = 0) => {
    const share = percent(after / (ofAfter || 1));
    return tree.beforeTotal ? `before ${percent(before / (ofBefore || 1))}, after ${share}` : share;
  };
  const text = `Matched: ${sides(whole, tree.all.before, tree.all.after)} of ${wholeText}`;
  if (zoom === 0) return text;
  const inPart = sides(part, tree.beforeTotal?.[zoom], tree.total[zoom]);
  return `${text} (${inPart} of the zoomed part)`;
}
