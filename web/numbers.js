// SPDX-License-Identifier: Apache-2.0
// Numbers for people. A tooltip shows them as the SVG does.

/** The nearest number from 0 to `last`. @param {number} value @param {number} last */
export const clamp = (value, last) => Math.min(Math.max(value, 0), last);

/** @param {number} value */
const withCommas = value =>
  Math.round(value)
    .toString()
    .replace(/\B(?=(\d{3})+$)/g, ',');

/** "1,234", "0.125". @param {number} weight @param {number} decimals */
export function amount(weight, decimals) {
  const value = weight / 10 ** decimals;
  if (decimals === 0) return (value < 0 ? '-' : '') + withCommas(Math.abs(value));
  const size = Math.abs(value);
  if (size !== 0 && size < 1) return String(Number(value.toPrecision(3)));
  const [whole, fraction] = size.toFixed(3).split('.');
  const digits = fraction.replace(/0+$/, '');
  return (value < 0 ? '-' : '') + withCommas(Number(whole)) + (digits ? '.' + digits : '');
}

/**
 * "1 frame", "1,234 frames".
 * @param {number} count @param {string} thing @param {string} [things]
 */
export const countText = (count, thing, things = `${thing}s`) =>
  `${amount(count, 0)} ${count === 1 ? thing : things}`;

/** What follows the last digit of a number in the middle between two. */
const TAIL = '5'.padEnd(24, '0');

/**
 * Rounds ties to even, as `wick report` does; toFixed alone rounds them up.
 * @param {number} value @param {number} digits
 */
function fixed(value, digits) {
  // These are the exact digits of the number: 4.135 is not between 4.13 and 4.14, but below.
  const isTie = value.toFixed(digits + TAIL.length).endsWith(TAIL);
  const power = 10 ** digits;
  return (isTie ? (2 * Math.round((value * power) / 2)) / power : value).toFixed(digits);
}

/** @param {number} value */
const twoDecimals = value => fixed(value, 2);

/** @type {[number, string][]} */
const TIME_UNITS = [
  [1e9, 's'],
  [1e6, 'ms'],
  [1e3, 'µs'],
];

/** "4.93 s", "12.4 ms", "-15 ns": as time_text() in C++. @param {number} ns */
function timeText(ns) {
  if (ns === 0) return '0 s';
  for (const [size, unit] of TIME_UNITS) {
    const value = ns / size;
    const digits = Math.abs(value) < 9.995 ? 2 : Math.abs(value) < 99.95 ? 1 : 0;
    // 999.6 of the smaller unit would be rounded to 1000.
    if (Math.abs(value) >= 0.9995) return `${fixed(value, digits)} ${unit}`;
  }
  return `${Number(ns.toPrecision(3))} ns`;
}

/**
 * What weights count. `unit_ns` is 0 unless that is time.
 * @typedef {{decimals: number, unit: string, unit_ns: number}} Measure
 */

/** "1,234", or "9.26 s". @param {Measure} measure @param {number} weight */
export const weightText = ({decimals, unit_ns: unitNs}, weight) =>
  unitNs > 0 ? timeText((weight * unitNs) / 10 ** decimals) : amount(weight, decimals);

/** " samples"; nothing after a time, which has its unit. @param {Measure} measure */
export const unitAfter = ({unit, unit_ns: unitNs}) => (unitNs > 0 ? '' : ` ${unit}`);

/** "1,234 samples", or "9.26 s". @param {Measure} measure @param {number} weight */
export const quantityText = (measure, weight) => weightText(measure, weight) + unitAfter(measure);

/** @param {number} share */
export const percent = share => twoDecimals(100 * share) + '%';

/** "+1.23", in percentage points; without a sign if it rounds to 0. @param {number} change */
export function points(change) {
  if (Math.abs(change) < 0.5e-4) return '0.00';
  return (change > 0 ? '+' : '') + twoDecimals(100 * change);
}

/**
 * A time since the beginning, with enough digits to distinguish times that are `step` apart.
 * @param {number} ns @param {number} step
 * @param {string} clock the unit if times are not in nanoseconds, or ''
 */
export function moment(ns, step, clock) {
  if (clock) return `${withCommas(ns)} ${clock}`;
  const digits = Math.min(9, Math.max(0, Math.ceil(9 - Math.log10(Math.max(step, 1)))));
  return (ns / 1e9).toFixed(digits) + ' s';
}

/** "12.3 ms". @param {number} ns @param {string} clock */
export function duration(ns, clock) {
  if (clock) return `${withCommas(ns)} ${clock}`;
  for (const [size, unit] of TIME_UNITS)
    if (ns >= size) return `${Number((ns / size).toPrecision(3))} ${unit}`;
  return `${Math.round(ns)} ns`;
}

/**
 * From the first sample to the last, as `wick report` says it.
 * @param {number} span @param {string} clock
 */
export const spanText = (span, clock) =>
  clock ? `${withCommas(span)} ${clock}` : `${(span / 1e9).toFixed(3)} s`;

/** The width of a letter on an axis, in pixels. */
const LETTER = 7;

/**
 * The marks of a time axis: their positions in pixels, and their text, which is empty if there is
 * no room for it.
 * @param {number} from @param {number} to ns @param {number} width @param {string} clock
 * @returns {{x: number, text: string}[]}
 */
export function timeMarks(from, to, width, clock) {
  const marks = [];
  const step = roundStep(Math.max(((to - from) / width) * (clock ? 160 : 110), clock ? 1 : 0));
  for (let i = Math.ceil(from / step); i * step < to; ++i) {
    const x = ((i * step - from) / (to - from)) * width;
    const text = moment(i * step, step, clock);
    marks.push({x, text: x + 3 + text.length * LETTER <= width ? text : ''});
  }
  return marks;
}

/** The least of 1, 2 or 5 times a power of ten that is not below `least`. @param {number} least */
export function roundStep(least) {
  const power = 10 ** Math.floor(Math.log10(least));
  for (const factor of [1, 2, 5]) if (factor * power >= least * (1 - 1e-9)) return factor * power;
  return 10 * power;
}
