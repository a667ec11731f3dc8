// SPDX-License-Identifier: Apache-2.0
// What percentages are of, and what a difference shows: the change of a share if it is normalised,
// the change of a weight if it is absolute. Pictures, tips and tables take their numbers from here.
import {amount, percent, points, weightText} from './numbers.js';
import {changeInterval, weightInterval} from './totals.js';

/** @typedef {import('./filter.js').Filter} Filter */
/** @typedef {import('./tree.js').Tree} Tree */

const WHOLE = 'the whole';

/**
 * What the percentages of a view are of: all samples that pass the filters, whatever transforms
 * have left out.
 * @param {Filter} filter
 */
export function wholeName({threads, cpu, range, parts: kinds}) {
  const parts = [
    threads && 'the selected threads',
    range && 'the range',
    kinds && `the selected ${kinds.by === 'kind' ? 'kinds of code' : 'modules'}`,
    cpu && `the time ${cpu} the CPU`,
  ].filter(part => part);
  if (parts.length > 1) return 'the selection';
  return parts[0] || WHOLE;
}

/**
 * Which part of the whole passes the filters; '' if all does.
 * @param {Filter} filter @param {import('./filter.js').Weights} weights
 */
export function selectedText(filter, {before, selected}) {
  if (wholeName(filter) === WHOLE) return '';
  const [was, is] = selected.map(percent);
  return `selected: ${before ? `before ${was}, after ${is}` : is} of ${WHOLE}`;
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
 * The change alone: its interval takes much longer.
 * @param {Tree} tree @param {number} before a weight, as the tree has it @param {number} after
 */
export const plainChange = (tree, before, after) =>
  tree.isAbsolute
    ? (after - before) / 10 ** tree.decimals
    : shareOf(tree, after) - shareBefore(tree, before);

/**
 * @param {Tree} tree @param {number} before a weight, as the tree has it @param {number} after
 * @returns {Change}
 */
export function changeFrom(tree, before, after) {
  const {all, samples} = tree;
  const shares = {before: shareBefore(tree, before), after: shareOf(tree, after)};
  const change = plainChange(tree, before, after);
  if (!tree.isAbsolute) {
    const interval = changeInterval(shares.before, shares.after, samples);
    return {...shares, change, interval};
  }
  const one = 10 ** tree.decimals;
  const whole = {before: all.before / one, after: all.after / one};
  const interval = weightInterval(shares, whole, samples);
  return {before: before / one, after: after / one, change, interval};
}

/** A bound of weights, as `wick diff` prints it. @param {number} n */
const boundText = n =>
  Math.abs(n) >= 1000 ? amount(Math.round(n), 0) : String(Number(n.toPrecision(4)));

/** @param {(n: number) => string} text */
const signed = text => (/** @type {number} */ n) => (n > 0 ? '+' : '') + text(n);

/**
 * How the numbers of a Change are printed, and the bounds of its interval.
 * @typedef {Record<'value'|'change'|'bound', (n: number) => string>} ChangeTexts
 */

/** @param {Tree} tree @returns {ChangeTexts} */
export function changeTexts(tree) {
  if (!tree.isAbsolute) return {value: percent, change: points, bound: points};
  const value = (/** @type {number} */ n) => weightText(tree, n * 10 ** tree.decimals);
  const bound = tree.unit_ns > 0 ? value : boundText;
  return {value, change: signed(value), bound: signed(bound)};
}

/** @param {Change} change */
export const isCertain = ({interval: [low, high]}) => low > 0 || high < 0;
