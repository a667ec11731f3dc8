// SPDX-License-Identifier: Apache-2.0
// Going from sample to sample, from thread to thread and from match to match in the time view.
import {foundBy} from './found.js';
import {firstAbove} from './lanes.js';
import {clamp} from './numbers.js';
import {headingOf} from './time_draw.js';
import {AXIS, HEADING, HEADING_ROW, TRACK} from './time_layout.js';
import {TimeMatches} from './time_matches.js';
import {sliceLines} from './time_tips.js';

/** @typedef {import('./lanes.js').Lane} Lane */
/** @typedef {import('./time_place.js').Place} Place */
/** @typedef {import('./time_view.js').TimeView} TimeView */

/** @param {TimeView} view @param {number} by */
export function goToSample(view, by) {
  const {selected, cursorItem, visible, layout} = view;
  const lane = cursorItem?.kind === 'lane' ? cursorItem.lanes[0] : null;
  if (!lane) return;
  const isHere = selected.lane === lane && selected.sample >= 0;
  const next = isHere ? selected.sample + by : firstAbove(lane.end, visible[0]);
  const sample = clamp(next, lane.samples.length - 1);
  selectBox(view, lane, sample, layout.rowsOf(lane).leafOf(sample));
}

/**
 * Selects the slice of a sample and a box of its stack, and moves there if it is out of sight.
 * @param {TimeView} view @param {Lane} lane of the current item @param {number} sample
 * @param {number} box
 */
function selectBox(view, lane, sample, box) {
  const [from, to] = view.visible;
  const tick = lane.begin[sample];
  if (tick < from || tick >= to) view.go([tick - (to - from) / 2, tick + (to - from) / 2]);
  const rows = view.layout.rowsOf(lane);
  const slice = box > 0 ? rows.sliceAt(sample, box) : null;
  const place = {item: view.cursorItem, lane, row: rows.rowOf(box), sample, slice};
  view.select(place);
  if (slice) showTip(view, sliceLines(view, place), place);
}

/** To the next item. @param {TimeView} view @param {number} by */
export function goToItem(view, by) {
  const {items} = view.layout;
  if (items.length === 0) return;
  view.cursor = clamp(view.cursor + by, items.length - 1);
  const item = view.cursorItem;
  view.stage.scrollTop = item.top - AXIS;
  const {name, facts} = headingOf(view, item);
  showTip(view, [name, facts], {item, lane: null, row: HEADING_ROW, sample: -1, slice: null});
  view.redraw();
}

/** Where stacks with a match run. @param {TimeView} view */
export function matchesInTime(view) {
  const {app, layout} = view;
  const found = foundBy(app);
  return new TimeMatches(found ? layout.lanesInOrder() : [], found, (lane, sample, box) => {
    openLane(view, lane);
    const rows = view.layout.rowsOf(lane);
    // Callers that a lane does not show have no slices.
    const isShown = rows.boxAt(sample, rows.rowOf(box)) === box;
    selectBox(view, lane, sample, isShown ? box : rows.leafOf(sample));
  });
}

/**
 * Makes a lane the current one, opens it, and scrolls to it.
 * @param {TimeView} view @param {Lane} lane
 */
function openLane(view, lane) {
  // It may be one of the idle ones, and these within a process.
  for (let left = 3; left > 0; --left) {
    view.cursor = view.layout.innermost(lane);
    if (view.cursorItem.isOpen) break;
    view.toggle(view.cursorItem);
  }
  view.cursor = view.layout.innermost(lane);
  view.stage.scrollTop = view.cursorItem.top - AXIS;
}

/**
 * Shows a tip for what a key selected.
 * @param {TimeView} view @param {string[]} lines @param {Place} place
 */
function showTip(view, [head, ...lines], place) {
  const {tips} = view.app;
  tips.describe(head, lines);
  tips.showAt(head, lines, view, () => seenAt(view, place));
}

/**
 * Where a heading or a slice is seen in the browser's window; null: it is not.
 * @param {TimeView} view @param {Place} place
 */
function seenAt({stage, visible, layout}, {item, row, slice}) {
  if (!item) return null;
  const bounds = stage.getBoundingClientRect();
  const [from, to] = visible;
  const height = row === HEADING_ROW ? HEADING : layout.row;
  const above = row === HEADING_ROW ? 0 : HEADING + TRACK + row * height;
  const top = bounds.top + item.top + above - stage.scrollTop;
  if (top + height < bounds.top + AXIS || top > bounds.bottom) return null;
  const share = slice ? (Math.max(slice.begin, from) - from) / (to - from) : 0;
  if (share > 1 || (slice && slice.end < from)) return null;
  return {left: bounds.left + share * bounds.width, top, bottom: top + height};
}
