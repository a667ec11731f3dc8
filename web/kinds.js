// SPDX-License-Identifier: Apache-2.0
// What code a frame is, and the colours of the palettes that show it. src/render/palette.cc has
// the same; tests compare the two.

/** By the numbers of FrameKind in src/profile/tables.h. */
export const KIND = {user: 0, kernel: 1, inlined: 2, jit: 3, label: 4, offCpu: 5, wasm: 6};

/** Of each channel: its least value, its range, which v moves it. */
/** @typedef {[number, number, number][]} Hue */
/** @typedef {{title: string, hue: Hue}} Category */

/**
 * What a legend tells apart. Any two of these differ visibly, also for people with a colour vision
 * deficiency, and so do the colours of a search and of a mark.
 * @type {Record<string, Category>}
 */
export const CATEGORIES = {
  user: {
    title: 'user',
    hue: [
      [241, 7, 1],
      [182, 20, 1],
      [54, 34, 1],
    ],
  },
  kernel: {
    title: 'kernel',
    hue: [
      [228, 10, 1],
      [94, 20, 1],
      [46, 22, 1],
    ],
  },
  inlined: {
    title: 'inlined',
    hue: [
      [254, 0, 1],
      [232, 5, 1],
      [175, 12, 1],
    ],
  },
  jit: {
    title: 'JIT',
    hue: [
      [116, 18, 1],
      [178, 12, 1],
      [116, 18, 1],
    ],
  },
  wasm: {
    title: 'wasm',
    hue: [
      [162, 14, 1],
      [123, 18, 1],
      [178, 12, 1],
    ],
  },
  'off-cpu': {
    title: 'off CPU',
    hue: [
      [120, 14, 1],
      [183, 12, 1],
      [255, 0, 1],
    ],
  },
  unnamed: {
    title: 'unnamed',
    hue: [
      [152, 12, 1],
      [152, 12, 1],
      [152, 12, 1],
    ],
  },
  label: {
    title: 'not code',
    hue: [
      [209, 6, 1],
      [209, 6, 1],
      [205, 6, 1],
    ],
  },
};

const HUES_OF_CATEGORIES = Object.values(CATEGORIES).map(({hue}) => hue);
/** @param {string} id */
const placeOf = id => Object.keys(CATEGORIES).indexOf(id);
const CATEGORY_OF_KIND = ['user', 'kernel', 'inlined', 'jit', 'label', 'off-cpu', 'wasm'].map(
  placeOf,
);
const UNNAMED = placeOf('unnamed');

/** @typedef {{kind: number, isUnnamed: boolean, module: string}} Code what a frame is */

/** The place of a frame in CATEGORIES. @param {number} kind @param {boolean} isUnnamed */
export const categoryOf = (kind, isUnnamed) =>
  isUnnamed ? UNNAMED : (CATEGORY_OF_KIND[kind] ?? 0);

/** Twelve hues around the circle, light and less light. */
const MIXED = [
  0xf8acb7, 0xdd817a, 0xf7b198, 0xd58a55, 0xeaba83, 0xbf9840, 0xd1c681, 0x9ca74d, 0xb1d092,
  0x6fb171, 0x8fd7b0, 0x3ab59a, 0x7ad7d1, 0x1db2c0, 0x7ed2ed, 0x4ba9db, 0x97c9fd, 0x7b9de6,
  0xb8befe, 0xa48fde, 0xd6b4f0, 0xc385c6, 0xecaed7, 0xd67fa2,
];
/** How far each of their channels varies. */
const MIXED_RANGE = 12;

/** @param {number} i @returns {Hue} */
const mixedHue = i => [16, 8, 0].map(shift => [(MIXED[i] >> shift) & 255, MIXED_RANGE, 1]);

/** Of a longer name, the beginning is enough. */
const MOST_BYTES = 1024;

/** FNV-1a. @param {string} name @returns {bigint} */
export function fnv(name) {
  let h = 0xcbf29ce484222325n;
  const bytes = new TextEncoder().encode(name.slice(0, MOST_BYTES));
  for (const byte of bytes.subarray(0, MOST_BYTES)) h = ((h ^ BigInt(byte)) * FNV_PRIME) & FNV_MASK;
  return h;
}
export const FNV_PRIME = 0x100000001b3n;
export const FNV_MASK = (1n << 64n) - 1n;

/** @param {string} name */
const mixedOf = name => Number(fnv(name) % BigInt(MIXED.length));

/**
 * Palettes that show what a frame is. Frames are in few groups, and the hue follows from the group
 * and, where it is `isByName`, from the name.
 * @typedef {object} OwnPalette
 * @property {(code: Code) => number} group
 * @property {(group: number, name: string) => Hue} hue
 */
/** @param {number} group */
const hueOfGroup = group =>
  group < MIXED.length ? mixedHue(group) : HUES_OF_CATEGORIES[group - MIXED.length];
const GREY = MIXED.length + UNNAMED;
const PALE = MIXED.length + placeOf('label');

/** @type {Record<string, OwnPalette>} */
export const OWN_PALETTES = {
  kind: {
    group: ({kind, isUnnamed}) => categoryOf(kind, isUnnamed),
    hue: group => HUES_OF_CATEGORIES[group],
  },
  module: {
    group({kind, module}) {
      if (module !== '') return mixedOf(module);
      return kind === KIND.label || kind === KIND.offCpu ? PALE : GREY;
    },
    hue: hueOfGroup,
  },
  name: {
    group: ({kind, isUnnamed}) => (kind === KIND.label ? PALE : isUnnamed ? GREY : 0),
    hue: (group, name) => (group === 0 ? mixedHue(mixedOf(name)) : hueOfGroup(group)),
  },
};
