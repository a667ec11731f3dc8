// SPDX-License-Identifier: Apache-2.0
// What a page says before anybody clicks: what was recorded, what was lost, where it ran.
import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {basename} from 'node:path';
import {before, test} from 'node:test';

import {file} from '../browser.mjs';
import {open, pageOf, text, wick, written} from './page.mjs';
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

/** A profile whose frames have kinds: a stack, from the root, for each sample of 1. */
const withKinds = stacks => {
  const kindOf = name => {
    if (name === '[woken by]') return 'label';
    return /^\[/.test(name) ? 'off-cpu' : /^k_/.test(name) ? 'kernel' : undefined;
  };
  const names = [...new Set(stacks.flat())];
  return JSON.stringify({
    $schema: 'https://www.speedscope.app/file-format-schema.json',
    shared: {frames: names.map(name => ({name, kind: kindOf(name)}))},
    profiles: [
      {
        type: 'sampled',
        name: 'app',
        unit: 'none',
        startValue: 0,
        endValue: stacks.length,
        samples: stacks.map(stack => stack.map(name => names.indexOf(name))),
        weights: stacks.map(() => 1),
      },
    ],
  });
};

test('the hottest functions of time off the CPU are those that wait', async () => {
  const stacks = [
    ['main', 'lock', 'k_futex', 'k_schedule', '[blocked]'],
    ['main', 'lock', 'k_futex', 'k_schedule', '[blocked]'],
    ['main', 'lock', '[preempted]'],
    ['main', 'read', 'k_schedule', '[in I/O]'],
    ['main', 'read', 'k_copy'],
    ['k_thread', 'k_schedule', '[blocked]'],
  ];
  const page = await open(pageOf(file(withKinds(stacks))).address);
  assert.deepEqual(await hottest(page), [
    ['lock', '50.00%'],
    ['k_copy', '16.67%'],
    ['k_schedule', '16.67%'],
  ]);
  assert.match(
    await page.locator('#hottest button').first().getAttribute('title'),
    /self and waiting: 50\.00%$/,
  );
  await page.locator('#hottest button').first().click();
  assert.equal(await page.getByLabel('Function', {exact: true}).inputValue(), 'lock');
});

test('a wait with its waker is that of the function that waits', async () => {
  const stacks = [
    ['main', 'lock', 'k_futex', '[blocked]', '[woken by]', 'k_wake', 'unlock', 'worker'],
    ['main', 'lock', 'k_futex', '[blocked]', '[woken by]', '[interrupt]'],
    ['main', 'work'],
    ['main'],
  ];
  const page = await open(pageOf(file(withKinds(stacks))).address);
  assert.deepEqual(await hottest(page), [
    ['lock', '50.00%'],
    ['main', '25.00%'],
    ['work', '25.00%'],
  ]);
});

test('a difference is named after its files', async () => {
  const [old, now] = [file('main 4\n'), file('main 5\n')];
  const [before, after] = [old, now].map(path => basename(path));
  for (const words of [
    ['flame', now, '--diff', old],
    ['diff', old, now],
  ]) {
    const page = await open(written('.html', ...words, '--quiet').address);
    assert.equal(await text(page, 'h1'), `${before} → ${after}`);
    const sides = [`before: ${before}, 4 samples`, `after: ${after}, 5 samples`];
    assert.deepEqual(await facts(page), sides);
  }
});

/** What macOS' `sample` prints. */
const sampled = command => `\
Analysis of sampling ${command} (pid 1) every 1 millisecond
Call graph:
    5 Thread_1
      5 main  (in app) + 1  [0x1000]

Total number in stack (recursive counted multiple, when >=5):
`;

test('a difference names the command of each side', async () => {
  const [old, now] = ['./app --old', './app --new'].map(command => file(sampled(command)));
  const page = await open(pageOf(now, '--diff', old).address);
  assert.deepEqual(await facts(page), [
    `before: ${basename(old)}, ./app --old, 5 samples`,
    `after: ${basename(now)}, ./app --new, 5 samples`,
  ]);
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

test('half of a small screen is for the picture, whatever is chosen', async () => {
  const page = await open(pageOf(file(`${readFileSync(input, 'utf8')}${lost(50)}`)).address, {
    viewport: {width: 400, height: 800},
    fragment: '#search=a&threads=0-1&do=drop.0_hide.1_recursion_templates&mark=2&range=0-900000',
  });
  assert.ok(await page.locator('#banner').isVisible());
  assert.ok((await page.locator('.chip').count()) >= 5);
  for (const tab of ['Flame graph', 'Time', 'Table']) {
    await page.getByRole('tab', {name: tab}).click();
    const {height} = await page.locator('#view').boundingBox();
    assert.ok(height >= 400, `${tab} is ${height} pixels high`);
  }
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
  // The list of threads is not cut off.
  await page.locator('#filters summary').scrollIntoViewIfNeeded();
  await page.locator('#filters summary').click();
  const list = page.getByLabel('worker 100/101', {exact: true});
  await list.click({trial: true});
});

test('samples that count samples are named once', async () => {
  const samples = Array.from(
    {length: 78},
    (_, i) => `a 1/1 ${(1 + i / 100).toFixed(6)}: cycles: \n\t1 f (/a)\n\n`,
  );
  const page = await open(pageOf(file(samples.join(''))).address, {fragment: '#view=about'});
  assert.doesNotMatch(await text(page, '#view dl'), /78 samples in 78 samples/);
  assert.match(await text(page, '#view dl'), /: 78 samples/);
});

test('a page without samples or times has no empty facts', async () => {
  const page = await open(pageOf(file('main;a 3\nmain 1\n')).address);
  assert.deepEqual(await facts(page), ['4 samples']);
  assert.deepEqual(await hottest(page), [
    ['a', '75.00%'],
    ['main', '25.00%'],
  ]);
});
