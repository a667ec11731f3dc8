// SPDX-License-Identifier: Apache-2.0
// How much of what was recorded is missing, as far as that is known.

/** @typedef {import('./data.js').Data} Data */

/** If more than this share was lost, conclusions may be wrong: that gets a line of its own. */
const LOSS_THAT_MATTERS = 0.01;

/** The share of the whole that was lost, as far as it is known. @param {Data} data */
export function lostShare({meta}) {
  const sum = (/** @type {boolean} */ repeats) =>
    meta.notes
      .filter(note => note.loss && Boolean(note.repeats) === repeats)
      .reduce((all, note) => all + (note.share ?? 0), 0);
  return Math.min(Math.max(sum(false), sum(true)), 1);
}

/** Why a loss matters, the largest reason first; empty: it does not. @param {Data} data */
export function lossesThatMatter(data) {
  const losses = data.meta.notes.filter(note => note.loss);
  if (lostShare(data) <= LOSS_THAT_MATTERS) return losses.filter(note => note.cut_off);
  return losses
    .filter(note => note.cut_off || (note.share ?? 0) > 0)
    .sort((a, b) => (b.share ?? 0) - (a.share ?? 0));
}
