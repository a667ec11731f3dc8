// SPDX-License-Identifier: Apache-2.0
// The parts of a profile that its legend shows: kinds of code, or the files that it is in. A sample
// belongs to the part of the frame that it ended in, so the parts add up to the whole.
import {CATEGORIES, categoryOf, KIND} from './kinds.js';
import {baseName} from './names.js';
import {wholeNumber} from './state.js';
import {finished, inPieces} from './work.js';

/** @typedef {import('./data.js').Data} Data */
/** @template T @typedef {import('./work.js').Work<T>} Work */
/** @typedef {'kind'|'module'} PartKind */
/**
 * @typedef {object} Parts
 * @property {string[]} names
 * @property {Uint8Array|Int32Array} ofNode the part of the samples that end in a node
 */
/** What is shown, or not. */
/** @typedef {{by: PartKind, isWithout: boolean, list: number[]}} PartChoice */

/** @type {WeakMap<Data, Uint8Array>} */
const offNodes = new WeakMap();

/** @param {Data} data @returns {Work<Uint8Array>} */
function* findingOffCpu(data) {
  const found = offNodes.get(data);
  if (found) return found;
  const isOff = new Uint8Array(data.nodes);
  const {nodes, nodeFrame, nodeParent, frameKind} = data;
  if (frameKind.includes(KIND.offCpu))
    yield* inPieces(1, nodes, (from, to) => {
      for (let i = from; i < to; ++i)
        if (frameKind[nodeFrame[i]] === KIND.offCpu || isOff[nodeParent[i]]) isOff[i] = 1;
    });
  offNodes.set(data, isOff);
  return isOff;
}

/** Which nodes are off-CPU frames or below one, as wakers are. @param {Data} data */
export const offCpuNodes = data => finished(findingOffCpu(data));

/** @param {Data} data @returns {Work<Parts>} */
function* kindParts(data) {
  const {nodes, nodeFrame, frameKind, frameUnnamed} = data;
  const ids = Object.keys(CATEGORIES);
  const off = yield* findingOffCpu(data);
  const ofOff = categoryOf(KIND.offCpu, false);
  const ofFrame = frameKind.map((kind, i) => categoryOf(kind, frameUnnamed[i] === 1));
  const ofNode = new Uint8Array(nodes);
  ofNode[0] = ids.indexOf('label');
  yield* inPieces(1, nodes, (from, to) => {
    for (let i = from; i < to; ++i) ofNode[i] = off[i] ? ofOff : ofFrame[nodeFrame[i]];
  });
  return {names: Object.values(CATEGORIES).map(({title}) => title), ofNode};
}

/** By the names of files, without folders; the first is that of no file. @param {Data} data */
function* moduleParts({nodes, nodeFrame, frameModule, strings}) {
  const ids = new Map([['', 0]]);
  const ofFrame = Int32Array.from(frameModule, at => {
    const name = baseName(strings.at(at));
    const id = ids.get(name) ?? ids.size;
    ids.set(name, id);
    return id;
  });
  const ofNode = new Int32Array(nodes);
  yield* inPieces(1, nodes, (from, to) => {
    for (let i = from; i < to; ++i) ofNode[i] = ofFrame[nodeFrame[i]];
  });
  return {names: [...ids.keys()], ofNode};
}

/** @type {Record<PartKind, WeakMap<Data, Parts>>} */
const known = {kind: new WeakMap(), module: new WeakMap()};

/** @param {Data} data @param {PartKind} by @returns {Work<Parts>} */
export function* findingParts(data, by) {
  let parts = known[by].get(data);
  if (!parts) {
    parts = yield* by === 'kind' ? kindParts(data) : moduleParts(data);
    known[by].set(data, parts);
  }
  return parts;
}

/** @param {Data} data @param {PartKind} by */
export const partsOf = (data, by) => finished(findingParts(data, by));

/**
 * 1 for each part that is shown, and the part of each node.
 * @param {Data} data @param {PartChoice} choice
 */
export function chosenParts(data, {by, isWithout, list}) {
  const {names, ofNode} = partsOf(data, by);
  const isShown = new Uint8Array(names.length).fill(isWithout ? 1 : 0);
  for (const part of list) if (part < names.length) isShown[part] = isWithout ? 0 : 1;
  return {isShown, ofNode};
}

/**
 * The same choice in another profile, where modules have other numbers.
 * @param {PartChoice|null} choice @param {Data} from @param {Data} to
 * @param {string[]} lost receives the names of modules that are not there
 * @returns {PartChoice|null}
 */
export function carriedParts(choice, from, to, lost) {
  if (choice?.by !== 'module') return choice;
  const {names} = partsOf(to, 'module');
  const wanted = choice.list.map(part => partsOf(from, 'module').names[part]);
  lost.push(...wanted.filter(name => !names.includes(name)));
  const list = wanted.map(name => names.indexOf(name)).filter(part => part >= 0);
  return list.length > 0 ? {...choice, list} : null;
}

/** How many parts an address names at most. */
const MOST_PARTS = 1000;

/** @param {string} text @returns {PartChoice|undefined} */
function readParts(text) {
  const [, minus, by, numbers] = text.match(/^(-?)(kind|module)((?:\.\d{1,9})+)$/) ?? [];
  if (!by) return undefined;
  const list = numbers.slice(1).split('.').slice(0, MOST_PARTS).map(wholeNumber);
  return /** @type {PartChoice} */ ({by, isWithout: minus === '-', list});
}

/** "kind.1", "-module.2.7" @type {import('./state.js').Field} */
export const PARTS_FIELD = {
  name: 'parts',
  key: 'parts',
  initial: null,
  write: (/** @type {PartChoice|null} */ choice) =>
    choice && `${choice.isWithout ? '-' : ''}${[choice.by, ...choice.list].join('.')}`,
  read: readParts,
};
