// SPDX-License-Identifier: Apache-2.0
// With a keyboard alone: the focus is never lost, and what it is on is described.
import assert from 'node:assert/strict';
import {before, test} from 'node:test';

import {file} from '../browser.mjs';
import {boxNamed, canvas, crumbs, drawn, open, pageOf, ROW, tableRows, text} from './page.mjs';
import {SAMPLES, timed} from './profiles.mjs';

let plain, modules;
before(() => {
  plain = pageOf(file(SAMPLES)).address;
  modules = pageOf(timed()).address;
});

/** What has the focus: its label, or its text. */
const focused = page =>
  page.evaluate(() => {
    const {activeElement: element} = document;
    if (element === document.body) return 'nothing';
    return element.getAttribute('aria-label') ?? element.id + element.textContent;
  });

/** Presses keys one after the other; the focus must be somewhere after each. */
async function press(page, ...keys) {
  for (const key of keys) {
    await page.keyboard.press(key);
    await drawn(page);
    assert.notEqual(await focused(page), 'nothing', `after ${key} of ${keys.join(' ')}`);
  }
}

/** Presses Tab until what has the focus is called `name`. */
async function tabTo(page, name) {
  for (let i = 0; i < 60; ++i) {
    if (name.test(await focused(page))) return;
    // From the last element, it leads out of the page.
    await page.keyboard.press('Tab');
  }
  assert.fail(`Tab does not lead to ${name}, but to ${await focused(page)}`);
}

const tip = page => page.$$eval('#tip:not([hidden]) > *', all => all.map(e => e.textContent));

for (const [width, colorScheme] of [
  [400, 'dark'],
  [800, 'light'],
  [1400, 'dark'],
])
  test(`a whole session with keys, ${width} pixels wide and ${colorScheme}`, async () => {
    const page = await open(modules, {viewport: {width, height: 700}, colorScheme});
    for (const view of '12345678') await press(page, view);
    await press(page, '1', '?', 'Escape', 't', 'o', 'i', 'Control+Z');
    // Zoom, and out.
    await tabTo(page, /^Flame graph\./);
    await press(page, 'ArrowUp', 'ArrowUp', 'Enter', 'Backspace', 'Escape', 'Escape');
    // The menu of a frame, and what it leads to.
    await press(page, 'ArrowUp', 'm', 'Escape', 'm', 'h', 'Control+Z', 'm', 'e', '1');
    await press(page, 'm', 'End', 'Home', 'Enter');
    // Search.
    await press(page, '/', 'r', 'e', 'Enter', 'Shift+Enter', 'Escape', 'Escape', 'n', 'N');
    // Filters; the last one has nothing to its right.
    await tabTo(page, /^Event$/);
    await press(page, 'ArrowDown', 'ArrowUp', 'Tab', 'Enter', 'Tab', 'w', 'Tab', 'Space', 'Escape');
    await press(page, 'Control+Z', '1', 'T', 'R');
    await tabTo(page, /no template/);
    await press(page, 'Enter');
    await tabTo(page, /^Undo/);
    await press(page, 'Enter', 'Enter', 'Enter');
    // The path to the zoomed frame.
    await tabTo(page, /^Flame graph\./);
    await press(page, 'ArrowUp', 'ArrowUp', 'Enter', 'Shift+Tab', 'Shift+Tab', 'Enter');
    // Ranges of the heat map, and their removal.
    await press(page, '4', 'Home', 'Space', 'ArrowRight', 'ArrowRight', 'Space', 'b');
    await tabTo(page, /^Baseline/);
    await press(page, 'Enter');
    // Stacks over time.
    await press(page, '3');
    await tabTo(page, /^Samples over time/);
    await press(page, 'PageDown', ']', ']', '[', 'PageDown', 'PageUp', 'Space', 'Space', 'Enter');
    await press(page, 'Escape', 'Escape', ']');
    await tabTo(page, /^Close the stack/);
    await press(page, 'Enter');
    // The table: its order, and the transforms of its functions.
    await press(page, '6');
    await tabTo(page, /^Self %/);
    await press(page, 'Enter', 'Enter');
    // One of its rows is in the order of Tab.
    await tabTo(page, /^(draw|leaf|main|parse)$/);
    await press(page, 'h', 'x', 'Control+Z');
    assert.deepEqual(page.errors, []);
  });

test('removing a step leads to what takes its place', async () => {
  const page = await open(plain);
  await press(page, 'T', 'R');
  await tabTo(page, /no template arguments/);
  await press(page, 'Enter');
  assert.equal(await focused(page), 'no template arguments');
  await tabTo(page, /^Undo/);
  await press(page, 'Enter', 'Enter');
  await press(page, 'Control+Z');
  assert.deepEqual(await page.locator('.chip').count(), 0);
  assert.equal(await focused(page), 'Order');
});

test('another view has the focus in its picture if the one before had it', async () => {
  const page = await open(plain);
  await tabTo(page, /^Flame graph\./);
  await press(page, '2');
  assert.match(await focused(page), /^Icicle\./);
  await press(page, '4');
  assert.equal(await focused(page), 'Table of functions');
});

test('choosing an ancestor in the path keeps the focus on it', async () => {
  const page = await open(plain);
  await tabTo(page, /^Flame graph\./);
  await press(page, 'ArrowUp', 'ArrowUp', 'Enter');
  assert.deepEqual(await crumbs(page), ['all', 'main', 'draw']);
  await page.locator('#crumbs button', {hasText: 'main'}).focus();
  await press(page, 'Enter');
  assert.deepEqual(await crumbs(page), ['all', 'main']);
  assert.equal(await focused(page), 'main');
});

test('a frame selected by key has its tip beside it, and Escape hides that first', async () => {
  const page = await open(plain);
  await tabTo(page, /^Flame graph\./);
  await press(page, 'ArrowUp', 'Enter', 'ArrowUp');
  assert.deepEqual((await tip(page)).slice(0, 1), ['draw']);
  const box = await boxNamed(page, 'draw');
  // Pointing elsewhere has hidden it.
  await press(page, 'ArrowDown', 'ArrowUp');
  const place = await page.locator('#tip').boundingBox();
  assert.ok(Math.abs(place.x - (box.x - box.width / 2)) < 20, `${place.x}`);
  const top = box.y - ROW / 2;
  const gap = place.y > top ? place.y - (top + ROW) : top - (place.y + place.height);
  assert.ok(gap >= 0 && gap < 8, `${gap} pixels from the frame`);
  await press(page, 'Escape');
  assert.deepEqual(await tip(page), []);
  assert.deepEqual(await crumbs(page), ['all', 'main']);
  await press(page, 'Escape');
  assert.deepEqual(await crumbs(page), ['all']);
});

test('the tip of a selected frame moves with it, and goes when it is out of sight', async () => {
  const page = await open(plain);
  await tabTo(page, /^Flame graph\./);
  await press(page, 'ArrowUp', 'ArrowUp', 'ArrowRight');
  assert.equal((await tip(page))[0], 'parse');
  const before = await page.locator('#tip').boundingBox();
  await press(page, '+');
  const after = await page.locator('#tip').boundingBox();
  assert.ok(after.x > before.x, `${before.x} to ${after.x}`);
  for (let i = 0; i < 12; ++i) await press(page, 'a', '+');
  assert.deepEqual(await tip(page), []);
});

test('samples and threads have their tips over time', async () => {
  const page = await open(modules, {fragment: '#view=time'});
  await tabTo(page, /^Samples over time/);
  await press(page, 'PageDown', ']');
  assert.match((await tip(page)).join(' '), /read at 0\.0+ s for .* in app 100/);
  assert.equal((await tip(page)).join(' · '), await text(page, '#details'));
  await press(page, 'PageDown');
  assert.match((await tip(page))[0], /worker|app|tool/);
  await press(page, 'Escape');
  assert.deepEqual(await tip(page), []);
});

test('the table is announced as the alternative of pictures, and a key leads there', async () => {
  for (const view of ['flame', 'icicle', 'time', 'heat', 'sandwich']) {
    const page = await open(modules, {fragment: `#view=${view}`});
    const pictures = page.locator('#view [tabindex="0"][role=application]');
    for (const picture of await pictures.all()) {
      assert.match(await picture.getAttribute('aria-label'), /./);
      const description = await picture.getAttribute('aria-describedby');
      assert.equal(await text(page, `#${description}`), 'The same data as a table');
    }
    await tabTo(page, /The same data as a table/);
    assert.ok(await page.locator('#as-table').isVisible());
    await press(page, 'Enter');
    assert.equal(await focused(page), 'Table of functions');
    assert.ok((await tableRows(page)).length > 5);
    assert.ok(await page.locator('#as-table').isHidden());
    await page.context().close();
  }
});

test('what is focused is announced', async () => {
  const page = await open(plain);
  assert.equal(await page.locator('#details').getAttribute('aria-live'), 'polite');
  await tabTo(page, /^Flame graph\./);
  await press(page, 'ArrowUp');
  assert.match(await text(page, '#details'), /^main · total: 90 samples/);
  assert.equal(await canvas(page).getAttribute('role'), 'application');
});
