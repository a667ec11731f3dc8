// SPDX-License-Identifier: Apache-2.0
// What a box says about itself.
import {amount, percent, points} from './numbers.js';
import {changeInterval} from './totals.js';

/** @typedef {import('./data.js').Data} Data */
/** @typedef {import('./tree.js').Tree} Tree */

/**
 * The places in the source that a box stands for, a few of them.
 * @param {Data} data @param {import('./merge.js').Shape} shape @param {number} box
 * @returns {string[]}
 */
export function placesOf(data, shape, box) {
  const places = new Set();
  const {map} = shape;
  for (let i = 1; i < map.length && places.size < 4; ++i) {
    if (map[i] !== box) continue;
    const frame = data.nodeFrame[i];
    const file = data.strings.at(data.frameFile[frame]);
    if (file !== '' && data.frameFunction[frame] === shape.func[box])
      places.add(data.frameLine[frame] > 0 ? `${file}:${data.frameLine[frame]}` : file);
  }
  const list = [...places];
  return list.length > 3 ? [...list.slice(0, 3), '…'] : list;
}

const KINDS = ['', 'kernel', 'inlined', 'compiled at run time', ''];

/**
 * @param {Data} data @param {Tree} tree @param {number} box @param {number} zoomed @param {string} count the unit
 * @returns {{head: string, lines: string[]}}
 */
export function describe(data, tree, box, zoomed, count, /** @type {string} */ name) {
  const {shape} = tree;
  const whole = tree.total[0] || 1;
  const value = (/** @type {number} */ w) => `${amount(w, tree.decimals)} ${count}`;
  const lines = [];
  let head = name;
  if (tree.beforeTotal && tree.beforeSelf) {
    const before = tree.beforeTotal[box] / (tree.beforeTotal[0] || 1);
    const after = tree.total[box] / whole;
    const [low, high] = changeInterval(before, after, tree.samples);
    if (box > 0 && tree.total[box] === 0) head += ' (vanished)';
    else if (box > 0 && tree.beforeTotal[box] === 0) head += ' (new)';
    lines.push(`before: ${percent(before)}, after: ${percent(after)}`);
    lines.push(
      `change: ${points(after - before)} points, with 95% confidence ${points(low)} to ${points(high)}`,
    );
    lines.push(
      `total after: ${value(tree.total[box])}, before: ${value(tree.beforeTotal[box] / tree.scale)}`,
    );
  } else {
    let total = `total: ${value(tree.total[box])}, ${percent(tree.total[box] / whole)}`;
    if (zoomed > 0 && tree.total[box] <= tree.total[zoomed])
      total += ` · ${percent(tree.total[box] / tree.total[zoomed])} of the zoomed part`;
    lines.push(total);
  }
  lines.push(`self: ${value(tree.self[box])}, ${percent(tree.self[box] / whole)}`);
  const frame = shape.frame[box];
  if (frame >= 0) {
    lines.push(...placesOf(data, shape, box));
    const module = data.strings.at(data.frameModule[frame]);
    const kind = KINDS[data.frameKind[frame]] ?? '';
    if (module || kind) lines.push([module, kind].filter(Boolean).join(' · '));
  }
  return {head, lines};
}
