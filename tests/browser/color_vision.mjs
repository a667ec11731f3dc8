// SPDX-License-Identifier: Apache-2.0
// How colours are seen: their contrast, how they differ, and both for people with a colour vision
// deficiency. It shares no code with the viewer, which it judges.

/** Light of the three primaries, 0 to 1, of sRGB. @param {string} hex "#rrggbb" */
export const light = hex =>
  [1, 3, 5].map(at => {
    const c = parseInt(hex.slice(at, at + 2), 16) / 255;
    return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  });

const times = (matrix, vector) =>
  matrix.map(row => row.reduce((sum, factor, i) => sum + factor * vector[i], 0));

const TO_XYZ = [
  [0.4124564, 0.3575761, 0.1804375],
  [0.2126729, 0.7151522, 0.072175],
  [0.0193339, 0.119192, 0.9503041],
];
/** Daylight, D65. */
const WHITE = [0.95047, 1, 1.08883];

/** The contrast of WCAG 2, 1 to 21. @param {string} a @param {string} b "#rrggbb" */
export function contrast(a, b) {
  const [low, high] = [a, b].map(hex => times(TO_XYZ, light(hex))[1]).sort((x, y) => x - y);
  return (high + 0.05) / (low + 0.05);
}

/**
 * What light looks like to people who lack a kind of cones: Machado, Oliveira and Fernandes, 2009,
 * severity 1.
 */
export const VISION = {
  usual: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protan: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deutan: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritan: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
};

/** CIELAB. @param {number[]} rgb light */
function lab(rgb) {
  const [x, y, z] = times(TO_XYZ, rgb).map((value, i) => {
    const t = value / WHITE[i];
    return t > 216 / 24389 ? Math.cbrt(t) : ((24389 / 27) * t + 16) / 116;
  });
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

/** A colour as it is seen, in CIELAB. @param {string} hex @param {keyof VISION} vision */
export const seen = (hex, vision) =>
  lab(times(VISION[vision], light(hex)).map(c => Math.min(Math.max(c, 0), 1)));

const radians = degrees => (degrees * Math.PI) / 180;
const hue = (a, b) => ((Math.atan2(b, a) * 180) / Math.PI + 360) % 360;

/**
 * CIEDE2000: how much two colours differ; 1 is barely visible.
 * @param {number[]} first @param {number[]} second in CIELAB
 */
export function difference([l1, a1, b1], [l2, a2, b2]) {
  const seventh = c => Math.sqrt(c ** 7 / (c ** 7 + 25 ** 7));
  const stretch = 1 + 0.5 * (1 - seventh((Math.hypot(a1, b1) + Math.hypot(a2, b2)) / 2));
  const c1 = Math.hypot(a1 * stretch, b1);
  const c2 = Math.hypot(a2 * stretch, b2);
  const h1 = hue(a1 * stretch, b1);
  const h2 = hue(a2 * stretch, b2);
  const isGrey = c1 * c2 === 0;
  const turn = isGrey ? 0 : ((h2 - h1 + 540) % 360) - 180;
  const middle = isGrey ? h1 + h2 : (h1 + turn / 2 + 360) % 360;
  const l = (l1 + l2) / 2;
  const c = (c1 + c2) / 2;
  const t =
    1 -
    0.17 * Math.cos(radians(middle - 30)) +
    0.24 * Math.cos(radians(2 * middle)) +
    0.32 * Math.cos(radians(3 * middle + 6)) -
    0.2 * Math.cos(radians(4 * middle - 63));
  const dl = (l2 - l1) / (1 + (0.015 * (l - 50) ** 2) / Math.sqrt(20 + (l - 50) ** 2));
  const dc = (c2 - c1) / (1 + 0.045 * c);
  const dh = (2 * Math.sqrt(c1 * c2) * Math.sin(radians(turn / 2))) / (1 + 0.015 * c * t);
  const bend = -2 * seventh(c) * Math.sin(radians(60 * Math.exp(-(((middle - 275) / 25) ** 2))));
  return Math.sqrt(dl ** 2 + dc ** 2 + dh ** 2 + bend * dc * dh);
}
