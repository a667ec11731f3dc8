// SPDX-License-Identifier: Apache-2.0
// Places in the time view.
import {HEADING_ROW} from './time_layout.js';

/** @typedef {import('./lane_rows.js').Slice} Slice */
/** @typedef {import('./lanes.js').Lane} Lane */
/** @typedef {import('./time_layout.js').Item} Item */
/**
 * A place in the view. The slice is there if the row is one of a stack that has something in it.
 * @typedef {object} Place
 * @property {Item|null} item
 * @property {Lane|null} lane
 * @property {number} row
 * @property {number} sample of the lane
 * @property {Slice|null} slice
 */

/** @type {Place} */
export const NOWHERE = {item: null, lane: null, row: HEADING_ROW, sample: -1, slice: null};

/**
 * @param {{layout: import('./time_layout.js').TimeLayout, hovered: Place, pixelTicks: number}} view
 * @param {{item: Item, row: number}} found @param {number} tick @returns {Place}
 */
export function placeIn({layout, hovered, pixelTicks}, {item, row}, tick) {
  const lane = item.kind === 'lane' ? item.lanes[0] : null;
  const place = {item, lane, row, sample: -1, slice: null};
  if (!lane || !item.isOpen || row < 0) return place;
  const rows = layout.rowsOf(lane);
  const sample = rows.sampleAt(tick, pixelTicks);
  const box = sample < 0 || row >= rows.count ? -1 : rows.boxAt(sample, row);
  if (box <= 0) return {...place, sample};
  // The pointer moves within a slice often.
  const {slice} = hovered;
  const isSame = lane === hovered.lane && slice?.box === box;
  const isWithin = isSame && sample >= slice.first && sample <= slice.last;
  return {...place, sample, slice: isWithin ? slice : rows.sliceAt(sample, box)};
}
