// SPDX-License-Identifier: Apache-2.0
// What percentages are of, and what a difference shows: the change of a share if it is normalised,
// the change of a weight if it is absolute. Pictures, tips and tables take their numbers from here.
import {percent, points, weightText} from './numbers.js';
import {changeInterval, weightInterval} from './totals.js';

/** @typedef {import('./filter.js').Filter} Filter */
/** @typedef {import('./tree.js').Tree} Tree */

/**
 * What the percentages of a view are of: all samples that pass the filters, whatever transforms
 * have left out.
 * @param {Filter} filter
 */
export function wholeName({threads, cpu, range}) {
  const parts = [
    threads && 'the selected threads',
    range && 'the range',
    cpu && `the time ${cpu} the CPU`,
  ].filter(part => part);
  if (parts.length > 1) return 'the selection';
  return parts[0] || 'the whole';
}

/** @param {Tree} tree @param {number} weight */
export const shareOf = ({all}, weight) => weight / (all.after || 1);

/**
 * The share of a weight before, as a tree has it.
 * @param {Tree} tree @param {number} weight
 */
export const shareBefore = ({all}, weight) => weight / (all.before || 1);

/**
 * A change: of shares, or of weights in the unit of the event if it is absolute.
 * @typedef {object} Change
 * @property {number} before
 * @property {number} after
 * @property {number} change
 * @property {[number, number]} interval with 95% confidence
 */

/**
 * @param {Tree} tree @param {number} before a weight, as the tree has it @param {number} after
 * @returns {Change}
 */
export function changeFrom(tree, before, after) {
  const {all, samples} = tree;
  const shares = {before: shareBefore(tree, before), after: shareOf(tree, after)};
  if (!tree.isAbsolute) {
    const interval = changeInterval(shares.before, shares.after, samples);
    return {...shares, change: shares.after - shares.before, interval};
  }
  const one = 10 ** tree.decimals;
  const whole = {before: all.before / one, after: all.after / one};
  const interval = weightInterval(shares, whole, samples);
  return {before: before / one, after: after / one, change: (after - before) / one, interval};
}

/**
 * How the numbers of a Change are printed.
 * @param {Tree} tree
 * @returns {{value: (n: number) => string, change: (n: number) => string}}
 */
export function changeTexts(tree) {
  if (!tree.isAbsolute) return {value: percent, change: points};
  const value = (/** @type {number} */ n) => weightText(tree, n * 10 ** tree.decimals);
  return {value, change: n => (n > 0 ? '+' : '') + value(n)};
}

/** @param {Change} change */
export const isCertain = ({interval: [low, high]}) => low > 0 || high < 0;
