// SPDX-License-Identifier: Apache-2.0
// Times have units, wherever the page shows one.
import assert from 'node:assert/strict';
import {before, test} from 'node:test';

import {file} from '../browser.mjs';
import {boxNamed, drawn, exported, open, pageOf, tableRows, text, wick} from './page.mjs';

/** Samples of a clock; their weights end between two digits, at ends of units and far from them. */
const WEIGHTS = {
  tie: 4_125_000,
  next: 4_135_000,
  thousand: 999_600,
  hundred: 99_960_000,
  ten: 9_996_000,
  few: 450,
  most: 9_256_770_061,
};
const CLOCK = Object.entries(WEIGHTS)
  .map(
    ([name, weight], i) =>
      `app 1/1 ${(1 + i / 1000).toFixed(6)}: ${weight} cpu-clock: \n` +
      `\t2000 ${name}+0x1 (/bin/app)\n\t1000 main+0x1 (/bin/app)\n\n`,
  )
  .join('');

let input, address;
before(() => {
  input = file(CLOCK);
  address = pageOf(input).address;
});

/** Self and total of each function, as a report prints them. */
const cells = report =>
  new Map(
    report
      .split('\n')
      .map(line => line.match(/^ *(\S+ \S+) +\S+% +(\S+ \S+) +\S+% {2}(.*)$/))
      .filter(Boolean)
      .map(([, self, total, name]) => [name, [self, total]]),
  );

test('the table has the times of wick report', async () => {
  const page = await open(address, {fragment: '#view=table'});
  const wanted = cells(wick('report', '--quiet', '--by', 'function', '--top', '0', input));
  assert.equal(wanted.size, 8);
  assert.deepEqual(wanted.get('most'), ['9.26 s', '9.26 s']);
  for (const {name, cells: shown} of await tableRows(page))
    for (const time of wanted.get(name))
      assert.ok(shown.includes(time), `${name}: ${time} is not among ${shown.join(', ')}`);
});

test('a tip and an exported picture have times with units', async () => {
  const page = await open(address);
  const {x, y} = await boxNamed(page, 'most');
  await page.mouse.move(x, y);
  await drawn(page);
  assert.match(await text(page, '#tip'), /total: 9\.26 s, .*self: 9\.26 s,/);
  assert.match((await exported(page, 'SVG')).toString(), /most \(9\.26 s, \d/);
});

for (const view of ['flame', 'time', 'heat', 'sandwich', 'table', 'about'])
  test(`no time is a number of nanoseconds: ${view}`, async () => {
    const page = await open(address, {fragment: `#view=${view}&func=1`});
    assert.doesNotMatch(await text(page, 'main'), /nanosecond/);
  });

test('counts have plural forms', async () => {
  const page = await open(pageOf(file('main 1\n')).address, {fragment: '#view=about'});
  assert.match(await text(page, '#facts'), /^1 sample$/);
  assert.doesNotMatch(await text(page, 'main'), /\b1 \w*(?:samples|threads|functions|stacks)\b/);
});
