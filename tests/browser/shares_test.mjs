// SPDX-License-Identifier: Apache-2.0
// Shares and changes, without a browser: what they are of, whatever was filtered, transformed and
// zoomed.
import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {test} from 'node:test';

import {fromBase64, gunzip} from '../../web/bytes.js';
import {decode} from '../../web/data.js';
import {weigh} from '../../web/filter.js';
import {matched, matchedText} from '../../web/search.js';
import {changeFrom, changeTexts, isCertain, wholeName} from '../../web/shares.js';
import {describe} from '../../web/tips.js';
import {functionTotals} from '../../web/totals.js';
import {Shapes, transformed} from '../../web/transform.js';
import {buildTree} from '../../web/tree.js';
import {finished} from '../../web/work.js';
import {madePage} from './made_page.mjs';

/** The data of the page that wick writes for a file with this content. */
const opened = async (input, ...options) =>
  decode(await gunzip(fromBase64(madePage(input, ...options).match(/id="data">([^<]*)</)[1])));

const NO_FILTER = {threads: null, cpu: '', range: null, side: ''};
const numberOf = (data, name) => [...Array(data.names).keys()].find(f => data.name(f) === name);

function treeOf(data, transforms = [], {filter = {}, normalized = true} = {}) {
  const {group} = data.meta.events.at(-1);
  const named = transforms.map(([type, name]) => ({
    type,
    at: name === undefined ? -1 : numberOf(data, name),
  }));
  const weights = weigh(data, {group, ...NO_FILTER, ...filter}, null);
  return buildTree(new Shapes(data).after(named), weights, {heavy: false, normalized});
}

/** The row of a function in the table of a difference. */
function rowOf(data, tree, name) {
  const f = numberOf(data, name);
  const totals = functionTotals(tree, data);
  const change = changeFrom(tree, totals.beforeTotal[f], totals.total[f]);
  const {value, change: text} = changeTexts(tree);
  const star = isCertain(change) ? ' *' : '';
  return `${value(change.before)} ${value(change.after)} ${text(change.change)}${star}`;
}

/** The tip of the first box of a function. */
function tipOf(data, tree, name, zoomed = 0) {
  const box = name === 'all' ? 0 : tree.shape.func.indexOf(numberOf(data, name));
  const options = {name, zoomed, whole: 'the whole', part: 'the zoomed part', unit: 'samples'};
  return describe(data, tree, box, {...options, crowd: null}).lines;
}

/** Of 1,000 samples on each side, `f` had 220 and has 100; in it, `g` had half and still has. */
const FELL = `\
main;f;g 110 50
main;f 110 50
main;rest 780 900
`;

const KEEPING = [
  ['focus', ['function', 'f']],
  ['a dropped function', ['drop', 'rest']],
  ['a hidden function', ['hide', 'main']],
  ['collapsed recursion', ['recursion']],
  ['inversion', ['invert']],
];

for (const [what, transform] of KEEPING)
  test(`a difference keeps its scale under ${what}`, async () => {
    const data = await opened(FELL);
    const tree = treeOf(data, [transform]);
    assert.equal(rowOf(data, tree, 'f'), '22.00% 10.00% -12.00 *');
    assert.equal(rowOf(data, tree, 'g'), '11.00% 5.00% -6.00 *');
  });

test('the halves of a sandwich keep the scale of the difference', async () => {
  const data = await opened(FELL);
  const {shape} = treeOf(data);
  const weights = weigh(data, {group: '', ...NO_FILTER}, null);
  for (const type of ['callers', 'function']) {
    const half = finished(transformed(data, shape, {type, at: numberOf(data, 'f')}));
    const tree = buildTree(half, weights, {heavy: true, normalized: true});
    assert.equal(tipOf(data, tree, 'f')[0], 'before: 22.00%, after: 10.00% of the whole', type);
  }
});

test('a change that is not certain stays so when its part is focused on', async () => {
  // 4 of 1,000 samples become 9, which may be chance; of the 60 in `f` on either side as well.
  const data = await opened('main;f;g 4 9\nmain;f 56 51\nmain;rest 940 940\n');
  const whole = rowOf(data, treeOf(data), 'g');
  assert.equal(whole, '0.40% 0.90% +0.50');
  assert.equal(rowOf(data, treeOf(data, [['function', 'f']]), 'g'), whole);
});

test('shares are of the whole, whatever was dropped, and the tip says so', async () => {
  const data = await opened('main;f;g 30\nmain;f 10\nmain;rest 60\n');
  for (const transforms of [[], [['function', 'f']], [['drop', 'rest']]]) {
    const tree = treeOf(data, transforms);
    assert.equal(tipOf(data, tree, 'g')[0], 'total: 30 samples, 30.00% of the whole');
    assert.equal(tipOf(data, tree, 'f')[1], 'self: 10 samples, 10.00%');
  }
});

test('a box outside the zoomed one has no share of it', async () => {
  const data = await opened('main;f;g 30\nmain;f 10\nmain;rest 40\nother 20\n');
  const tree = treeOf(data);
  const zoomed = tree.shape.func.indexOf(numberOf(data, 'f'));
  const tip = name => tipOf(data, tree, name, zoomed)[0];
  assert.equal(tip('g'), 'total: 30 samples, 30.00% of the whole · 75.00% of the zoomed part');
  assert.equal(tip('rest'), 'total: 40 samples, 40.00% of the whole');
  assert.equal(tip('other'), 'total: 20 samples, 20.00% of the whole');
  assert.equal(tip('main'), 'total: 80 samples, 80.00% of the whole');
});

/** What the search field says about functions with these names. */
function matchedBy(data, tree, names, zoom = 0) {
  const hits = new Uint8Array(data.names);
  for (const name of names) hits[numberOf(data, name)] = 1;
  return matchedText(tree, matched(tree, hits, zoom), zoom, 'the whole');
}

test('the matched share is of the whole, and of the zoomed part what is inside it', async () => {
  const data = await opened('main;f;g 30\nmain;f 10\nmain;rest 40\nother 20\n');
  const tree = treeOf(data);
  const zoomed = tree.shape.func.indexOf(numberOf(data, 'f'));
  assert.equal(
    matchedBy(data, tree, ['g', 'rest'], zoomed),
    'Matched: 70.00% of the whole (75.00% of the zoomed part)',
  );
  assert.equal(
    matchedBy(data, tree, ['other'], zoomed),
    'Matched: 20.00% of the whole (0.00% of the zoomed part)',
  );
  assert.equal(
    matchedBy(data, treeOf(data, [['function', 'f']]), ['g']),
    'Matched: 30.00% of the whole',
  );
});

test('what a search finds in a difference has a share on each side', async () => {
  const data = await opened(FELL);
  assert.equal(
    matchedBy(data, treeOf(data), ['f']),
    'Matched: before 22.00%, after 10.00% of the whole',
  );
});

test('what shares are of has a name', () => {
  assert.equal(wholeName(NO_FILTER), 'the whole');
  assert.equal(wholeName({...NO_FILTER, threads: new Set([1])}), 'the selected threads');
  assert.equal(wholeName({...NO_FILTER, range: [0, 1]}), 'the range');
  assert.equal(wholeName({...NO_FILTER, cpu: 'on'}), 'the time on the CPU');
  assert.equal(wholeName({...NO_FILTER, cpu: 'on', range: [0, 1]}), 'the selection');
});

test('what did not change has the colour of no change, whatever the scale', async () => {
  // A third on each side, which is not a whole number of the other side's samples.
  const data = await opened('a;b 1 3\na;c 1 4\na;d 1 3\n');
  const {changeOfBox} = await import('../../web/tree.js');
  const tree = treeOf(data);
  assert.equal(changeOfBox(tree, tree.shape.func.indexOf(numberOf(data, 'a'))), 0);
});
