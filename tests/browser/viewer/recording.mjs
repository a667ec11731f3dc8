// SPDX-License-Identifier: Apache-2.0
// A page of a real recording: threads, time, time off the CPU, lines of source.
import assert from 'node:assert/strict';
import {execFileSync, spawnSync} from 'node:child_process';
import {writeFileSync} from 'node:fs';
import {dirname} from 'node:path';
import {before, test} from 'node:test';

import {file} from '../browser.mjs';
import {pointAt} from './in_page.mjs';
import {
  boxes,
  choose,
  drawn,
  exportedFolded,
  layout,
  lines,
  open,
  pageOf,
  sameBoxes,
  tableRows,
  text,
  wick,
} from './page.mjs';

/** Runs `early`, then `late`; another thread sleeps, then recurses. */
const PROGRAM = `\
#include <pthread.h>
#include <time.h>
static volatile long sink;
static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + t.tv_nsec * 1e-9;
}
__attribute__((noinline)) void spin(double end) {
  while (now() < end)
    for (int i = 0; i < 20000; ++i) sink += i; /* the hot line */
}
__attribute__((noinline)) void early(double end) { spin(end); sink++; }
__attribute__((noinline)) void late(double end) { spin(end); sink++; }
__attribute__((noinline)) void deeper(int n, double end) {
  if (n > 0) deeper(n - 1, end);
  else spin(end);
  sink++;
}
static void* worker(void* begin) {
  struct timespec nap = {0, 200000000};
  nanosleep(&nap, 0);
  deeper(3, *(double*)begin + 0.6);
  return 0;
}
int main(void) {
  pthread_t thread;
  double start = now();
  pthread_create(&thread, 0, worker, &start);
  early(start + 0.3);
  late(start + 0.6);
  pthread_join(thread, 0);
  return 0;
}
`;

let data;
let binary;
let address;
let why = '';
before(() => {
  const program = file('');
  try {
    writeFileSync(program + '.c', PROGRAM);
    execFileSync('cc', [
      '-g',
      '-O1',
      '-fno-omit-frame-pointer',
      '-pthread',
      '-o',
      program + '.out',
      program + '.c',
    ]);
    data = program + '.data';
    binary = program + '.out';
    const offCpu = wick('doctor').includes('tracepoints can be used') ? ['--off-cpu'] : [];
    if (offCpu.length === 0) throw new Error('tracepoints cannot be used');
    wick('record', '--quiet', ...offCpu, '-o', data, '--', program + '.out');
    address = pageOf(data, '--embed-source', '--source-root', dirname(program)).address;
  } catch (error) {
    why = `nothing can be recorded here: ${error.message.split('\n')[0]}`;
  }
});
const fold = (...options) => wick('fold', '--quiet', ...options, data);
const recorded = (name, each) => test(name, async t => (why ? t.skip(why) : each(t)));
const plain = number => number.replaceAll(',', '');
const exact = folded =>
  lines(folded).map(line => line.replace(/ (\d+)$/, (_, n) => ` ${Number(n)}`));

recorded(
  'a page of a recording has the stacks of wick fold and the table of wick report',
  async () => {
    const page = await open(address, {viewport: {width: 1000, height: 900}});
    const folded = fold();
    assert.match(folded, /main;early;spin/);
    assert.equal(await exportedFolded(page), folded);
    sameBoxes(await boxes(page), layout(folded), {least: 20, surplus: 100});
    await page.getByRole('tab', {name: 'Table'}).click();
    const report = wick(
      'report',
      '--quiet',
      '--by',
      'function',
      '--top',
      '0',
      '--name-width',
      '0',
      data,
    );
    const rows = new Map((await tableRows(page)).map(row => [row.name, row.cells]));
    let compared = 0;
    for (const line of report.split('\n')) {
      const row = line.match(/^ *(\S+ \S+) +([\d.]+%) +(\S+ \S+) +([\d.]+%)  (.+)$/);
      if (!row) continue;
      assert.deepEqual(rows.get(row[5]), row.slice(1, 5), row[5]);
      ++compared;
    }
    assert.ok(compared > 8);
    assert.deepEqual(page.errors, []);
  },
);

recorded('time on and off the CPU are filters', async () => {
  const page = await open(address);
  const choice = page.getByLabel('On or off the CPU');
  await choice.selectOption('off');
  assert.deepEqual(
    exact(await exportedFolded(page)).filter(line => line.includes('nanosleep')),
    exact(fold('--event', 'offcpu-time')).filter(line => line.includes('nanosleep')),
  );
  const [, slept] = (await exportedFolded(page)).match(/nanosleep.*\[blocked\] (\d+)\n/);
  assert.ok(slept > 199e6 && slept < 400e6, `slept ${slept} ns`);
  await choice.selectOption('both');
  assert.equal(await exportedFolded(page), fold('--event', 'wall-time'));
  // The heat map follows the choice: at first, one thread sleeps and one runs.
  await page.keyboard.press('4');
  const inCell = async () => {
    await page.locator('.heat canvas').press('End');
    await page.locator('.heat canvas').press('Home');
    for (let i = 0; i < 5; ++i) await page.locator('.heat canvas').press('ArrowRight');
    const [, time, unit] = (await text(page, '#view .bar')).match(/: ([\d.]+) (s|ms|µs|ns),/);
    return Number(time) * {s: 1e9, ms: 1e6, µs: 1e3, ns: 1}[unit];
  };
  const both = await inCell();
  await choice.selectOption('off');
  const off = await inCell();
  assert.ok(off > 0 && off <= both, `${off} of ${both} ns are off the CPU`);
});

recorded('what is on the CPU is what was sampled there, in the flame graph and table', async () => {
  const page = await open(address);
  const choice = page.getByLabel('On or off the CPU');
  const rows = async () => {
    await page.getByRole('tab', {name: 'Table'}).click();
    const found = await tableRows(page);
    await page.getByRole('tab', {name: 'Flame graph'}).click();
    return found;
  };
  // At first, as `wick report` shows it.
  const sampled = await rows();
  await choice.selectOption('both');
  assert.notDeepEqual(await rows(), sampled);
  await choice.selectOption('on');
  assert.deepEqual(await rows(), sampled);
  const folded = await exportedFolded(page);
  assert.equal(folded, fold('--event', 'cpu-clock'));
  assert.doesNotMatch(folded, /\[(?:blocked|preempted|I\/O)\]/);
  assert.deepEqual(page.errors, []);
});

recorded(
  'a range has the part of a wait that lies in it, in the page and with --time',
  async () => {
    const slept = folded => Number(folded.match(/nanosleep.*\[blocked\] (\d+)\n/)[1]);
    const whole = folded =>
      lines(folded).reduce((sum, line) => sum + Number(line.match(/(\d+)$/)[1]), 0);
    for (const event of ['offcpu-time', 'wall-time']) {
      const page = await open(address, {fragment: `#event=${event}&range=50000-100000`});
      const here = await exportedFolded(page);
      const there = fold('--event', event, '--time', '0.05..0.1');
      // The page has microseconds.
      for (const folded of [here, there])
        assert.ok(Math.abs(slept(folded) - 50e6) <= 1000, `${event}: ${folded}`);
      assert.ok(Math.abs(whole(here) - whole(there)) <= 10_000, `${event}: ${here}${there}`);
    }
  },
);

recorded('the track of a thread shows how long it waits', async () => {
  const page = await open(address, {fragment: '#view=time'});
  const legend = await text(page, '#view .legend');
  for (const part of ['user code', 'blocked']) assert.ok(legend.includes(part), legend);
  // The worker sleeps for 200 ms: its heading, and the share of a pixel of its track.
  const found = await page.evaluate(
    `(() => { const pointAt = ${pointAt}; const tips = [];
      for (let y = 22; y < 500; y += 4) tips.push(pointAt(0, 150, y)); return tips; })()`,
  );
  assert.ok(
    found.some(tip => /^.*\d+\/\d+at 0\.\d+ s for .*blocked: 100\.00%$/.test(tip)),
    found.join('\n'),
  );
});

recorded('each thread can be shown alone', async () => {
  const page = await open(address);
  await page.locator('#filters summary').click();
  await page.waitForSelector('#filters label');
  const threads = await page.$$eval('#filters label', all =>
    all.map(label => label.textContent.trim()),
  );
  assert.equal(threads.length, 4, threads.join());
  const worker = threads.find(name => /^.*\d+\/\d+$/.test(name));
  const main = threads.find(name => /^\S+ \d+$/.test(name));
  await page.getByLabel(main, {exact: true}).uncheck();
  const tid = worker.match(/\/(\d+)$/)[1];
  const alone = await exportedFolded(page);
  assert.equal(alone, fold('--only-tid', tid));
  assert.match(alone, /worker;deeper;deeper;deeper;deeper;spin/);
  assert.doesNotMatch(alone, /early/);
});

recorded('a range of time has the functions that ran in it', async () => {
  const page = await open(address, {fragment: '#view=heat'});
  const map = await page.locator('.heat canvas').boundingBox();
  await page.mouse.move(map.x + 1, map.y + map.height - 1);
  await page.mouse.down();
  await page.mouse.move(map.x + map.width * 0.2, map.y + map.height / 2);
  await page.mouse.move(map.x + map.width * 0.3, map.y + 1);
  await page.mouse.up();
  await drawn(page);
  const folded = await exportedFolded(page);
  assert.match(folded, /early;spin/);
  assert.doesNotMatch(folded, /late/);
});

recorded('the hot line of the source is the hottest', async () => {
  const page = await open(address, {fragment: '#view=source'});
  const rows = await page.$$eval('#view tbody tr', all =>
    all.map(row => Array.from(row.cells, cell => cell.textContent)),
  );
  assert.equal(
    rows
      .map(row => row.at(-1) + '\n')
      .join('')
      .trimEnd(),
    PROGRAM.trimEnd(),
  );
  const hot = rows.reduce((a, b) => (parseFloat(b[1] || '0') > parseFloat(a[1] || '0') ? b : a));
  assert.match(hot.at(-1), /the hot line|while \(now/);
  const byLine = wick('report', '--quiet', '--by', 'line', '--top', '1', '--name-width', '0', data);
  assert.ok(plain(byLine).includes(plain(hot[0])), `${hot[0]} is not in ${byLine}`);
});

recorded('lines are as hot as their self weight, next to the name of their function', async () => {
  const page = await open(address, {fragment: '#view=source'});
  const rows = await page.$$eval('#view tbody tr', all =>
    all.map(row => ({
      self: parseFloat(row.cells[1].textContent || '0'),
      heat: parseFloat(row.style.getPropertyValue('--heat') || '0'),
      origin: row.querySelector('.origin').textContent,
      text: row.lastChild.textContent,
    })),
  );
  const bySelf = [...rows].sort((a, b) => b.self - a.self);
  assert.equal(bySelf[0].heat, 35);
  for (const {self, heat} of bySelf)
    if (self > 0)
      assert.ok(Math.abs(heat - 35 * Math.sqrt(self / bySelf[0].self)) < 1, `${self} ${heat}`);
    else assert.equal(heat, 0);
  const named = rows.filter(row => row.origin === 'late');
  assert.equal(named.length, 1);
  assert.match(named[0].text, /void late/);
});

test('the source view has the last part of long names, and fits in 400 pixels', async () => {
  const name = `std::detail::Executor<std::vector<${'char, '.repeat(40)}int>, true>::dispatch`;
  const frames = [{name, file: `src/${'regex_'.repeat(15)}.h`, line: 7}];
  const profile = {type: 'sampled', name: 'p', unit: 'none', startValue: 0, endValue: 1};
  const input = JSON.stringify({
    $schema: 'https://www.speedscope.app/file-format-schema.json',
    shared: {frames},
    profiles: [{...profile, samples: [[0]], weights: [1]}],
  });
  const page = await open(pageOf(file(input)).address, {fragment: '#view=source'});
  const link = page.locator('#view td.origin button');
  assert.equal(await link.textContent(), '..dispatch');
  assert.equal(await link.getAttribute('title'), name);
  assert.match(await text(page, '#view .bar'), /The text of this file is not in the page/);
  await page.setViewportSize({width: 400, height: 700});
  const {x, width} = await page.locator('#view select').boundingBox();
  assert.ok(x + width <= 400, `${x} + ${width}`);
  // A step has the same part.
  await page.getByRole('tab', {name: 'Flame graph'}).click();
  await choose(page, name, 'Focus on the function');
  assert.equal(await text(page, '.chip'), 'focus ..dispatch');
});

recorded('the source view scrolls to the line of a frame', async () => {
  const page = await open(address, {viewport: {width: 1000, height: 300}});
  await page.locator('#search').fill('^late$');
  await page.locator('#search').press('Enter');
  await page.locator('#view canvas').first().focus();
  await page.keyboard.press('v');
  const line = page.locator('#view tr[aria-current]');
  assert.match(await line.textContent(), /void late\(double end\)/);
  assert.ok(await line.isVisible());
  const again = await open(page.url());
  assert.match(
    await again.locator('#view tr[aria-current]').textContent(),
    /void late\(double end\)/,
  );
});

recorded('the page has the facts of the recording', async () => {
  const page = await open(address, {fragment: '#view=about'});
  const facts = await page.$$eval('#view dl > *', all =>
    Object.fromEntries(
      all.flatMap((e, i) => (e.tagName === 'DT' ? [[e.textContent, all[i + 1].textContent]] : [])),
    ),
  );
  assert.match(facts.command ?? '', /^wick record --quiet --off-cpu -o .* -- .*\.out$/);
  assert.match(await text(page, '#title'), /^\S+\.out$/);
  assert.match(facts.rate ?? '', /Hz/);
  for (const fact of ['host', 'kernel', 'date'])
    assert.ok(facts[fact], `${fact}: ${Object.keys(facts)}`);
  assert.match(facts.threads, /^2 in 1 process$/);
  assert.match(await text(page, '#view'), /What is missing/);
});

recorded('an event that only carries names is not among those recorded', async () => {
  const path = file('');
  wick('record', '--quiet', '-e', 'cpu-clock', '-o', path, '--', binary);
  const page = await open(pageOf(path).address, {fragment: '#view=about'});
  const events = await page.$$eval('#view dt', all =>
    all.filter(e => e.textContent === 'event').map(e => e.nextSibling.textContent),
  );
  assert.equal(events.length, 1, events.join());
  assert.match(events[0], /^cpu-clock: /);
});

recorded('the instructions of a function have its self weight', async t => {
  if (spawnSync('objdump', ['--version']).error) return t.skip('objdump is not installed');
  const page = await open(pageOf(data, '--embed-asm').address);
  await page.getByRole('tab', {name: 'Source'}).click();
  const value = await page.$eval(
    '#view select',
    select =>
      Array.from(select.options).find(option => option.text.startsWith('assembly of spin'))?.value,
  );
  await page.locator('#view select').selectOption(value);
  const rows = await page.$$eval('#view tbody tr', all =>
    all.map(row => Array.from(row.cells, cell => cell.textContent)),
  );
  // Addresses and instructions are those of objdump.
  const printed = execFileSync('objdump', ['-dwC', '--no-show-raw-insn', binary], {
    encoding: 'utf8',
  });
  const [, body] = printed.match(/<spin>:\n(.*?)\n\n/s);
  assert.deepEqual(
    rows.map(row => [row.at(-2), row.at(-1)]),
    body.split('\n').map(line => line.trim().split(/:\s+/)),
  );
  // Weights add up to that of the function, but for the rounding of each.
  const shares = rows.map(row => parseFloat(row[1] || '0'));
  const report = wick('report', '--quiet', '--by', 'function', '--top', '0', data);
  const [, self] = report.match(/^ *\S+(?: \w+)? +(\S+)% .* spin$/m);
  const sum = shares.reduce((a, b) => a + b);
  assert.ok(Math.abs(sum - self) < 0.005 * rows.length, `${sum} of ${self}`);
  assert.ok((await text(page, '#view .bar')).includes(`${self}% of the whole`));
  assert.ok(shares.filter(share => share > 0).length > 1);
  // The hottest is in sight, and leads to its line.
  const hottest = page.locator('#view tbody tr').nth(shares.indexOf(Math.max(...shares)));
  assert.ok(await hottest.isVisible());
  const [, line] = (await hottest.locator('button').textContent()).match(/\.c:(\d+)$/);
  await hottest.locator('button').click();
  assert.equal(await page.locator('#view tr[aria-current]').getAttribute('data-line'), line);
});

test('without objdump, --embed-asm fails before anything is read', () => {
  const words = ['flame', '--embed-asm', '-o', 'x.html', '/nowhere'];
  const done = spawnSync(process.env.WICK, words, {encoding: 'utf8', env: {PATH: '/nowhere'}});
  assert.equal(done.status, 1);
  assert.match(done.stderr, /--embed-asm: cannot find objdump \(apt install binutils\)/);
});
