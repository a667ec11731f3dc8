// SPDX-License-Identifier: Apache-2.0
// What the two sides of a difference are called.

/** @typedef {import('./data.js').Data} Data */

/**
 * The file of a side, without its folders, and the command that was recorded; '': not known.
 * @param {Data} data @param {'before'|'after'} side
 */
export function sideOf({meta}, side) {
  const factOf = (/** @type {string} */ key) =>
    meta.about.find(([name]) => name === `${key}, ${side}`)?.[1] ?? '';
  // "wick record -- ./program" recorded ./program. A command of both sides is a fact of both.
  const command = factOf('command').replace(/^.*? -- /s, '') || meta.recorded.command;
  return {file: factOf('file'), command};
}

/** By which the title of a page names a difference. @param {Data} data */
export function differenceTitle(data) {
  const [before, after] = [sideOf(data, 'before'), sideOf(data, 'after')];
  for (const key of /** @type {('file'|'command')[]} */ (['file', 'command'])) {
    const names = [before[key], after[key]];
    if (names.every(Boolean) && names[0] !== names[1]) return names.join(' → ');
  }
  return 'Differential flame graph';
}
