// SPDX-License-Identifier: Apache-2.0
// The heat map: columns are seconds, rows are parts of a second, so that what happens once a second
// appears as a line. In recordings of a few seconds or of hours, a column is less or more than a
// second. Cells of short recordings are large enough for a few samples each, if there are not many.
import {firstGroup, groupsInTime, groupsToAdd, lastingEvents, passing} from './filter.js';
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

const USUAL_ROWS = 50;

/** A column is a second if the map then has neither too few nor too many. */
const FEWEST_COLUMNS = 20;
const MOST_COLUMNS = 900;

/** Columns and rows of short recordings. There are about as many columns, by round numbers. */
const SHORT_GRIDS = [
  [60, USUAL_ROWS],
  [60, 20],
  [60, 10],
  [20, 10],
  [20, 5],
];

/** How many samples there are for a cell, at least. */
const SAMPLES_PER_CELL = 2;

/** How many samples the event has that the page shows at first. @param {Data} data */
function countSamples(data) {
  const {meta, samples, sampleEvent} = data;
  const groups = groupsInTime(data, firstGroup(data));
  const isOfIt = meta.events.map(({group}) => groups.includes(group));
  let count = 0;
  for (let i = 0; i < samples; ++i) if (isOfIt[sampleEvent[i]]) ++count;
  return count;
}

/**
 * How long a column is, in nanoseconds, and how many rows there are: the same for all events and
 * filters, so that they can be compared.
 * @param {Data} data
 */
function gridOf(data) {
  const {duration, meta} = data;
  const ns = duration * meta.tick_ns;
  if (ns / 1e9 > MOST_COLUMNS) return {ns: roundStep(ns / MOST_COLUMNS), rows: USUAL_ROWS};
  if (ns / 1e9 >= FEWEST_COLUMNS) return {ns: 1e9, rows: USUAL_ROWS};
  const samples = countSamples(data);
  const fits = (/** @type {number[]} */ [columns, rows]) =>
    columns * rows * SAMPLES_PER_CELL <= samples;
  const [columns, rows] = SHORT_GRIDS.find(fits) ?? SHORT_GRIDS[SHORT_GRIDS.length - 1];
  return {ns: Math.max(roundStep(ns / columns), meta.tick_ns * rows), rows};
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
  const {ns, rows} = gridOf(data);
  const columnTicks = ns / data.meta.tick_ns;
  const cellTicks = columnTicks / rows;
  const columns = Math.max(1, Math.ceil(data.duration / columnTicks));
  const weights = new Float64Array(columns * rows);
  addToCells(data, wanted, weights, cellTicks);
  const largest = weights.reduce((a, b) => Math.max(a, b), 0);
  const full = fullWeight(weights, largest);
  return {columns, rows, columnTicks, cellTicks, weights, largest, full};
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
