// SPDX-License-Identifier: Apache-2.0
// Long work: it is done in slices, shown and cancelled.
import assert from 'node:assert/strict';
import {readFileSync, writeFileSync} from 'node:fs';
import {test} from 'node:test';
import {pathToFileURL} from 'node:url';

import {file, show} from '../browser.mjs';
import {
  answersDuring,
  boxNames,
  crumbs,
  drawn,
  exported,
  lines,
  open,
  pageOf,
  settled,
  tableRows,
  text,
} from './page.mjs';
import {SAMPLES} from './profiles.mjs';

/**
 * A page in which everything is long work: slices have no time, and after the first picture none
 * begins before `slice()` is called.
 */
async function slowPage(folded) {
  const source = pageOf(file(folded))
    .text()
    .replace('PIECE = 1 << 16', 'PIECE = 1')
    .replace('NAMES_AT_ONCE = 1 << 10', 'NAMES_AT_ONCE = 1')
    .replace('SLICE_MS = 40', 'SLICE_MS = 0')
    .replace('BUSY_MS = 100', 'BUSY_MS = 0')
    // The policy allows only the unchanged script.
    .replace(/<meta http-equiv="Content-Security-Policy"[^>]*>/, '');
  const path = file('') + '.html';
  writeFileSync(path, source);
  const page = await show('about:blank');
  await page.addInitScript(() => {
    let isHeld = false;
    let waiting = [];
    const send = MessagePort.prototype.postMessage;
    MessagePort.prototype.postMessage = function (...message) {
      if (isHeld) waiting.push(() => send.apply(this, message));
      else send.apply(this, message);
    };
    window.hold = () => {
      isHeld = true;
    };
    window.slice = () => {
      for (const next of waiting.splice(0)) next();
    };
    window.release = () => {
      isHeld = false;
      window.slice();
    };
  });
  await page.goto(pathToFileURL(path).href);
  await page.waitForSelector('#message[hidden]', {state: 'attached'});
  await page.evaluate(() => window.hold());
  return page;
}

const busy = page => page.locator('#busy');

test('long work shows that it is under way, and the page stays as it was', async () => {
  const page = await slowPage(SAMPLES);
  const before = await boxNames(page);
  await page.keyboard.press('i');
  assert.match(await busy(page).innerText(), /^Working…\s*Cancel$/);
  assert.equal(await page.locator('#view').getAttribute('aria-busy'), 'true');
  assert.deepEqual(await boxNames(page), before);
  assert.equal(await page.locator('.chip').count(), 0);
  await page.evaluate(() => window.release());
  await busy(page).waitFor({state: 'hidden'});
  assert.equal(await text(page, '.chip'), 'inverted');
  assert.notDeepEqual(await boxNames(page), before);
  assert.deepEqual(page.errors, []);
});

for (const [how, cancel] of [
  ['Escape', page => page.keyboard.press('Escape')],
  ['a click on Cancel', page => page.locator('#cancel').click()],
])
  test(`${how} cancels work, and the page stays where it was`, async () => {
    const page = await slowPage(SAMPLES);
    const before = await boxNames(page);
    const address = page.url();
    await page.keyboard.press('T');
    await page.evaluate(() => window.slice());
    assert.ok(await busy(page).isVisible());
    await cancel(page);
    assert.ok(await busy(page).isHidden());
    await page.evaluate(() => window.release());
    await drawn(page);
    assert.equal(await page.locator('.chip').count(), 0);
    assert.equal(page.url(), address);
    assert.deepEqual(await boxNames(page), before);
  });

test('a cancelled search leaves the field as it was', async () => {
  const page = await slowPage(SAMPLES);
  await page.locator('#search').fill('parse');
  await page.keyboard.press('Escape');
  assert.equal(await page.locator('#search').inputValue(), '');
  assert.equal(await text(page, '#matched'), '');
});

test('newer input replaces work, and keeps what was asked for before', async () => {
  const page = await slowPage(SAMPLES);
  await page.keyboard.press('i');
  await page.locator('#search').pressSequentially('par');
  assert.equal(await page.locator('#search').inputValue(), 'par');
  await page.evaluate(() => window.release());
  await busy(page).waitFor({state: 'hidden'});
  assert.equal(await text(page, '.chip'), 'inverted');
  assert.match(await text(page, '#matched'), /^Matched: 40/);
  assert.equal(await page.locator('#search').inputValue(), 'par');
});

test('what the user does to the picture while work is under way stays', async () => {
  const page = await slowPage(SAMPLES);
  await page.locator('#view canvas').focus();
  await page.locator('#search').fill('parse');
  await page.locator('#view canvas').focus();
  await page.keyboard.press('w');
  await page.evaluate(() => window.release());
  await busy(page).waitFor({state: 'hidden'});
  await page.waitForFunction(() => location.hash.includes('window='));
});

test('a small profile is never worked on in slices', async () => {
  const page = await open(pageOf(file(SAMPLES)).address);
  const chips = await page.evaluate(() => {
    document.dispatchEvent(new KeyboardEvent('keydown', {key: 'i', bubbles: true}));
    return document.querySelectorAll('.chip').length;
  });
  assert.equal(chips, 1);
  assert.deepEqual((await crumbs(page)).length, 1);
});

test('the callers of a function in the table are long work', async () => {
  const page = await slowPage(SAMPLES);
  await page.locator('#tab-table').click();
  await page.evaluate(() => window.release());
  await busy(page).waitFor({state: 'hidden'});
  await page.evaluate(() => window.hold());
  const callers = page.locator('tr.caller');
  const toggle = page.getByRole('button', {name: 'Callers of read', exact: true});
  await toggle.click();
  assert.ok(await busy(page).isVisible());
  assert.equal(await callers.count(), 0);
  await page.keyboard.press('Escape');
  assert.ok(await busy(page).isHidden());
  await toggle.click();
  await page.evaluate(() => window.release());
  await busy(page).waitFor({state: 'hidden'});
  assert.match(await callers.first().innerText(), /parse/);
  assert.deepEqual(page.errors, []);
});

/** The table of a page in which everything is long work from now on. */
async function slowTable() {
  const page = await slowPage(SAMPLES);
  await page.locator('#tab-table').click();
  await page.evaluate(() => window.release());
  await settled(page);
  await page.evaluate(() => window.hold());
  return page;
}

const names = async page => (await tableRows(page)).map(row => row.name);

test('to sort the table is long work, and can be cancelled', async () => {
  const page = await slowTable();
  const before = await names(page);
  const byName = page.getByRole('button', {name: 'Function', exact: true});
  await byName.click();
  assert.ok(await busy(page).isVisible());
  assert.deepEqual(await names(page), before);
  await page.keyboard.press('Escape');
  await page.evaluate(() => window.slice());
  assert.deepEqual(await names(page), before);
  await byName.click();
  await page.evaluate(() => window.release());
  await settled(page);
  assert.deepEqual(await names(page), [...before].sort());
  assert.notDeepEqual(before, [...before].sort());
  assert.deepEqual(page.errors, []);
});

test('an export of the table as CSV is long work', async () => {
  const page = await slowTable();
  const download = page.waitForEvent('download');
  await page.locator('#export').click();
  await page.getByRole('menuitem', {name: 'CSV'}).click();
  assert.ok(await busy(page).isVisible());
  await page.evaluate(() => window.release());
  const rows = readFileSync(await (await download).path(), 'utf8')
    .trim()
    .split('\r\n');
  assert.equal(rows.length, 1 + (await names(page)).length);
});

test('to complete a function is long work, and newer input replaces it', async () => {
  const page = await slowPage(SAMPLES);
  await page.locator('#tab-sandwich').click();
  await page.evaluate(() => window.release());
  await settled(page);
  await page.evaluate(() => window.hold());
  const field = page.getByRole('combobox', {name: 'Function'});
  await field.fill('par.*');
  assert.ok(await busy(page).isVisible());
  await field.fill('dra.*');
  await page.evaluate(() => window.release());
  const options = page.locator('#view').getByRole('option');
  await options.first().waitFor();
  assert.deepEqual(await options.allTextContents(), ['50.00%draw']);
  assert.deepEqual(page.errors, []);
});

test('half a million functions are sorted, found and exported while the page answers', async () => {
  const folded = Array.from(
    {length: 500_000},
    (_, i) => `main;f${(i * 7919) % 1_000_003} ${i + 1}\n`,
  );
  const page = await open(pageOf(file(folded.join(''))).address, {fragment: '#view=table'});
  const sort = name => page.getByRole('button', {name: new RegExp(`^${name}( [▲▼])?$`)}).click();
  await answersDuring(page, async i => {
    await sort('Function');
    await settled(page);
    await page.locator('#search').fill(`.*${i}.*${i}`);
    await settled(page);
    await page.locator('#search').fill('');
    await settled(page);
    await sort('Total %');
    await settled(page);
    const csv = (await exported(page, 'CSV')).toString();
    assert.equal(csv.trim().split('\r\n').length, 500_002);
  });
});

test('an export of folded stacks is long work', async () => {
  const page = await slowPage(SAMPLES);
  const download = page.waitForEvent('download');
  await page.locator('#export').click();
  await page.getByRole('menuitem', {name: 'Folded stacks'}).click();
  assert.ok(await busy(page).isVisible());
  await page.evaluate(() => window.release());
  assert.deepEqual(lines(readFileSync(await (await download).path(), 'utf8')), lines(SAMPLES));
});
