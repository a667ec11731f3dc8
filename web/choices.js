// SPDX-License-Identifier: Apache-2.0
// Choices that the browser keeps for all pages of wick: how they look, not what they show. It may
// refuse to, as some do for files on disk; then a choice lasts as long as the page.

/** Where they are in the browser's storage. */
const PLACE = 'wick';

/** No choice is longer than this. The storage is shared with other pages. */
const LONGEST_CHOICE = 100;

/** @returns {Record<string, unknown>} */
function readAll() {
  try {
    const kept = JSON.parse(localStorage.getItem(PLACE) ?? '');
    return typeof kept === 'object' && kept !== null ? kept : {};
  } catch {
    return {};
  }
}

/** @param {string} name @returns {string|null} */
export function keptChoice(name) {
  const kept = readAll();
  const text = Object.hasOwn(kept, name) ? kept[name] : null;
  return typeof text === 'string' && text.length <= LONGEST_CHOICE ? text : null;
}

/** @param {string} name @param {string|null} text null: no longer kept */
export function keepChoice(name, text) {
  const {[name]: _, ...others} = readAll();
  try {
    localStorage.setItem(PLACE, JSON.stringify(text === null ? others : {...others, [name]: text}));
  } catch {
    // There is no storage, or it is full.
  }
}
