// SPDX-License-Identifier: Apache-2.0
// The parts of a profile that its legend shows: kinds of code, or the files that it is in. A sample
// belongs to the part of the frame that it ended in, so the parts add up to the whole.
import {CATEGORIES, categoryOf, KIND} from './kinds.js';
import {baseName} from './names.js';
import {wholeNumber} from './state.js';

/** @typedef {import('./data.js').Data} Data */
/** @typedef {'kind'|'module'} PartKind */
/**
 * @typedef {object} Parts
 * @property {string[]} names
 * @property {Int32Array} ofNode the part of the samples that end in a node
 */
/** What is shown, or not. */
/** @typedef {{by: PartKind, isWithout: boolean, list: number[]}} PartChoice */

/** @type {WeakMap<Data, Uint8Array>} */
const offNodes = new WeakMap();

/** Which nodes are off-CPU frames or below one, as wakers are. @param {Data} data */
export function offCpuNodes(data) {
  let found = offNodes.get(data);
  if (found) return found;
  found = new Uint8Array(data.nodes);
  for (let i = 1; i < data.nodes; ++i)
    if (data.frameKind[data.nodeFrame[i]] === KIND.offCpu || found[data.nodeParent[i]])
      found[i] = 1;
  offNodes.set(data, found);
  return found;
}

/** @param {Data} data @returns {Parts} */
function kindParts(data) {
  const {nodes, nodeFrame, frameKind, frameUnnamed} = data;
  const ids = Object.keys(CATEGORIES);
  const off = offCpuNodes(data);
  const ofNode = new Int32Array(nodes);
  ofNode[0] = ids.indexOf('label');
  for (let i = 1; i < nodes; ++i) {
    const frame = nodeFrame[i];
    ofNode[i] = off[i]
      ? categoryOf(KIND.offCpu, false)
      : categoryOf(frameKind[frame], frameUnnamed[frame] === 1);
  }
  return {names: Object.values(CATEGORIES).map(({title}) => title), ofNode};
}

/** By the names of files, without folders; the first is that of no file. @param {Data} data */
function moduleParts({nodes, nodeFrame, frameModule, strings}) {
  const ids = new Map([['', 0]]);
  const ofFrame = Int32Array.from(frameModule, at => {
    const name = baseName(strings.at(at));
    const id = ids.get(name) ?? ids.size;
    ids.set(name, id);
    return id;
  });
  const ofNode = new Int32Array(nodes);
  for (let i = 1; i < nodes; ++i) ofNode[i] = ofFrame[nodeFrame[i]];
  return {names: [...ids.keys()], ofNode};
}

/** @type {Record<PartKind, WeakMap<Data, Parts>>} */
const known = {kind: new WeakMap(), module: new WeakMap()};

/** @param {Data} data @param {PartKind} by @returns {Parts} */
export function partsOf(data, by) {
  let parts = known[by].get(data);
  if (!parts) {
    parts = by === 'kind' ? kindParts(data) : moduleParts(data);
    known[by].set(data, parts);
  }
  return parts;
}

/** 1 for each node whose samples are shown. @param {Data} data @param {PartChoice} choice */
export function chosenNodes(data, {by, isWithout, list}) {
  const {names, ofNode} = partsOf(data, by);
  const isShown = new Uint8Array(names.length).fill(isWithout ? 1 : 0);
  for (const part of list) if (part < names.length) isShown[part] = isWithout ? 0 : 1;
  return ofNode.map(part => isShown[part]);
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
