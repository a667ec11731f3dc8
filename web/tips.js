// SPDX-License-Identifier: Apache-2.0
// The text that describes a box.
import {countText, percent, quantityText, unitAfter} from './numbers.js';
import {changeFrom, changeTexts, shareOf} from './shares.js';
import {isWithin} from './tree.js';

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

/** Descriptions of kinds of frames, by KIND in kinds.js. */
const KINDS = ['', 'kernel', 'inlined', 'compiled at run time', '', '', 'WebAssembly'];

/** @typedef {{head: string, lines: string[]}} Description */
/**
 * @typedef {object} DescribeOptions
 * @property {string} name
 * @property {number} zoomed a box
 * @property {string} whole what shares are of
 * @property {string} part what the zoomed box is called
 * @property {import('./coverage.js').Crowd|null} crowd the frames that share its pixel
 */
/**
 * @callback ValueText
 * @param {number} weight
 * @returns {string}
 */

/** @param {Tree} tree @param {DescribeOptions} options */
function crowdLines(tree, {crowd, whole}) {
  if (!crowd || crowd.count < 2) return [];
  const share = tree.beforeTotal
    ? `${percent(crowd.total / (tree.whole || 1))} of the width`
    : `${percent(shareOf(tree, crowd.total))} of ${whole}`;
  return [`the widest of ${countText(crowd.count, 'frame')} in this pixel, together ${share}`];
}

/** @param {Tree} tree @param {number} box */
function changeMark({total, beforeTotal}, box) {
  if (!beforeTotal || box === 0) return '';
  if (total[box] === 0) return ' (vanished)';
  return beforeTotal[box] === 0 ? ' (new)' : '';
}

/**
 * Of a normalised difference shares, and then weights; of an absolute one weights alone.
 * @param {Tree} tree @param {Float64Array} beforeTotal @param {number} box
 * @param {DescribeOptions} options @param {ValueText} value
 */
function changeLines(tree, beforeTotal, box, {whole}, value) {
  const {before, after, change, interval} = changeFrom(tree, beforeTotal[box], tree.total[box]);
  const texts = changeTexts(tree);
  const [low, high] = interval.map(texts.bound);
  const unit = unitAfter(tree);
  const [both, counted] = tree.isAbsolute ? [unit, unit] : [` of ${whole}`, ' points'];
  const weights = [tree.total[box], beforeTotal[box] / tree.scale].map(value);
  return [
    `before: ${texts.value(before)}, after: ${texts.value(after)}${both}`,
    `change: ${texts.change(change)}${counted}, with 95% confidence ${low} to ${high}`,
    ...(tree.isAbsolute ? [] : [`total after: ${weights[0]}, before: ${weights[1]}`]),
  ];
}

/**
 * The share of the zoomed part is only for what is inside it.
 * @param {Tree} tree @param {number} box @param {DescribeOptions} options @param {ValueText} value
 */
function totalLine(tree, box, {zoomed, whole, part}, value) {
  const {shape, total} = tree;
  const line = `total: ${value(total[box])}, ${percent(shareOf(tree, total[box]))} of ${whole}`;
  if (zoomed === 0 || !isWithin(shape, box, zoomed)) return line;
  return `${line} · ${percent(total[box] / (total[zoomed] || 1))} of ${part}`;
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
export function describe(data, tree, box, options) {
  const value = (/** @type {number} */ weight) => quantityText(tree, weight);
  const self = tree.self[box];
  const when = tree.beforeTotal ? ' after' : '';
  const selfShare = tree.isAbsolute && tree.beforeTotal ? '' : `, ${percent(shareOf(tree, self))}`;
  return {
    head: options.name + changeMark(tree, box),
    lines: [
      ...crowdLines(tree, options),
      ...(tree.beforeTotal
        ? changeLines(tree, tree.beforeTotal, box, options, value)
        : [totalLine(tree, box, options, value)]),
      `self${when}: ${value(self)}${selfShare}`,
      ...(tree.was ? [`in the profile before: ${percent(shareOf(tree, tree.was[box]))}`] : []),
      ...frameLines(data, tree.shape, box),
    ],
  };
}
