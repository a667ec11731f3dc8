// SPDX-License-Identifier: Apache-2.0
// What a page says before anybody clicks: what was recorded, what was lost, where it ran.
import assert from 'node:assert/strict';
import {before, test} from 'node:test';

import {file} from '../browser.mjs';
import {open, pageOf, text, wick} from './page.mjs';
import {timed} from './profiles.mjs';

const facts = page => page.$$eval('#facts li', all => all.map(item => item.textContent));
const hottest = page =>
  page.$$eval('#hottest button', all =>
    all.map(button => [...button.children].map(part => part.textContent)),
  );

/** The rows of a table of `wick report` by function: self, self%, total, total%, name. */
const reported = (...words) =>
  wick('report', '--quiet', '--by', 'function', ...words)
    .split('\n')
    .map(line => line.match(/^ *(\S+(?: \S+)?) +(\d\S*%) +(\S+(?: \S+)?) +(\S+%) {2}(.*)$/))
    .filter(Boolean)
    .map(([, , selfShare, , , name]) => [name, selfShare]);

let input, address;
before(() => {
  input = timed();
  address = pageOf(input).address;
});

test('the summary has the time and the samples of wick report', async () => {
  const page = await open(address);
  const report = wick('report', '--quiet', '--event', 'cycles', input);
  const [, samples] = report.match(/cycles +(\d+) {2}cycles/);
  const [, span] = report.match(/from the first sample to the last: (.*)/);
  assert.deepEqual(await facts(page), [span, `${samples} samples of cycles`]);
});

test('the time is that of the event which is shown, as in wick report', async () => {
  const page = await open(address, {fragment: '#event=cache-misses'});
  const report = wick('report', '--quiet', '--event', 'cache-misses', input);
  const [, span] = report.match(/from the first sample to the last: (.*)/);
  assert.equal((await facts(page))[0], span);
});

test('the hottest functions are those of wick report, and lead to their callers', async () => {
  const page = await open(address);
  const rows = reported('--event', 'cycles', input).slice(0, 3);
  assert.equal(rows.length, 3);
  assert.deepEqual(await hottest(page), rows);
  await page.locator('#hottest button').nth(1).click();
  assert.equal(await page.getByRole('tab', {selected: true}).textContent(), 'Sandwich');
  assert.equal(await page.getByLabel('Function', {exact: true}).inputValue(), rows[1][0]);
});

test('the hottest functions follow the filters and no transform', async () => {
  const page = await open(address, {fragment: '#do=invert&event=cache-misses'});
  assert.deepEqual(await hottest(page), [['parse', '100.00%']]);
  assert.deepEqual((await facts(page)).slice(1), ['10 samples of cache-misses']);
});

test('in a difference, the functions that changed most are those of wick diff', async () => {
  const old = file('main;parse 30\nmain;draw 40\nmain 10\nidle 20\n');
  const now = file('main;parse 30\nmain;draw 140\nmain 10\nidle 20\n');
  const page = await open(pageOf(now, '--diff', old).address);
  const changes = wick('diff', '--quiet', '--sort', 'self', old, now)
    .split('\n')
    .map(line => line.match(/^ *[\d.]+% +[\d.]+% +([+-][\d.]+) .* (\S+)$/))
    .filter(Boolean)
    .map(([, change, name]) => [name, change]);
  assert.equal(changes[0][0], 'draw');
  assert.deepEqual(await hottest(page), changes.slice(0, 3));
});

const SAMPLE = 'app 100/100 10.000000: 1000 cycles: \n\t1000 main+0x1 (/bin/app)\n\n';
const NAMELESS = SAMPLE.replace('main+0x1', '[unknown]');
const lost = count => `app 100/100 10.000000: PERF_RECORD_LOST lost ${count}\n`;

test('the summary has the share without names', async () => {
  const page = await open(pageOf(file(SAMPLE.repeat(3) + NAMELESS)).address);
  assert.ok((await facts(page)).includes('25.00% without names'), (await facts(page)).join());
});

test('a loss of more than a hundredth has a line of its own with the reason', async () => {
  const page = await open(pageOf(file(SAMPLE.repeat(95) + lost(5))).address);
  assert.ok((await facts(page)).includes('5.00% lost'), (await facts(page)).join());
  assert.equal(
    await text(page, '#banner'),
    '5.00% is missing: 5 samples were lost by the profiler',
  );
});

test('a smaller loss is in the summary only, and none is nowhere', async () => {
  const small = await open(pageOf(file(SAMPLE.repeat(995) + lost(5))).address);
  assert.ok((await facts(small)).includes('0.50% lost'), (await facts(small)).join());
  assert.ok(await small.locator('#banner').isHidden());
  const none = await open(address);
  assert.doesNotMatch((await facts(none)).join(), /lost/);
});

test('an input that was cut off has a line of its own', async () => {
  const cut =
    '{"$schema":"https://www.speedscope.app/file-format-schema.json","shared":{"frames":' +
    '[{"name":"a"}]},"profiles":[{"type":"sampled","name":"x","unit":"none","startValue":0,' +
    '"endValue":2,"samples":[[0],[0]],"weights":[1,1]}';
  const page = await open(pageOf(file(cut)).address);
  assert.match(
    await text(page, '#banner'),
    /^The profile is incomplete: 1 input ends in the middle/,
  );
});

for (const width of [400, 800, 1400])
  test(`the first sight fits into ${width} pixels`, async () => {
    const long = 'std::map<std::string, std::vector<int>>::operator[](std::string const&)';
    const page = await open(pageOf(file(`main;${long} 5\nmain;${long}2 4\nmain 1\n`)).address, {
      viewport: {width, height: 700},
    });
    const {right, height, most} = await page.evaluate(() => {
      const bounds = document.getElementById('summary').getBoundingClientRect();
      return {
        right: document.documentElement.scrollWidth,
        height: bounds.height,
        most: Math.max(
          ...Array.from(
            document.querySelectorAll('#summary *'),
            e => e.getBoundingClientRect().right,
          ),
        ),
      };
    });
    assert.equal(right, width);
    assert.ok(most <= width, `a part of the summary ends at ${most}`);
    assert.ok(height <= (width < 600 ? 80 : 55), `the summary is ${height} pixels high`);
  });

test('a page without samples or times has no empty facts', async () => {
  const page = await open(pageOf(file('main;a 3\nmain 1\n')).address);
  assert.deepEqual(await facts(page), ['4 samples']);
  assert.deepEqual(await hottest(page), [
    ['a', '75.00%'],
    ['main', '25.00%'],
  ]);
});
