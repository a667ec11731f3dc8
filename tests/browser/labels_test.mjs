// SPDX-License-Identifier: Apache-2.0
// Names that are cut to the room of a box: the same in pages, in SVGs and in pictures without
// script. Axes have labels where there is room.
import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {test} from 'node:test';

import {labelParts} from '../../web/labels.js';
import {cutLabel} from '../../web/names.js';
import {timeMarks} from '../../web/numbers.js';

/** Names with the labels that they have in some rooms, from tests/labels.txt. */
function labels() {
  const text = readFileSync(new URL('../labels.txt', import.meta.url), 'utf8');
  return text
    .replace(/^#.*\n/gm, '')
    .split('\n\n')
    .filter(block => block.trim() !== '')
    .map(block => {
      const [name, ...lines] = block.trim().split('\n');
      const isCode = !name.startsWith('!');
      const cases = lines.map(line => line.match(/^(\d+) ?(.*)$/).slice(1));
      return {name: isCode ? name : name.slice(1), isCode, cases};
    });
}

for (const {name, isCode, cases} of labels())
  test(`the label of ${name}`, () => {
    const partsOf = () => (isCode ? labelParts(name) : null);
    const got = cases.map(([room]) => [room, cutLabel(name, Number(room), partsOf)]);
    assert.deepEqual(got, cases);
  });

test('a label is never longer than its room', () => {
  for (const {name} of labels())
    for (let room = 0; room <= name.length; ++room)
      assert.ok(Array.from(cutLabel(name, room)).length <= room, `${name} in ${room}`);
});

test('the last mark of a time axis has no label that ends outside it', () => {
  const texts = ns => timeMarks(0, ns, 400, '').map(({text}) => text);
  assert.deepEqual(texts(3.01e9), ['0 s', '1 s', '2 s', '']);
  assert.deepEqual(texts(3.5e9), ['0 s', '1 s', '2 s', '3 s']);
});
