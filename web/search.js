// SPDX-License-Identifier: Apache-2.0
// Search by name. Each distinct name is tested once; boxes then match by the number of their
// function.
import {shownName} from './names.js';

/** @typedef {import('./data.js').Data} Data */
/** @typedef {import('./tree.js').Tree} Tree */
/** @typedef {{text: string, regex: boolean, ignoreCase: boolean}} Query */

/**
 * A test for names; null if the query is not a regular expression.
 * @param {Query} query @returns {((name: string) => boolean)|null}
 */
export function matcher({text, regex, ignoreCase}) {
  if (!regex) {
    if (!ignoreCase) return name => name.includes(text);
    const lower = text.toLowerCase();
    return name => name.toLowerCase().includes(lower);
  }
  for (const unicode of ['u', '']) {
    try {
      const expression = new RegExp(text, (ignoreCase ? 'i' : '') + unicode);
      return name => expression.test(name);
    } catch {
      // Without "u", browsers accept more.
    }
  }
  return null;
}

/**
 * 1 for each function that matches.
 * @param {Data} data @param {(name: string) => boolean} matches
 */
export function matchingFunctions(data, matches) {
  const hits = new Uint8Array(data.names);
  for (let f = 0; f < hits.length; ++f) if (matches(shownName(data.name(f)))) hits[f] = 1;
  return hits;
}

/**
 * How much of the whole tree and of the box `zoom` is covered by boxes that match, and the
 * outermost of these.
 * @param {Tree} tree @param {Uint8Array} hits @param {number} zoom
 */
export function matched(tree, hits, zoom) {
  const {shape, extent, boxes} = tree;
  const {parent, func} = shape;
  // 1: within a match, 2: within the zoomed box.
  const state = new Uint8Array(shape.count);
  let whole = 0;
  let part = 0;
  const outermost = [];
  for (let i = 0; i < boxes.length; ++i) {
    const box = boxes[i];
    let s = box > 0 ? state[parent[box]] : 0;
    if (box === zoom) {
      s |= 2;
      if (s & 1) part = extent[box];
    }
    if (box > 0 && hits[func[box]] && !(s & 1)) {
      s |= 1;
      whole += extent[box];
      if (s & 2) part += extent[box];
      outermost.push(box);
    }
    state[box] = s;
  }
  return {whole, part, outermost};
}
