// SPDX-License-Identifier: Apache-2.0
// Weights by line of source, and by instruction of the code that is in the page.

/** @typedef {import('./data.js').Data} Data */
/** @typedef {{self: Map<number, number>, total: Map<number, number>, selfSum: number}} FileLines */
/**
 * What is known of the instructions of one function.
 * @typedef {object} CodeWeights
 * @property {Map<number, number>} self by offset
 * @property {Map<number, number>} frames the heaviest frame at each offset
 * @property {number} selfSum
 */

/** @param {Map<number, number>} map @param {number} key @param {number} by */
const add = (map, key, by) => map.set(key, (map.get(key) ?? 0) + by);

/** Whether a caller of a node is on the same line. @param {Data} data @param {number} node */
function isOnCallersLine({nodeParent, nodeFrame, frameFile, frameLine}, node) {
  const file = frameFile[nodeFrame[node]];
  const line = frameLine[nodeFrame[node]];
  for (let i = nodeParent[node]; i > 0; i = nodeParent[i])
    if (frameFile[nodeFrame[i]] === file && frameLine[nodeFrame[i]] === line) return true;
  return false;
}

/** @param {Data} data @param {Float64Array} weights of nodes */
function totalsOf({nodes, nodeParent}, weights) {
  const total = weights.slice();
  for (let i = nodes - 1; i > 0; --i) total[nodeParent[i]] += total[i];
  return total;
}

/**
 * The weight of each line of each file, by itself and with what it called.
 * @param {Data} data @param {Float64Array} weights of nodes @returns {Map<number, FileLines>}
 */
export function lineWeights(data, weights) {
  const {nodes, nodeFrame, frameFile, frameLine} = data;
  const total = totalsOf(data, weights);
  /** @type {Map<number, FileLines>} */
  const files = new Map();
  for (let i = 1; i < nodes; ++i) {
    const line = frameLine[nodeFrame[i]];
    if (line === 0 || total[i] === 0) continue;
    const name = frameFile[nodeFrame[i]];
    const file = files.get(name) ?? {self: new Map(), total: new Map(), selfSum: 0};
    files.set(name, file);
    if (weights[i] > 0) {
      add(file.self, line, weights[i]);
      file.selfSum += weights[i];
    }
    // A line that calls itself counts once.
    if (!isOnCallersLine(data, i)) add(file.total, line, total[i]);
  }
  return files;
}

/**
 * The function of each line of a file; of several, the one with the largest total.
 * @param {Data} data @param {Float64Array} weights of nodes @param {number} file
 * @returns {Map<number, number>}
 */
export function functionsByLine(data, weights, file) {
  const {nodes, nodeFrame, frameFile, frameLine, frameFunction} = data;
  const total = totalsOf(data, weights);
  /** @type {Map<number, number>} */
  const functions = new Map();
  /** @type {Map<number, number>} */
  const most = new Map();
  for (let i = 1; i < nodes; ++i) {
    const frame = nodeFrame[i];
    if (frameFile[frame] !== file || total[i] <= (most.get(frameLine[frame]) ?? 0)) continue;
    most.set(frameLine[frame], total[i]);
    functions.set(frameLine[frame], frameFunction[frame]);
  }
  return functions;
}

/**
 * The weight of each instruction of each function in the page, by its number.
 * @param {Data} data @param {Float64Array} weights of nodes @returns {CodeWeights[]}
 */
export function codeWeights(data, weights) {
  const {nodes, nodeFrame, frameCode, frameOffset, code} = data;
  const all = code.map(() => ({self: new Map(), frames: new Map(), selfSum: 0}));
  if (!frameCode || !frameOffset) return all;
  const most = code.map(() => new Map());
  for (let i = 1; i < nodes; ++i) {
    const frame = nodeFrame[i];
    const number = frameCode[frame] - 1;
    if (number < 0 || weights[i] === 0) continue;
    const offset = frameOffset[frame];
    const found = all[number];
    add(found.self, offset, weights[i]);
    found.selfSum += weights[i];
    if (weights[i] <= (most[number].get(offset) ?? 0)) continue;
    most[number].set(offset, weights[i]);
    found.frames.set(offset, frame);
  }
  return all;
}
