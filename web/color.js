// SPDX-License-Identifier: Apache-2.0
// The colours of docs/flame-graphs.md. src/render/palette.cc has them for the SVG; tests compare
// the two.
import {fnv, FNV_MASK, FNV_PRIME, KIND, OWN_PALETTES} from './kinds.js';

/** @typedef {[number, number, number]} Rgb */

/** Of each channel: its lowest value, its range, and which of v1, v2, v3 moves it. */
/** @type {Record<string, [number, number, number][]>} */
const HUES = {
  hot: [
    [205, 50, 3],
    [0, 230, 1],
    [0, 55, 2],
  ],
  mem: [
    [0, 0, 1],
    [190, 50, 2],
    [0, 210, 1],
  ],
  io: [
    [80, 60, 1],
    [80, 60, 1],
    [190, 55, 2],
  ],
  red: [
    [200, 55, 1],
    [50, 80, 1],
    [50, 80, 1],
  ],
  green: [
    [50, 60, 1],
    [200, 55, 1],
    [50, 60, 1],
  ],
  blue: [
    [80, 60, 1],
    [80, 60, 1],
    [205, 50, 1],
  ],
  yellow: [
    [175, 55, 1],
    [175, 55, 1],
    [50, 20, 1],
  ],
  purple: [
    [190, 65, 1],
    [80, 60, 1],
    [190, 65, 1],
  ],
  aqua: [
    [50, 60, 1],
    [165, 55, 1],
    [165, 55, 1],
  ],
  orange: [
    [190, 65, 1],
    [90, 65, 1],
    [0, 0, 1],
  ],
};

/** @param {string} name @param {number} kind */
function letterOf(name, kind) {
  if (/_\[.\]$/s.test(name)) return name[name.length - 2];
  return kind === KIND.kernel ? 'k' : kind === KIND.inlined ? 'i' : kind === KIND.jit ? 'j' : ' ';
}

/**
 * Palettes that choose a hue by the kind of code.
 * @type {Record<string, (name: string, kind: number) => string>}
 */
const FAMILIES = {
  java(name, kind) {
    const letter = letterOf(name, kind);
    if (letter === 'k') return 'orange';
    if (letter === 'i') return 'aqua';
    if (letter === 'j') return 'green';
    if (name.includes('::') || name.startsWith('-[') || name.startsWith('+[')) return 'yellow';
    if (name.includes('/') || (name.includes('.') && !name.startsWith('[')) || /^[A-Z]/.test(name))
      return 'green';
    return 'red';
  },
  js(name, kind) {
    const letter = letterOf(name, kind);
    if (letter === 'k') return 'orange';
    if (letter === 'j') return name.includes('/') ? 'green' : 'aqua';
    if (name.includes('node_modules/')) return 'purple';
    if (name.includes('::')) return 'yellow';
    if (name.includes(':')) return 'aqua';
    const slash = name.indexOf('/');
    if (slash >= 0 && name.indexOf('.js', slash) >= 0) return 'green';
    return name === ' ' ? 'green' : 'red';
  },
  perl(name, kind) {
    if (letterOf(name, kind) === 'k') return 'orange';
    if (name.includes('Perl') || name.includes('.pl')) return 'green';
    return name.includes('::') ? 'yellow' : 'red';
  },
  python(name) {
    if (name.includes('site-packages')) return 'aqua';
    return /python[0-9.]+[/\\]/.test(name) || /^<(built-in|method|frozen)/.test(name)
      ? 'yellow'
      : 'red';
  },
  rust(name) {
    const bare = name.slice(name.indexOf('`') + 1);
    if (/^<?(core|std|alloc)::/.test(bare)) return 'orange';
    return bare.includes('::') ? 'aqua' : 'yellow';
  },
  wakeup: () => 'aqua',
  chain: (name, kind) => (letterOf(name, kind) === 'w' ? 'aqua' : 'blue'),
};

/**
 * One step of drand48 from the sum of the characters, as Perl's srand and rand.
 * @param {string} name
 */
function seededByName(name) {
  let seed = 0;
  for (let i = 0; i < name.length; ++i) {
    const c = /** @type {number} */ (name.codePointAt(i));
    if (c > 0xffff) ++i;
    seed = (seed + c) >>> 0;
  }
  // (seed << 16 | 0x330e) * 0x5deece66d + 0xb modulo 2^48, in halves that
  // doubles hold exactly.
  const low = (seed % 256) * 65536 + 0x330e;
  const high = Math.floor(seed / 256);
  const multiplierLow = 0xece66d;
  const multiplierHigh = 0x5de;
  const lowProduct = low * multiplierLow + 0xb;
  const carry = Math.floor(lowProduct / 16777216);
  const highProduct =
    (((high * multiplierLow) % 16777216) + ((low * multiplierHigh) % 16777216) + carry) % 16777216;
  return (highProduct * 16777216 + (lowProduct % 16777216)) / 2 ** 48;
}

/** flamegraph.pl's hash of the first three characters. @param {number[]} name */
function lettersHash(name) {
  let sum = 0;
  let most = 1;
  let weight = 1;
  for (let i = 0; i < name.length && i < 3; ++i) {
    const mod = 10 + i;
    sum += ((name[i] % mod) / (mod - 1)) * weight;
    most += weight;
    weight *= 0.7;
  }
  return 1 - sum / most;
}

/** @param {string} name @returns {[number, number, number]} */
function hashedByLetters(name) {
  const letters = Array.from(name, c => /** @type {number} */ (c.codePointAt(0)));
  const withoutModule = () => {
    const tick = letters.indexOf(0x60);
    return tick > 0 ? letters.slice(tick + 1) : letters;
  };
  const forward = lettersHash(withoutModule());
  letters.reverse();
  const backward = lettersHash(withoutModule());
  return [forward, backward, backward];
}

/** @param {string} name @returns {[number, number, number]} */
function hashedByBytes(name) {
  let h = fnv(name);
  const next = () => {
    const v = Number(h) / 2 ** 64;
    h = (h * FNV_PRIME) & FNV_MASK;
    return v;
  };
  return [next(), next(), next()];
}

/** All that can be chosen. */
export const PALETTES = [
  ...Object.keys(OWN_PALETTES),
  ...Object.keys(HUES),
  ...Object.keys(FAMILIES),
];

/** @typedef {{colors: string, hash: boolean, deterministic: boolean}} ColorChoice */

/**
 * The group of a frame: those of one group and name have one colour.
 * @param {string} colors a palette @param {import('./kinds.js').Code} code
 */
export const groupOf = (colors, code) => OWN_PALETTES[colors]?.group(code) ?? code.kind;

/**
 * @param {string} colors a palette @param {string} name @param {number} group
 * @returns {[number, number, number][]}
 */
const hueIn = (colors, name, group) =>
  OWN_PALETTES[colors]?.hue(group, name) ??
  HUES[colors] ??
  HUES[(FAMILIES[colors] ?? FAMILIES.chain)(name, group)];

/**
 * The colour of a name.
 * @param {ColorChoice} look
 * @param {string} name with its annotation @param {number} group @returns {Rgb}
 */
export function plainColor(look, name, group) {
  if (name === '--') return [160, 160, 160];
  if (name === '-') return [200, 200, 200];
  const channels = hueIn(look.colors, name, group);
  let v;
  if (look.hash) v = hashedByLetters(name);
  else if (look.deterministic) v = hashedByBytes(name);
  else v = new Array(3).fill(seededByName(name));
  return /** @type {Rgb} */ (
    channels.map(([least, range, which]) =>
      Math.trunc(Math.min(255, Math.max(0, least + range * v[which - 1]))),
    )
  );
}

/**
 * White fades into red where a frame grew and into blue where it shrank.
 * @param {number} change -1 to 1 @returns {Rgb}
 */
export function changeColor(change) {
  if (change === 0) return [250, 250, 250];
  const fading = Math.trunc(Math.min(255, Math.max(0, 100 + 150 * (1 - Math.abs(change)))));
  return change > 0 ? [255, fading, fading] : [fading, fading, 255];
}

/**
 * The position of a change on the scale of colours, -1 to 1.
 * @param {number} change @param {number} largest
 */
export const changeStep = (change, largest) =>
  largest === 0 ? 0 : Math.sign(change) * Math.sqrt(Math.min(1, Math.abs(change) / largest));

/** As one number, 0xrrggbb. @param {Rgb} c */
export const packed = c => (c[0] << 16) | (c[1] << 8) | c[2];

/** @param {number} color 0xrrggbb */
export const css = color => '#' + ((1 << 24) | color).toString(16).slice(1);

export const SEARCH_COLOR = 0xe600e6;
export const MARK_COLOR = 0x1afdff;

/** Light of a channel, 0 to 1. */
const LIGHT = Float64Array.from({length: 256}, (_, c) =>
  c <= 10 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4,
);

/**
 * White or black, whichever is easier to read on a colour: its contrast is 4.58 or more on each.
 * @param {number} color 0xrrggbb
 */
export function inkOn(color) {
  const light =
    0.2126 * LIGHT[color >> 16] + 0.7152 * LIGHT[(color >> 8) & 255] + 0.0722 * LIGHT[color & 255];
  return light < 0.179 ? '#fff' : '#000';
}
