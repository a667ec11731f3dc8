// SPDX-License-Identifier: Apache-2.0
// The current view as a file.
import {css, inkOn} from './color.js';
import {countText, percent, quantityText, unitAfter} from './numbers.js';
import {LEAST_LABEL, visibleBoxes} from './paint.js';
import {changeTexts, plainChange, shareOf} from './shares.js';
import {PIECE, sorting} from './work.js';

/** @typedef {import('./tree.js').Tree} Tree */
/** @typedef {import('./paint.js').Painter} Painter */

/** Control characters, and halves of surrogate pairs. */
const NOT_XML = new RegExp(
  '[\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\ufffe\\uffff]' +
    '|[\\ud800-\\udbff](?![\\udc00-\\udfff])' +
    '|(?<![\\ud800-\\udbff])[\\udc00-\\udfff]',
  'g',
);

/** @param {string} text */
const escaped = text =>
  text
    .replace(NOT_XML, '\ufffd')
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/>/g, '&gt;')
    .replace(/"/g, '&quot;');

/**
 * What a picture shows: the profile, and the part of it.
 * @typedef {{title: string, part: string}} Heading
 */

/** Pixels of the line with the part, which is below the title. */
const PART = 18;

/**
 * @param {Painter} painter @param {Heading} heading @param {number} width
 * @param {number} bottom of the parts @param {string[]} parts
 */
export function svgPage(painter, {title, part}, width, bottom, parts) {
  const height = bottom + PART;
  const size = `width="${width}" height="${height}" viewBox="0 0 ${width} ${height}"`;
  return `<?xml version="1.0" encoding="UTF-8"?>
<svg xmlns="http://www.w3.org/2000/svg" ${size}>
<title>${escaped(title)}</title>
<rect width="100%" height="100%" fill="#fff"/>
<text x="10" y="20" font-family="sans-serif" font-size="15">${escaped(title)}</text>
<text x="10" y="38" font-family="sans-serif" font-size="12" fill="#59636e">${escaped(part)}</text>
<g font-family="monospace" font-size="${painter.look.font}" transform="translate(0 ${PART})">
${parts.join('')}</g>
</svg>
`;
}

/** @param {string} text @param {number} x @param {number} y @param {string} [ink] */
export const svgText = (text, x, y, ink = '#000') =>
  `<text x="${x.toFixed(2)}" y="${y.toFixed(1)}"${ink === '#000' ? '' : ` fill="${ink}"`}>` +
  `${escaped(text)}</text>\n`;

/**
 * @param {Painter} painter @param {Tree} tree @param {number} box
 * @param {{left: number, y: number, size: number, tip: string}} place
 */
export function svgBox(painter, tree, box, {left, y, size, tip}) {
  const {row, font} = painter.look;
  const title = `<title>${escaped(tip.slice(0, 4096))}</title>`;
  const place = `x="${left.toFixed(2)}" y="${y}" width="${size.toFixed(2)}" height="${row - 1}"`;
  const color = painter.rgb(tree, box);
  const rect = `<rect ${place} fill="${css(color)}" rx="2"/>`;
  const label = size >= LEAST_LABEL ? painter.label(tree, box, size) : '';
  const text =
    label && svgText(label, Math.max(left, 0) + 3, y + row / 2 + font * 0.34, inkOn(color));
  return `<g>${title}${rect}${text}</g>\n`;
}

/**
 * "; +1.23%", or "; +12 samples" if the difference is absolute.
 * @param {Tree} tree @param {number} box
 */
function changeText(tree, box) {
  if (!tree.beforeTotal || box === 0) return '';
  const change = plainChange(tree, tree.beforeTotal[box], tree.total[box]);
  return `; ${changeTexts(tree).change(change)}${tree.isAbsolute ? unitAfter(tree) : '%'}`;
}

/**
 * The tooltip of a box in an SVG.
 * @param {Painter} painter @param {Tree} tree @param {number} box
 */
function svgTip(painter, tree, box) {
  const {shape, total} = tree;
  const weight = quantityText(tree, total[box]);
  const share = percent(shareOf(tree, total[box]));
  return `${painter.name(shape.func[box])} (${weight}, ${share}${changeText(tree, box)})`;
}

/** Pixels of frames narrower than a pixel that are one element of an SVG. */
const RUN = 4;

/** The tone of narrow frames on white paper. */
export const FAINT = 0x59636e;

/**
 * What is narrower than a pixel.
 * @param {number} color @param {string} title
 * @param {{left: number, y: number, size: number, height: number}} place
 */
export function svgNarrow(color, title, {left, y, size, height}) {
  const place = `x="${left.toFixed(2)}" y="${y}" width="${size.toFixed(2)}" height="${height}"`;
  return `<g><title>${title}</title><rect ${place} fill="${css(color)}"/></g>\n`;
}

/**
 * The boxes of a tree, from `top` down.
 * @param {Painter} painter @param {Tree} tree
 * @param {object} options
 * @param {[number, number]} options.window
 * @param {boolean} options.rootAtTop
 * @param {number} options.width
 * @param {number} options.top
 * @param {number} [options.firstLevel]
 */
export function svgTree(painter, tree, {window, rootAtTop, width, top, firstLevel = 0}) {
  const {row} = painter.look;
  const end = tree.level.length - 1;
  /** @type {string[]} */
  const parts = [];
  for (let depth = firstLevel; depth < end; ++depth) {
    const y = top + (rootAtTop ? depth - firstLevel : end - 1 - depth) * row;
    visibleBoxes(
      tree,
      depth,
      {window, width, pixel: 1, run: RUN},
      (box, left, size) => {
        const tip = svgTip(painter, tree, box);
        parts.push(svgBox(painter, tree, box, {left, y, size, tip}));
      },
      (left, size, share, from, to) => {
        const color = painter.narrowRgb(tree, from, to, {
          share,
          faint: FAINT,
          paper: 0xffffff,
        });
        const title = `${countText(to - from, 'frame')} narrower than a pixel`;
        parts.push(svgNarrow(color, title, {left, y, size, height: row - 1}));
      },
    );
  }
  return {parts, bottom: top + Math.max(end - firstLevel, 0) * row};
}

/**
 * The trees of canvases, one below the other.
 * @param {Painter} painter @param {import('./canvas.js').FlameCanvas[]} canvases
 * @param {Heading} heading
 */
export function toSvg(painter, canvases, heading) {
  const width = Math.max(canvases[0].width, 800);
  /** @type {string[]} */
  const parts = [];
  let bottom = 20;
  for (const {tree, window, rootAtTop, firstLevel} of canvases) {
    if (!tree) continue;
    const place = {window, rootAtTop, width, top: bottom + 10, firstLevel};
    const part = svgTree(painter, tree, place);
    for (const text of part.parts) parts.push(text);
    bottom = part.bottom;
  }
  return svgPage(painter, heading, width, bottom + 10, parts);
}

/** Each name of a line costs as much as this many rows. */
const NAME_COST = 16;

/** Names as folded stacks have them. @param {import('./data.js').Data} data */
function foldedNames(data) {
  /** @type {string[]} */
  const names = [];
  return (/** @type {number} */ f) => (names[f] ??= data.name(f).replace(/[;\n\r]/g, ':'));
}

/**
 * Folded stacks, as `wick fold` writes them; a difference has both weights, as `wick diff` writes
 * them: as they are, whatever is shown.
 * @param {import('./data.js').Data} data @param {Tree} tree
 * @returns {import('./work.js').Work<string[]>} lines, in the order of their bytes
 */
export function* folding(data, tree) {
  const {shape, self, beforeSelf} = tree;
  const {parent, func, count} = shape;
  /** @type {string[]} */
  const lines = [];
  const nameOf = foldedNames(data);
  const text = (/** @type {number} */ weight) =>
    String(Number((weight / 10 ** tree.decimals).toFixed(tree.decimals)));
  let rows = 0;
  for (let i = 0; i < count; ++i) {
    if (++rows >= PIECE) {
      yield rows;
      rows = 0;
    }
    if (self[i] <= 0 && !(beforeSelf && beforeSelf[i] > 0)) continue;
    // Samples without a stack belong to the root, whose line is a weight only.
    const names = [];
    for (let box = i; box > 0; box = parent[box]) names.push(nameOf(func[box]));
    const weights = beforeSelf ? [beforeSelf[i] / tree.scale, self[i]] : [self[i]];
    lines.push(`${[names.reverse().join(';'), ...weights.map(text)].join(' ')}\n`);
    rows += NAME_COST * (names.length + 1);
  }
  yield rows;
  return yield* sorting(lines, (a, b) => (a < b ? -1 : a > b ? 1 : 0));
}

/** How many letters become bytes at once. */
const LETTERS_AT_ONCE = 1 << 22;

/**
 * The same as a file, which may be larger than a string can be.
 * @param {import('./data.js').Data} data @param {Tree} tree
 * @returns {import('./work.js').Work<Blob>}
 */
export function* foldedFile(data, tree) {
  const lines = yield* folding(data, tree);
  /** @type {Blob[]} */
  const parts = [];
  let from = 0;
  let letters = 0;
  for (let i = 0; i < lines.length; ++i) {
    letters += lines[i].length;
    if (letters < LETTERS_AT_ONCE && i + 1 < lines.length) continue;
    parts.push(new Blob(lines.slice(from, i + 1)));
    from = i + 1;
    letters = 0;
    yield PIECE;
  }
  return new Blob(parts, {type: 'text/plain'});
}
