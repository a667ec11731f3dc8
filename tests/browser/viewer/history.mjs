// SPDX-License-Identifier: Apache-2.0
// Back and Forward of the browser, and undo and redo of the page.
import assert from 'node:assert/strict';
import {before, test} from 'node:test';

import {file, show} from '../browser.mjs';
import {
  boxNamed,
  boxNames,
  choose,
  click,
  crumbs,
  exportedFolded,
  lines,
  open,
  pageOf,
  text,
} from './page.mjs';
import {SAMPLES, timed} from './profiles.mjs';

let plain, modules;
before(() => {
  plain = pageOf(file(SAMPLES));
  modules = pageOf(timed()).address;
});

const selectedTab = page => page.locator('[role=tab][aria-selected=true]').textContent();
const chips = page => page.$$eval('.chip', all => all.map(chip => chip.textContent));

/** What tells the states of these tests apart. */
const stateOf = async page => ({
  view: await selectedTab(page),
  zoom: (await crumbs(page)).at(-1),
  event: await page.getByLabel('Event').inputValue(),
  steps: await chips(page),
});

/** Waits until `seen(page)` is `wanted`. */
async function becomes(page, seen, wanted) {
  const end = Date.now() + 10_000;
  for (;;) {
    const now = await seen(page);
    try {
      assert.deepEqual(now, wanted);
      return;
    } catch (error) {
      if (Date.now() > end) throw error;
    }
  }
}

test('Back and Forward undo and redo zoom, transform, filter and view', async () => {
  const page = await open(modules);
  const states = [await stateOf(page)];
  for (const step of [
    () => click(page, 'app'),
    () => choose(page, 'read', 'Hide the function'),
    () => page.getByLabel('Event').selectOption('cache-misses'),
    () => page.keyboard.press('2'),
  ]) {
    await step();
    states.push(await stateOf(page));
  }
  assert.deepEqual(states.at(-1), {
    view: 'Icicle',
    zoom: 'all',
    event: 'cache-misses',
    steps: ['hide read'],
  });
  for (let i = states.length - 2; i >= 0; --i) {
    await page.goBack();
    await becomes(page, stateOf, states[i]);
  }
  for (let i = 1; i < states.length; ++i) {
    await page.goForward();
    await becomes(page, stateOf, states[i]);
  }
});

test('Ctrl-Z and Back are the same, and so are Ctrl-Shift-Z and Forward', async () => {
  const page = await open(plain.address);
  await choose(page, 'flush', 'Hide the function');
  await click(page, 'draw');
  await page.keyboard.press('Control+Z');
  assert.deepEqual(await crumbs(page), ['all']);
  await page.goBack();
  await becomes(page, chips, []);
  await page.keyboard.press('Control+Shift+Z');
  assert.deepEqual(await chips(page), ['hide flush']);
  await page.goForward();
  await becomes(page, crumbs, ['all', 'main', 'draw']);
});

test('a step right after Ctrl-Z takes the place of what was undone', async () => {
  const page = await open(plain.address);
  await click(page, 'draw');
  await page.evaluate(() => {
    const press = (key, ctrlKey = false) =>
      document.body.dispatchEvent(new KeyboardEvent('keydown', {key, ctrlKey, bubbles: true}));
    press('z', true);
    press('2');
  });
  assert.deepEqual([await selectedTab(page), await crumbs(page)], ['Icicle', ['all']]);
  await page.waitForURL(/#view=icicle$/);
  await page.goBack();
  await becomes(page, selectedTab, 'Flame graph');
  assert.deepEqual(await crumbs(page), ['all']);
  await page.goForward();
  await becomes(page, selectedTab, 'Icicle');
});

test('typing a search is one step', async () => {
  const page = await open(plain.address);
  await click(page, 'draw');
  await page.keyboard.press('/');
  await page.keyboard.type('flush');
  await page.waitForURL(/search=flush/);
  await page.goBack();
  await becomes(page, () => page.locator('#search').inputValue(), '');
  assert.deepEqual(await crumbs(page), ['all', 'main', 'draw']);
});

test('scaling is not a step, and Back restores what was scaled', async () => {
  const page = await open(plain.address);
  await click(page, 'main');
  const {x, y} = await boxNamed(page, 'draw');
  await page.mouse.move(x, y);
  for (let i = 0; i < 5; ++i) await page.mouse.wheel(0, -100);
  const scaled = await boxNamed(page, 'draw');
  // Before it is written to the address.
  await page.keyboard.press('2');
  await page.goBack();
  await becomes(page, selectedTab, 'Flame graph');
  const {left, width} = await boxNamed(page, 'draw');
  assert.deepEqual([left, width].map(Math.round), [scaled.left, scaled.width].map(Math.round));
  await page.goBack();
  await becomes(page, crumbs, ['all']);
});

test('the steps of an address can be undone, without leaving the page', async () => {
  const made = await open(plain.address);
  await choose(made, 'flush', 'Hide the function');
  await choose(made, 'read', 'Drop stacks');
  const page = await open(made.url());
  assert.deepEqual(await chips(page), ['hide flush', 'drop read']);
  await page.keyboard.press('Control+Z');
  assert.deepEqual(await chips(page), ['hide flush']);
  await page.keyboard.press('Control+Z');
  await page.keyboard.press('Control+Z');
  assert.deepEqual(lines(await exportedFolded(page)), lines(SAMPLES));
  await page.keyboard.press('Control+Shift+Z');
  assert.deepEqual(await chips(page), ['hide flush']);
});

test('the steps before a reload can be undone', async () => {
  const page = await open(plain.address);
  await click(page, 'main');
  await click(page, 'draw');
  await page.reload();
  await page.waitForSelector('#message[hidden]', {state: 'attached'});
  assert.deepEqual(await crumbs(page), ['all', 'main', 'draw']);
  await page.keyboard.press('Control+Z');
  await becomes(page, crumbs, ['all', 'main']);
  await page.goBack();
  await becomes(page, crumbs, ['all']);
  await page.keyboard.press('Control+Shift+Z');
  assert.deepEqual(await crumbs(page), ['all', 'main']);
});

test('more steps than the browser allows can be undone', async () => {
  const page = await open(plain.address);
  await page.evaluate(() => {
    for (let i = 0; i < 600; ++i)
      document.getElementById(i % 2 ? 'tab-flame' : 'tab-table').click();
  });
  assert.equal(await selectedTab(page), 'Flame graph');
  assert.deepEqual(page.errors, []);
  for (let i = 0; i < 4; ++i) {
    await page.keyboard.press('Control+Z');
    assert.equal(await selectedTab(page), i % 2 ? 'Flame graph' : 'Table');
  }
});

test('undo works in a document without an address', async () => {
  const page = await show('about:blank');
  await page.evaluate(html => {
    const frame = document.createElement('iframe');
    frame.setAttribute('sandbox', 'allow-scripts');
    Object.assign(frame, {srcdoc: html, width: 900, height: 500});
    document.body.append(frame);
  }, plain.text());
  const frame = page.frameLocator('iframe');
  await frame.locator('#message').waitFor({state: 'hidden'});
  await frame.locator('#tab-table').click();
  await frame.locator('#tab-icicle').click();
  for (const [key, tab] of [
    ['Control+Z', 'Table'],
    ['Control+Z', 'Flame graph'],
    ['Control+Shift+Z', 'Table'],
  ]) {
    await page.keyboard.press(key);
    assert.equal(await frame.locator('[role=tab][aria-selected=true]').textContent(), tab);
  }
  assert.deepEqual(page.errors, []);
});

test('Back leads to the page before, from the first step', async () => {
  const page = await open(plain.address);
  await page.goto(modules);
  await click(page, 'app');
  await page.goBack();
  await becomes(page, crumbs, ['all']);
  assert.match(await text(page, '#title'), /./);
  assert.ok((await boxNames(page)).includes('app'));
  await page.keyboard.press('Control+Z');
  assert.ok((await boxNames(page)).includes('app'), 'Ctrl-Z stays in the page');
  await page.goBack();
  await becomes(page, async p => (await boxNames(p)).includes('idle'), true);
});
