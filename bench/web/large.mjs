// SPDX-License-Identifier: Apache-2.0
// large.mjs WICK FOLDER: opens a folded file of twelve million frames (a million stacks, nine million
// nodes) in wick's viewer and prints the longest task of each step after the first picture, in CPU
// time, which other work on the machine does not change.
import {execFileSync} from 'node:child_process';
import {closeSync, existsSync, openSync, statSync, writeSync} from 'node:fs';
import {createRequire} from 'node:module';
import {join, resolve} from 'node:path';
import {pathToFileURL} from 'node:url';

const wick = resolve(process.argv[2]);
const folder = resolve(process.argv[3]);
const {chromium} = createRequire(folder + '/')('playwright-core');

const STACKS = 1_000_000;
const SHARED = 3;
const FRAMES = 12;

/** A name of a few letters; some have template arguments. */
const nameOf = i => (i % 7 === 0 ? `v<${(i % 89).toString(36)}>` : `f${(i % 997).toString(36)}`);

/** The first frames are shared by many stacks; the fourth makes each its own. */
function stackOf(i) {
  const names = [`t${i % 4}`, 'main', `r${i % 100}`];
  names.push(`n${Math.floor(i / 100).toString(36)}`);
  for (let level = SHARED + 1; level < FRAMES; ++level) names.push(nameOf(i * 31 + level * 17));
  return names.join(';');
}

const input = join(folder, 'large.folded');
if (!existsSync(input)) {
  const out = openSync(input, 'w');
  for (let i = 0; i < STACKS; i += 10_000) {
    const lines = Array.from(
      {length: 10_000},
      (_, j) => `${stackOf(i + j)} ${1 + ((i + j) % 9)}\n`,
    );
    writeSync(out, lines.join(''));
  }
  closeSync(out);
}
const html = join(folder, 'large.html');
execFileSync(wick, ['flame', '--quiet', input, '-o', html]);
console.log(
  `folded file ${(statSync(input).size / 1e6).toFixed(0)} MB, page ${(statSync(html).size / 1e6).toFixed(0)} MB`,
);

const key = name => page => page.keyboard.press(name);
const click = name => page => page.getByRole('tab', {name}).click();
/** What a user does, one after the other. @type {[string, (page: any) => Promise<unknown>][]} */
const STEPS = [
  ['another order', key('o')],
  ['direct recursion', key('R')],
  ['template arguments', key('T')],
  ['undo', key('Control+z')],
  ['invert', key('i')],
  ['undo', key('Control+z')],
  ['a search', page => page.locator('#search').fill('f1.*')],
  ['no search', page => page.locator('#search').fill('')],
  ['the sandwich', click('Sandwich')],
  ['the table', click('Table')],
  ['a hidden function', page => hidden(page)],
  ['the flame graph', click('Flame graph')],
  ['a zoom', page => page.locator('#view canvas').click({position: {x: 300, y: 500}})],
  ['folded stacks', page => exported(page)],
];
async function hidden(page) {
  await page.locator('#view tbody tr button.function').first().focus();
  await page.keyboard.press('h');
}
async function exported(page) {
  await page.locator('#export').click();
  const download = page.waitForEvent('download');
  await page.getByRole('menuitem', {name: 'Folded'}).click();
  await (await download).path();
}

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM,
  args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
});
const page = await browser.newPage({viewport: {width: 1600, height: 900}, reducedMotion: 'reduce'});
page.setDefaultTimeout(300_000);

/** The CPU time of the longest task of the page's thread while `act` runs, in ms. */
async function longestTask(act) {
  await browser.startTracing(page, {categories: ['disabled-by-default-devtools.timeline']});
  await act(page);
  // Work of another task may follow.
  await page.waitForTimeout(200);
  await page.locator('#busy').waitFor({state: 'hidden'});
  await page.evaluate(() => new Promise(requestAnimationFrame));
  const {traceEvents} = JSON.parse((await browser.stopTracing()).toString());
  const threads = traceEvents
    .filter(({name, args}) => name === 'thread_name' && args.name === 'CrRendererMain')
    .map(({pid, tid}) => `${pid} ${tid}`);
  const tasks = traceEvents.filter(
    ({name, pid, tid}) => name === 'RunTask' && threads.includes(`${pid} ${tid}`),
  );
  return Math.max(0, ...tasks.map(({tdur = 0}) => tdur / 1000));
}

await page.goto(pathToFileURL(html).href);
await page.waitForSelector('#message[hidden]', {state: 'attached'});
console.log('\n| step | longest task, ms of CPU time |\n|---|---|');
for (const [name, act] of STEPS)
  console.log(`| ${name} | ${(await longestTask(act)).toFixed(0)} |`);
await browser.close();
