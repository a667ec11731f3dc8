// SPDX-License-Identifier: Apache-2.0
// What the tests with random profiles share: random choices, and a model of the viewer in which a
// stack is a list of names, and a transform is what docs/viewer.md says of it. SEED=123 repeats a
// run.
import assert from 'node:assert/strict';

export const SEED = Number(process.env.SEED ?? Math.floor(Math.random() * 1e9));
console.log(`SEED=${SEED}`);

// --- random choices

let state = SEED >>> 0;
/** A number from 0 to below, by mulberry32. */
export function random(below) {
  state = (state + 0x6d2b79f5) >>> 0;
  let t = Math.imul(state ^ (state >>> 15), state | 1);
  t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
  return Math.floor((((t ^ (t >>> 14)) >>> 0) / 2 ** 32) * below);
}
export const oneOf = list => list[random(list.length)];
export const maybe = (chance, make, otherwise) => (random(100) < chance ? make() : otherwise);

// --- transforms of one list of names; null: left out

/** A module collapses into its name in brackets. @param {string} path */
const inBrackets = path => `[${path.split('/').at(-1)}]`;
export const TRANSFORMS = {
  function: (names, at) => (names.includes(at) ? names.slice(names.indexOf(at)) : null),
  subtree: (names, path) =>
    path.every((name, i) => names[i] === name) ? names.slice(path.length - 1) : null,
  hide: (names, at) => names.filter(name => name !== at),
  drop: (names, at) => (names.includes(at) ? null : names),
  recursion: (names, at) =>
    at === undefined
      ? names.filter((name, i) => name !== names[i - 1])
      : names.includes(at)
        ? [...names.slice(0, names.indexOf(at) + 1), ...names.slice(names.lastIndexOf(at) + 1)]
        : names,
  module: (names, {path, moduleOf}) =>
    names
      .map(name => (moduleOf(name) === path ? inBrackets(path) : name))
      .filter((name, i, all) => name !== inBrackets(path) || name !== all[i - 1]),
  templates: names => names.map(name => name.replace(/<[^>]*>/g, '<>')),
  invert: names => [...names].reverse(),
  callers: (names, at) =>
    names.includes(at) ? names.slice(0, names.indexOf(at) + 1).reverse() : null,
};

export const apply = (stacks, type, at) =>
  stacks.flatMap(({names, ...weights}) => {
    const changed = TRANSFORMS[type](names, at);
    return changed ? [{names: changed, ...weights}] : [];
  });

// --- sums

export const sum = (stacks, side) => stacks.reduce((total, stack) => total + stack[side], 0);
export const startsWith = (names, path) => path.every((name, i) => names[i] === name);
export const below = (stacks, path) => stacks.filter(({names}) => startsWith(names, path));
export const endingAt = (stacks, path) =>
  below(stacks, path).filter(({names}) => names.length === path.length);
export const within = (stacks, name) => stacks.filter(({names}) => names.includes(name));

// --- comparison with what is shown

/** The numbers of a text, percentages and others. */
export const numbersIn = text =>
  (text.match(/[-+]?[\d,]*\.?\d+(?:e-?\d+)?/g) ?? []).map(n => Number(n.replaceAll(',', '')));

/** What is shown has two decimals. */
export function sameNumbers(text, wanted, what) {
  const shown = numbersIn(text);
  assert.equal(shown.length, wanted.length, `${what()}: ${text} instead of ${wanted}`);
  shown.forEach((number, i) => {
    const error = Math.abs(number - wanted[i]);
    assert.ok(error <= 0.00501 + Math.abs(wanted[i]) * 1e-9, `${what()}: ${text}, not ${wanted}`);
  });
}
export const percentOf = (part, whole) => (100 * part) / (whole || 1);
