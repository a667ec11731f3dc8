// SPDX-License-Identifier: Apache-2.0
// Search by name. Each distinct name is tested once; boxes then match by the number of their
// function.
import {shownName} from './names.js';
import {percent} from './numbers.js';
import {finished, PIECE, pieces} from './work.js';

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

/** A character, a class, an end of a group, a choice, or how often something is there. */
const SYNTAX =
  /\\.|\[(?:\\.|[^\]\\])*\]|\((?:\?(?:<?[=!]|:|<\w+>))?|[*+?]\??|\{\d+(?:,\d*)?\}\??|./gsu;

/**
 * Whether a group that may be there several times has a choice inside, as in (a+)+ or (a|b)*. For
 * some names, browsers then try each way to share the name out among the choices: there are more
 * than anybody waits for, and nothing can stop them.
 * @param {string} source a regular expression
 */
export function repeatsChoices(source) {
  // Whether there is a choice in each group that is open, and in the part before.
  const open = [false];
  let last = false;
  for (const [part] of source.matchAll(SYNTAX)) {
    const isCount = /^(?:[*+?]|\{\d)/.test(part);
    if (isCount && last && part[0] !== '?') return true;
    if (isCount || part === '|') open[open.length - 1] = true;
    if (part.startsWith('(')) open.push(false);
    last = part === ')' && open.length > 1 && open.pop() === true;
    if (last) open[open.length - 1] = true;
  }
  return false;
}

/** So many letters of a name are tested with a regular expression. */
const LETTERS_TESTED = 2000;

/** The last test that was made. @type {{key: string, test: Test|null}} */
let lastTest = {key: '', test: null};

/**
 * A test for names, the same for the same query; null if the query is not a regular expression, or
 * one that may take forever.
 * @param {Query} query
 */
export function matcher(query) {
  const key = JSON.stringify(query);
  if (lastTest.key !== key) lastTest = {key, test: madeTest(query)};
  return lastTest.test;
}

/** @param {Query} query @returns {Test|null} */
function madeTest({text, regex, ignoreCase}) {
  if (!regex) {
    if (!ignoreCase) return name => name.includes(text);
    const lower = text.toLowerCase();
    return name => name.toLowerCase().includes(lower);
  }
  if (repeatsChoices(text)) return null;
  for (const unicode of ['u', '']) {
    try {
      const expression = new RegExp(text, (ignoreCase ? 'i' : '') + unicode);
      return name =>
        expression.test(name.length > LETTERS_TESTED ? name.slice(0, LETTERS_TESTED) : name);
    } catch {
      // Without "u", browsers accept more.
    }
  }
  return null;
}

/** A test of a name costs as much as this many rows. */
const TEST_COST = 16;

/** How many names are tested between looks at the clock. */
const NAMES_AT_ONCE = 16;

/** Tests that take longer than this are as much work as a piece. */
const SLOW_MS = 10;

/**
 * What tests found among the functions and made names.
 * @type {WeakMap<Test, [MadeNames, Uint8Array]>}
 */
const knownHits = new WeakMap();

/**
 * 1 for each function that matches or, if none does, for each thread: a program is often named like
 * a function of it, which is what is meant.
 * @param {Data} data @param {MadeNames} made @param {Test} matches @returns {Work<Uint8Array>}
 */
export function* testing(data, made, matches) {
  const known = knownHits.get(matches);
  if (known?.[0] === made) return known[1];
  const hits = new Uint8Array(made.end);
  let anyFunction = false;
  for (const [from, to] of pieces(0, hits.length, NAMES_AT_ONCE)) {
    const begin = performance.now();
    for (let f = from; f < to; ++f) {
      const name = f < made.first ? data.name(f) : made.names[f - made.first];
      if (!matches(shownName(name))) continue;
      hits[f] = 1;
      anyFunction ||= data.isFunction(f);
    }
    yield performance.now() - begin > SLOW_MS ? PIECE : (to - from) * TEST_COST;
  }
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
  const {shape, boxes} = tree;
  const {parent, func} = shape;
  // 1: within a match, 2: within the zoomed box, 4: within a match inside it.
  const state = new Uint8Array(shape.count);
  const whole = nothing();
  const part = nothing();
  /** @type {number[]} */
  const inside = [];
  /** @type {number[]} */
  const outside = [];
  const callers = new Set();
  for (let box = zoom; box > 0;) callers.add((box = parent[box]));
  for (const [from, to] of pieces(0, boxes.length)) {
    for (let i = from; i < to; ++i) {
      const box = boxes[i];
      let s = box > 0 ? state[parent[box]] : 0;
      if (box === zoom) {
        s |= 2;
        if (s & 1) addBox(part, tree, box);
      }
      if (box > 0 && hits[func[box]] && (s & 5) !== 5) {
        const isOutermost = !(s & 1);
        if (isOutermost) {
          addBox(whole, tree, box);
          if (s & 2) addBox(part, tree, box);
        }
        if (s & 2 ? !(s & 4) : callers.has(box)) inside.push(box);
        else if (isOutermost) outside.push(box);
        s |= s & 2 ? 5 : 1;
      }
      state[box] = s;
    }
    yield to - from;
  }
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
