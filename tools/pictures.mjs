// SPDX-License-Identifier: Apache-2.0
// pictures.mjs PAGE DIR: screenshots of the viewer's page, as tools/pictures asks for them.
import {createRequire} from 'node:module';
import {join} from 'node:path';
import {pathToFileURL} from 'node:url';

const {chromium} = createRequire(process.env.NODE_PACKAGES)('playwright-core');
const [, , page, folder] = process.argv;

/** Name of the picture, state of the page, height. */
const PICTURES = [
  ['viewer', '', 560],
  ['viewer-heat', '#view=heat&range=3000000-3700000', 640],
  ['viewer-table', '#view=table', 400],
];

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM,
  // Chromium's sandbox refuses to run as root.
  args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
});
for (const [name, fragment, height] of PICTURES) {
  const context = await browser.newContext({
    viewport: {width: 1100, height},
    reducedMotion: 'reduce',
  });
  const tab = await context.newPage();
  await tab.goto(pathToFileURL(page).href + fragment);
  await tab.waitForSelector('#message[hidden]', {state: 'attached'});
  await tab.evaluate(() => new Promise(done => requestAnimationFrame(() => setTimeout(done))));
  await tab.screenshot({path: join(folder, `${name}.png`)});
  await context.close();
}
await browser.close();
