// SPDX-License-Identifier: Apache-2.0
// What a search finds, and the way from match to match.
import assert from 'node:assert/strict';
import {before, test} from 'node:test';

import {file} from '../browser.mjs';
import {
  answersDuring,
  boxes,
  boxNamed,
  click,
  crumbs,
  open,
  pageOf,
  settled,
  text,
} from './page.mjs';
import {SAMPLES, timed} from './profiles.mjs';

let plain, modules, manyCallers;
before(() => {
  plain = pageOf(file(SAMPLES)).address;
  modules = pageOf(timed()).address;
  manyCallers = pageOf(file('a;f;x 1\na;f;y 8\na;g;x 6\nb;x 3\nb;x;x 2\n')).address;
});

const selectedTab = page => page.locator('[role=tab][aria-selected=true]').textContent();
const position = async page => (await text(page, '#matched')).replace(/^.* · /, '');
const selected = async page => (await text(page, '#details')).split(' ')[0];

async function search(page, words) {
  await page.keyboard.press('/');
  await page.keyboard.type(words);
}

test('a capital letter makes a search case sensitive, and the toggle overrides it', async () => {
  const page = await open(plain);
  const sees = async (words, share) => {
    await page.locator('#search').fill(words);
    assert.match(await text(page, '#matched'), new RegExp(`^Matched: ${share} `), words);
  };
  const toggle = page.getByRole('button', {name: 'Match case'});
  await sees('reader::', '10.00%');
  await sees('Reader::', '10.00%');
  await sees('READER::', '0.00%');
  assert.equal(await toggle.getAttribute('aria-pressed'), 'true');
  await toggle.click();
  await sees('READER::', '10.00%');
  await toggle.click();
  await sees('READER::', '0.00%');
  // Chosen once more, it follows the search again.
  await sees('reader::', '10.00%');
  assert.equal(await toggle.getAttribute('aria-pressed'), 'false');
  await toggle.click();
  await sees('reader::', '0.00%');
  assert.match(page.url(), /case=match/);
});

test('what is a capital letter in a regular expression only says nothing', async () => {
  const page = await open(plain);
  await page.locator('#search').fill('^reader\\S+\\Dext\\b');
  assert.match(await text(page, '#matched'), /^Matched: 10\.00% /);
  // As text, it is one.
  await page.locator('#mode').click();
  assert.equal(
    await page.getByRole('button', {name: 'Match case'}).getAttribute('aria-pressed'),
    'true',
  );
});

test('matches outside the zoomed part are counted, and a click zooms out to them', async () => {
  const page = await open(manyCallers);
  await click(page, 'f');
  await search(page, 'x');
  assert.match(await text(page, '#matched'), /^Matched: 60\.00% .*\(11\.11% of the zoomed part\)$/);
  assert.equal(await text(page, '#outside'), '2 outside the zoom');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Enter');
  assert.equal(await position(page), '1 of 1');
  assert.deepEqual(await crumbs(page), ['all', 'a', 'f']);
  await page.locator('#outside').click();
  assert.deepEqual(await crumbs(page), ['all']);
  assert.match(await text(page, '#details'), /^x · total: 6 samples/);
  assert.equal(await position(page), '1 of 3');
  assert.ok(await page.locator('#outside').isHidden());
  await page.goBack();
  await page.waitForFunction(() => document.querySelectorAll('#crumbs button').length === 3);
});

test('Enter zooms out if the zoomed part has no match', async () => {
  const page = await open(plain);
  await click(page, 'draw');
  await search(page, 'parse');
  assert.equal(await text(page, '#outside'), '1 outside the zoom');
  await page.keyboard.press('Enter');
  assert.deepEqual(await crumbs(page), ['all']);
  assert.equal(await selected(page), 'parse');
});

test('going to a match stays inside the zoomed part', async () => {
  const page = await open(pageOf(file('a;f;x 1\na;f;y 4000\na;g;x 900\nb;x 3\n')).address);
  await click(page, 'f');
  await search(page, '^(x|a)$');
  await page.keyboard.press('Enter');
  assert.equal(await selected(page), 'a');
  assert.equal(Math.round((await boxNamed(page, 'f')).width), 1000);
  await page.keyboard.press('Enter');
  assert.equal(await selected(page), 'x');
  assert.deepEqual([...new Set((await boxes(page)).map(box => box.name))].sort(), [
    'a',
    'all',
    'f',
    'x',
    'y',
  ]);
});

for (const [view, words, first, second, last] of [
  ['icicle', '^(draw|parse|idle)$', 'draw', 'parse', 'idle'],
  ['table', '^(draw|parse|idle)$', 'draw', 'idle', 'parse'],
])
  test(`Enter and Shift-Enter go from match to match in the view ${view}`, async () => {
    const page = await open(plain, {fragment: `#view=${view}`});
    const tab = await selectedTab(page);
    await search(page, words);
    const walk = [
      ['Enter', first, '1 of 3'],
      ['Enter', second, '2 of 3'],
      ['Shift+Enter', first, '1 of 3'],
      ['Shift+Enter', last, '3 of 3'],
    ];
    for (const [key, name, place] of walk) {
      await page.keyboard.press(key);
      assert.deepEqual([await selected(page), await position(page)], [name, place], key);
    }
    assert.equal(await selectedTab(page), tab);
    assert.equal(await page.evaluate(() => document.activeElement.id), 'search');
  });

test('Enter shows a function that is not yet in the table', async () => {
  const many = Array.from({length: 400}, (_, i) => `function_${i} ${1000 - i}`).join('\n');
  const page = await open(pageOf(file(many + '\n')).address, {fragment: '#view=table'});
  await search(page, 'function');
  await page.keyboard.press('Shift+Enter');
  assert.equal(await position(page), '400 of 400');
  const row = page.locator('tr[aria-current]');
  assert.match(await row.textContent(), /function_399/);
  assert.ok(await row.evaluate(e => e.getBoundingClientRect().bottom <= innerHeight));
});

test('Enter goes through both halves of a sandwich', async () => {
  const page = await open(modules, {fragment: '#view=sandwich'});
  await page.getByLabel('Function', {exact: true}).fill('parse');
  await page.getByLabel('Function', {exact: true}).press('Enter');
  await page.locator('#search').fill('^(main|read)$');
  await page.locator('#search').focus();
  await page.keyboard.press('Enter');
  assert.deepEqual([await selected(page), await position(page)], ['main', '1 of 2']);
  await page.keyboard.press('Enter');
  assert.deepEqual([await selected(page), await position(page)], ['read', '2 of 2']);
  assert.equal(await selectedTab(page), 'Sandwich');
});

test('Enter goes through the stretches of time with a match, also in closed threads', async () => {
  const page = await open(modules, {fragment: '#view=time&folds=p100'});
  const stack = () => page.locator('.stack li [aria-current]').textContent();
  await search(page, '^(draw|leaf)$');
  await page.keyboard.press('Enter');
  assert.equal(await stack(), 'draw');
  assert.match(await text(page, '#details'), /at 0\.50+ s for 500 ms in app 100/);
  await page.keyboard.press('Enter');
  assert.equal(await stack(), 'leaf');
  assert.match(await text(page, '#details'), / in worker 100\/101/);
  assert.equal(await selectedTab(page), 'Time');
});

/** Names with which browsers never finish the expressions below. */
const HOSTILE = Array.from({length: 40}, (_, i) => `${'std::map<int, '.repeat(140)}x${i}`);
const hostile = () => pageOf(file(HOSTILE.map(name => `main;${name} 1\n`).join(''))).address;

for (const expression of ['.*.*.*.*.*=', '(\\w+\\W*)*;', '(a+)+$', '(i|in|int|, )*#'])
  test(`the page answers while it searches ${expression}`, async () => {
    const page = await open(hostile());
    await answersDuring(page, async i => {
      await page.locator('#search').fill(expression + '='.repeat(i));
      await page.waitForFunction(() => document.getElementById('matched').textContent !== '');
      await settled(page);
      assert.equal(await text(page, '#matched'), 'Matched: 0.00% of the whole');
    });
    // What repeats as much is found.
    await page.locator('#search').fill('(\\w+\\W*)*map.*int');
    await settled(page);
    assert.equal(await text(page, '#matched'), 'Matched: 100.00% of the whole');
  });

const BACKWARDS = '(\\w+)\\1*;';

for (const [how, searched] of [
  ['typed', page => page.locator('#search').fill(BACKWARDS)],
  ['in a link', () => {}],
])
  test(`an expression that may take forever is not searched: ${how}`, async () => {
    const fragment = how === 'typed' ? '' : `#search=${encodeURIComponent(BACKWARDS)}`;
    const page = await open(hostile(), {fragment});
    await searched(page);
    assert.equal(
      await text(page, '#matched'),
      'not searched: too long, or it looks around or back and may take forever',
    );
    assert.equal(await page.locator('#search').getAttribute('aria-invalid'), 'true');
    // As text, it is like any other.
    await page.locator('#mode').click();
    assert.equal(await text(page, '#matched'), 'Matched: 0.00% of the whole');
  });

test('the field of the sandwich takes an expression that may take forever as text', async () => {
  const page = await open(hostile(), {fragment: '#view=sandwich'});
  await page.getByRole('combobox', {name: 'Function'}).fill(BACKWARDS);
  assert.equal(await text(page, '.none'), 'No function matches.');
});
