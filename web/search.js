// SPDX-License-Identifier: Apache-2.0
// Search by name: each distinct name is looked at once, then boxes are marked by
// their numbers.
import {shownName} from './names.js';

/** @typedef {import('./data.js').Data} Data */
/** @typedef {import('./tree.js').Tree} Tree */
/** @typedef {{text: string, regex: boolean, ignoreCase: boolean}} Query */

/**
 * What a query matches; null if it is no regular expression.
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
      // Without "u", browsers forgive more.
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
 * How much of the whole and of the part in `zoom` lies in boxes that match, each
 * place counted once; and the outermost of those boxes, widest first.
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
