// SPDX-License-Identifier: Apache-2.0
// What the time view says of what is under the pointer.
import {ACTIVITIES} from './activity.js';
import {activityColumns, firstAbove} from './lanes.js';
import {threadName} from './names.js';
import {countText, duration, moment, percent, quantityText} from './numbers.js';
import {shareOf, wholeName} from './shares.js';

/** @typedef {import('./lanes.js').Lane} Lane */
/** @typedef {import('./time_layout.js').Item} Item */
/** @typedef {import('./time_place.js').Place} Place */
/** @typedef {import('./time_view.js').TimeView} TimeView */

/**
 * "at 0.12 s for 60 ms".
 * @param {import('./data.js').Data} data @param {number} begin @param {number} end ticks
 */
export function timeSpanText({meta, clock}, begin, end) {
  const ns = (end - begin) * meta.tick_ns;
  const at = moment(begin * meta.tick_ns, Math.max(ns / 100, meta.tick_ns), clock);
  return `at ${at} for ${duration(ns, clock)}`;
}

/**
 * How many slices begin in the pixel of one that is narrower than it; 0: it is not.
 * @param {TimeView} view @param {Lane} lane @param {import('./lane_rows.js').Slice} slice
 */
function narrowSlices({pixelTicks, visible, layout}, lane, {box, begin, end}) {
  if (end - begin >= pixelTicks) return 0;
  const left = visible[0] + Math.floor((begin - visible[0]) / pixelTicks) * pixelTicks;
  const from = firstAbove(lane.end, left);
  const to = firstAbove(lane.begin, left + pixelTicks, from);
  const rows = layout.rowsOf(lane);
  const row = rows.rowOf(box);
  let slices = 0;
  for (let i = from, before = -1; i < to; ++i) {
    const here = rows.boxAt(i, row);
    if (here > 0 && here !== before) ++slices;
    before = here;
  }
  return slices;
}

/**
 * The name of a slice, its own begin and duration, its thread, and what its stack weighs.
 * @param {TimeView} view @param {Place} place with a slice
 */
export function sliceLines(view, {lane, slice}) {
  if (!lane || !slice) return [];
  const {app} = view;
  const {tree, data, painter} = app;
  const {box, first, last, begin, end} = slice;
  const total = tree.total[box];
  const share = `${percent(shareOf(tree, total))} of ${wholeName(app.filter)}`;
  const thread = threadName(data, data.sampleThread[lane.samples[first]]);
  const lines = [
    painter.name(tree.shape.func[box]),
    `${timeSpanText(data, begin, end)} in ${thread}`,
  ];
  if (last > first && !data.clock) lines.push(`${countText(last - first + 1, 'sample')}`);
  const narrow = narrowSlices(view, lane, slice);
  if (narrow > 1) lines.push(`one of ${countText(narrow, 'slice')} in this pixel`);
  lines.push(`this stack in total: ${quantityText(tree, total)}, ${share}`);
  return lines;
}

/**
 * What a track shows in a column of pixels.
 * @param {TimeView} view @param {Item} item @param {number} column
 */
export function trackLines({app, pixelTicks, visible}, {lanes}, column) {
  const {data} = app;
  const begin = visible[0] + column * pixelTicks;
  const sums = new Float64Array(ACTIVITIES.length);
  for (const {track} of lanes) {
    const ticks = activityColumns(track, begin, begin + pixelTicks, 1);
    for (let k = 0; k < sums.length; ++k) sums[k] += ticks[k];
  }
  const whole = pixelTicks * lanes.length;
  const shares = ACTIVITIES.map(({title}, k) => ({title, share: sums[k] / whole}));
  return [
    timeSpanText(data, begin, begin + pixelTicks),
    ...shares.filter(({share}) => share > 0).map(({title, share}) => `${title}: ${percent(share)}`),
    ...(sums.every(ticks => ticks === 0) ? [data.clock ? 'not running' : 'no samples'] : []),
  ];
}
