// SPDX-License-Identifier: Apache-2.0
// The heat map: columns are seconds, rows are parts of a second, so that what
// happens once a second stands out as a line. For recordings of a few seconds or
// of hours, a column is less or more than a second.
import {groupsToAdd, lastingEvents, passing} from './filter.js';
import {roundStep} from './numbers.js';

/** @typedef {import('./data.js').Data} Data */
/**
 * @typedef {{columns: number, rows: number, columnTicks: number, cellTicks: number, weights: Float64Array,
 *   largest: number}} HeatMap   weights: column by column
 */

export const HEAT_ROWS = 50;

/** @param {Data} data @param {import('./filter.js').Filter} filter @returns {HeatMap} */
export function heatMap(data, filter) {
  const ns = data.duration * data.meta.tick_ns;
  // A second, if that gives a map that can be seen and drawn.
  let columnNs = 1e9;
  if (ns / columnNs > 900) columnNs = roundStep(ns / 900);
  else if (ns / columnNs < 20)
    columnNs = Math.max(roundStep(ns / 60), data.meta.tick_ns * HEAT_ROWS);
  const columnTicks = columnNs / data.meta.tick_ns;
  const cellTicks = columnTicks / HEAT_ROWS;
  const columns = Math.max(1, Math.ceil(data.duration / columnTicks));
  const weights = new Float64Array(columns * HEAT_ROWS);
  const {sampleTick, sampleWeight, sampleEvent} = data;
  const passes = passing(data, {...filter, range: null}, groupsToAdd(data, filter));
  const lasts = lastingEvents(data);
  const last = weights.length - 1;
  for (let i = 0; i < data.samples; ++i) {
    if (!passes[i]) continue;
    const first = Math.min(Math.floor(sampleTick[i] / cellTicks), last);
    if (!lasts[sampleEvent[i]]) {
      weights[first] += sampleWeight[i];
      continue;
    }
    // What lasts belongs to all the cells that it lasts for.
    const end = sampleTick[i] + sampleWeight[i] / data.meta.tick_ns;
    for (let cell = first, at = sampleTick[i]; at < end && cell <= last; ++cell) {
      const to = Math.min(end, (cell + 1) * cellTicks);
      weights[cell] += (to - at) * data.meta.tick_ns;
      at = to;
    }
  }
  let largest = 0;
  for (const weight of weights) if (weight > largest) largest = weight;
  return {columns, rows: HEAT_ROWS, columnTicks, cellTicks, weights, largest};
}

/**
 * The range of ticks from one cell to another, both included.
 * @param {HeatMap} map @param {number} a @param {number} b @returns {[number, number]}
 */
export const cellRange = (map, a, b) => [
  Math.floor(Math.min(a, b) * map.cellTicks),
  Math.ceil((Math.max(a, b) + 1) * map.cellTicks),
];
