// SPDX-License-Identifier: Apache-2.0
// The current view as a file.
import {amount} from './numbers.js';
import {visibleBoxes} from './paint.js';

/** @typedef {import('./tree.js').Tree} Tree */
/** @typedef {import('./paint.js').Painter} Painter */

/** Characters that XML cannot hold become U+FFFD. @param {string} text */
const escaped = text =>
  text
    // eslint-disable-next-line no-control-regex
    .replace(
      /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g,
      '\ufffd',
    )
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/>/g, '&gt;')
    .replace(/"/g, '&quot;');

/**
 * @param {Painter} painter @param {string} title @param {number} width @param {number} height
 * @param {string[]} parts
 */
export const svgPage = (
  painter,
  title,
  width,
  height,
  parts,
) => `<?xml version="1.0" encoding="UTF-8"?>
<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">
<title>${escaped(title)}</title>
<rect width="100%" height="100%" fill="#fff"/>
<text x="10" y="20" font-family="sans-serif" font-size="15">${escaped(title)}</text>
<g font-family="monospace" font-size="${painter.look.font}">
${parts.join('')}</g>
</svg>
`;

/** @param {string} text @param {number} x @param {number} y */
export const svgText = (text, x, y) =>
  `<text x="${x.toFixed(2)}" y="${y.toFixed(1)}">${escaped(text)}</text>\n`;

/**
 * @param {Painter} painter @param {Tree} tree @param {number} box
 * @param {{left: number, y: number, size: number, tip: string}} place
 */
export function svgBox(painter, tree, box, {left, y, size, tip}) {
  const row = painter.look.row;
  const label = size >= 24 ? painter.label(tree, box, size) : '';
  return (
    `<g><title>${escaped(tip.slice(0, 4096))}</title><rect x="${left.toFixed(2)}" y="${y}" width="${size.toFixed(2)}" height="${row - 1}" fill="${painter.color(tree, box)}" rx="2"/>` +
    (label ? svgText(label, Math.max(left, 0) + 3, y + row / 2 + painter.look.font * 0.34) : '') +
    '</g>\n'
  );
}

/**
 * The boxes of a tree below `top`.
 * @param {Painter} painter @param {Tree} tree
 * @param {{window: [number, number], rootAtTop: boolean, width: number, top: number, count: string}} options
 */
export function svgTree(painter, tree, {window, rootAtTop, width, top, count}) {
  const row = painter.look.row;
  const levels = tree.level.length - 1;
  /** @type {string[]} */
  const parts = [];
  for (let depth = 0; depth < levels; ++depth) {
    const y = top + (rootAtTop ? depth : levels - 1 - depth) * row;
    visibleBoxes(tree, depth, window, width, 1, (box, left, size, few) => {
      const tip = few
        ? `${painter.name(tree.shape.func[box])} (${amount(tree.total[box], tree.decimals)} ${count}, ${((100 * tree.total[box]) / tree.total[0]).toFixed(2)}%)`
        : 'several narrow frames';
      parts.push(svgBox(painter, tree, box, {left, y, size, tip}));
    });
  }
  return {parts, bottom: top + levels * row};
}

/**
 * Pictures of canvases, one below the other.
 * @param {Painter} painter @param {import('./canvas.js').FlameCanvas[]} canvases @param {string} title @param {string} count
 */
export function toSvg(painter, canvases, title, count) {
  const width = Math.max(canvases[0].width, 800);
  /** @type {string[]} */
  const parts = [];
  let bottom = 20;
  for (const {tree, window, rootAtTop} of canvases) {
    if (!tree) continue;
    const part = svgTree(painter, tree, {window, rootAtTop, width, top: bottom + 10, count});
    for (const text of part.parts) parts.push(text);
    bottom = part.bottom;
  }
  return svgPage(painter, title, width, bottom + 10, parts);
}

/**
 * Folded stacks, as `wick fold` writes them; a difference has both weights.
 * @param {import('./data.js').Data} data @param {Tree} tree
 */
export function toFolded(data, tree) {
  const {shape, self, beforeSelf} = tree;
  /** @type {string[]} */
  const lines = [];
  const path = new Array(shape.count);
  path[0] = '';
  const weight = (/** @type {number} */ w) =>
    String(Number((w / 10 ** tree.decimals).toFixed(tree.decimals + (tree.scale === 1 ? 0 : 3))));
  for (let i = 0; i < shape.count; ++i) {
    if (tree.extent[i] === 0) continue;
    // Samples without a stack stand at the root, whose line has only a weight.
    if (i > 0) {
      const name = data.name(shape.func[i]).replace(/[;\n\r]/g, ':');
      path[i] = shape.parent[i] === 0 ? name : `${path[shape.parent[i]]};${name}`;
    }
    if (self[i] > 0 || (beforeSelf && beforeSelf[i] > 0))
      lines.push(`${path[i]}${beforeSelf ? ' ' + weight(beforeSelf[i]) : ''} ${weight(self[i])}\n`);
  }
  return lines.sort().join('');
}
