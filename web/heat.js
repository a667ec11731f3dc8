// SPDX-License-Identifier: Apache-2.0
// The heat map: columns are seconds, rows are parts of a second, so that what happens once a second
// appears as a line. In recordings of a few seconds or of hours, a column is less or more than a
// second.
import {groupsToAdd, lastingEvents, passing} from './filter.js';
import {roundStep} from './numbers.js';

/** @typedef {import('./data.js').Data} Data */
/**
 * @typedef {object} HeatMap
 * @property {number} columns
 * @property {number} rows
 * @property {number} columnTicks
 * @property {number} cellTicks
 * @property {Float64Array} weights column by column
 * @property {number} largest
 * @property {number} full the weight from which on cells have the strongest colour
 */

/**
 * The samples of a map.
 * @typedef {object} Wanted
 * @property {import('./filter.js').Filter} filter
 * @property {(sample: number) => boolean} isWanted whether a sample that passes the filter counts
 */

export const HEAT_ROWS = 50;

/** A column is a second if the map then has neither too few nor too many. */
const FEWEST_COLUMNS = 20;
const USUAL_COLUMNS = 60;
const MOST_COLUMNS = 900;

/** @param {Data} data */
function columnNs({duration, meta}) {
  const ns = duration * meta.tick_ns;
  if (ns / 1e9 > MOST_COLUMNS) return roundStep(ns / MOST_COLUMNS);
  if (ns / 1e9 < FEWEST_COLUMNS)
    return Math.max(roundStep(ns / USUAL_COLUMNS), meta.tick_ns * HEAT_ROWS);
  return 1e9;
}

/**
 * Adds the samples of a filter to cells.
 * @param {Data} data @param {Wanted} wanted @param {Float64Array} weights
 * @param {number} cellTicks
 */
function addToCells(data, {filter, isWanted}, weights, cellTicks) {
  const {sampleTick, sampleWeight, sampleEvent} = data;
  const tickNs = data.meta.tick_ns;
  const passes = passing(data, {...filter, range: null}, groupsToAdd(data, filter));
  const lasting = lastingEvents(data);
  const last = weights.length - 1;
  for (let i = 0; i < data.samples; ++i) {
    if (!passes[i] || !isWanted(i)) continue;
    const first = Math.min(Math.floor(sampleTick[i] / cellTicks), last);
    if (!lasting[sampleEvent[i]]) {
      weights[first] += sampleWeight[i];
      continue;
    }
    // A stretch of time is shared among the cells that it covers.
    const end = sampleTick[i] + sampleWeight[i] / tickNs;
    for (let cell = first, at = sampleTick[i]; at < end && cell <= last; ++cell) {
      const to = Math.min(end, (cell + 1) * cellTicks);
      weights[cell] += (to - at) * tickNs;
      at = to;
    }
  }
}

/**
 * Outliers would leave nothing to see of the rest: cells above this share of all that have a weight
 * get the same colour, if they are far above it.
 */
const USUAL = 0.98;
const FAR = 1.5;

/** @param {Float64Array} weights @param {number} largest */
function fullWeight(weights, largest) {
  const some = weights.filter(weight => weight > 0).sort();
  if (some.length === 0) return 0;
  const usual = some[Math.floor((some.length - 1) * USUAL)];
  return largest > usual * FAR ? usual : largest;
}

/**
 * @param {Data} data @param {Wanted} wanted @returns {HeatMap}
 */
export function heatMap(data, wanted) {
  const columnTicks = columnNs(data) / data.meta.tick_ns;
  const cellTicks = columnTicks / HEAT_ROWS;
  const columns = Math.max(1, Math.ceil(data.duration / columnTicks));
  const weights = new Float64Array(columns * HEAT_ROWS);
  addToCells(data, wanted, weights, cellTicks);
  const largest = weights.reduce((a, b) => Math.max(a, b), 0);
  const full = fullWeight(weights, largest);
  return {columns, rows: HEAT_ROWS, columnTicks, cellTicks, weights, largest, full};
}

/**
 * The range of ticks from one cell to another, both included.
 * @param {HeatMap} map @param {number} a @param {number} b @returns {[number, number]}
 */
export const cellRange = (map, a, b) => [
  Math.floor(Math.min(a, b) * map.cellTicks),
  Math.ceil((Math.max(a, b) + 1) * map.cellTicks),
];

/**
 * Calls `each` for the part of each column that a range covers: the lowest row, and how many.
 * @param {HeatMap} map @param {[number, number]} range ticks
 * @param {(column: number, row: number, rows: number) => void} each
 */
export function eachColumn({cellTicks, rows, columns}, range, each) {
  const first = Math.floor(range[0] / cellTicks);
  const last = Math.ceil(range[1] / cellTicks) - 1;
  const lastColumn = Math.min(Math.floor(last / rows), columns - 1);
  for (let column = Math.floor(first / rows); column <= lastColumn; ++column) {
    const row = Math.max(first - column * rows, 0);
    each(column, row, Math.min(last - column * rows, rows - 1) - row + 1);
  }
}
