// SPDX-License-Identifier: Apache-2.0
// The text that describes a box.
import {amount, countText, percent, points} from './numbers.js';
import {changeInterval} from './totals.js';

/** @typedef {import('./data.js').Data} Data */
/** @typedef {import('./shape.js').Shape} Shape */
/** @typedef {import('./tree.js').Tree} Tree */

/**
 * The first few places in the source that a box has.
 * @param {Data} data @param {Shape} shape @param {number} box @returns {string[]}
 */
function placesOf(data, shape, box) {
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

/** Descriptions of kinds of frames, by KIND in color.js. */
const KINDS = ['', 'kernel', 'inlined', 'compiled at run time', '', ''];

/** @typedef {{head: string, lines: string[]}} Description */
/**
 * @typedef {object} DescribeOptions
 * @property {string} name
 * @property {number} zoomed a box
 * @property {string} unit
 * @property {import('./coverage.js').Crowd|null} crowd the frames that share its pixel
 */

/** @param {Tree} tree @param {import('./coverage.js').Crowd|null} crowd */
function crowdLines(tree, crowd) {
  if (!crowd || crowd.count < 2) return [];
  const share = percent(crowd.total / (tree.whole || 1));
  return [`the widest of ${countText(crowd.count, 'frame')} in this pixel, together ${share}`];
}

/** @param {Tree} tree @param {number} box */
function changeMark({total, beforeTotal}, box) {
  if (!beforeTotal || box === 0) return '';
  if (total[box] === 0) return ' (vanished)';
  return beforeTotal[box] === 0 ? ' (new)' : '';
}

/**
 * @param {Tree} tree @param {Float64Array} beforeTotal @param {number} box
 * @param {(weight: number) => string} value
 */
function changeLines(tree, beforeTotal, box, value) {
  const before = beforeTotal[box] / (beforeTotal[0] || 1);
  const after = tree.total[box] / (tree.total[0] || 1);
  const [low, high] = changeInterval(before, after, tree.samples).map(points);
  const change = points(after - before);
  return [
    `before: ${percent(before)}, after: ${percent(after)}`,
    `change: ${change} points, with 95% confidence ${low} to ${high}`,
    `total after: ${value(tree.total[box])}, before: ${value(beforeTotal[box] / tree.scale)}`,
  ];
}

/**
 * @param {Tree} tree @param {number} box @param {number} zoomed
 * @param {(weight: number) => string} value
 */
function totalLine({total}, box, zoomed, value) {
  const line = `total: ${value(total[box])}, ${percent(total[box] / (total[0] || 1))}`;
  if (zoomed === 0 || total[box] > total[zoomed]) return line;
  return `${line} · ${percent(total[box] / total[zoomed])} of the zoomed part`;
}

/** @param {Data} data @param {Shape} shape @param {number} box */
function frameLines(data, shape, box) {
  const frame = shape.frame[box];
  if (frame < 0) return [];
  const module = data.strings.at(data.frameModule[frame]);
  const kind = KINDS[data.frameKind[frame]] ?? '';
  const origin = [module, kind].filter(Boolean).join(' · ');
  return [...placesOf(data, shape, box), ...(origin ? [origin] : [])];
}

/**
 * @param {Data} data @param {Tree} tree @param {number} box @param {DescribeOptions} options
 * @returns {Description}
 */
export function describe(data, tree, box, {name, zoomed, unit, crowd}) {
  const value = (/** @type {number} */ weight) => `${amount(weight, tree.decimals)} ${unit}`;
  const self = tree.self[box];
  return {
    head: name + changeMark(tree, box),
    lines: [
      ...crowdLines(tree, crowd),
      ...(tree.beforeTotal
        ? changeLines(tree, tree.beforeTotal, box, value)
        : [totalLine(tree, box, zoomed, value)]),
      `self: ${value(self)}, ${percent(self / (tree.total[0] || 1))}`,
      ...frameLines(data, tree.shape, box),
    ],
  };
}
