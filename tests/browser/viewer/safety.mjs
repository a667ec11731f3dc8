// SPDX-License-Identifier: Apache-2.0
// Hostile names, damaged pages, and what a page may load.
import assert from 'node:assert/strict';
import {writeFileSync} from 'node:fs';
import {before, test} from 'node:test';
import {pathToFileURL} from 'node:url';
import {gunzipSync, gzipSync} from 'node:zlib';

import {file, show} from '../browser.mjs';
import {
  boxes,
  boxNamed,
  click,
  drawn,
  exported,
  exportedFolded,
  lines,
  open,
  pageOf,
  tableRows,
  text,
} from './page.mjs';
import {SAMPLES} from './profiles.mjs';

/** The address of a page with this text. */
function pageWith(source) {
  const path = file('') + '.html';
  writeFileSync(path, source);
  return pathToFileURL(path).href;
}

const LONG = 'long' + 'x'.repeat(60_000);
const HOSTILE = [
  '<script>alert(1)</script>',
  '</script><script>alert(2)</script>',
  '<!--<script>',
  '"><img src=x onerror=alert(3)>',
  "' onclick='alert(4)",
  ']]>&lt&amp&#60<![CDATA[',
  'javascript:alert(5)',
  'a\u2028b\u2029c',
  '${alert(6)}`',
  '__proto__',
  'constructor',
  '\u202eevil\u202c \u2066x',
  '\u05d0\u05d1 <b>',
  '\ud83d\udd25 fire',
  LONG,
];

let hostile;
before(() => {
  const frames = HOSTILE.map((name, i) => ({name, file: HOSTILE[(i + 1) % 14], line: i + 1}));
  const samples = HOSTILE.map((_, i) => [i]);
  const profile = (name, startValue) => ({
    type: 'sampled',
    name,
    unit: 'seconds',
    startValue,
    endValue: startValue + 15,
    samples,
    weights: samples.map(() => 1),
  });
  hostile = pageOf(
    file(
      JSON.stringify({
        $schema: 'https://www.speedscope.app/file-format-schema.json',
        shared: {frames},
        profiles: [profile(HOSTILE[0], 0), profile(HOSTILE[11], 0), profile(HOSTILE[1], 0)],
      }),
    ),
    '--title',
    HOSTILE[1],
  );
});

/** Opens the page of hostile names; nothing in it may have run as a script. */
const withHostileNames = (name, each) =>
  test(`hostile names: ${name}`, async () => {
    const page = await open(hostile.address);
    await each(page);
    assert.equal(page.dialogs, 0);
    assert.deepEqual(page.errors, []);
    assert.equal(await page.locator('script').count(), 1);
    assert.equal(await page.locator('img, [onclick], [onerror], b b, iframe').count(), 0);
  });

test('hostile names: the page has no other scripts', () => {
  const source = hostile.text();
  assert.equal(source.match(/<script/g).length, 2);
  assert.ok(!source.includes('<script>alert'));
});

withHostileNames('the title is text', async page => {
  assert.equal(await text(page, '#title'), HOSTILE[1]);
});

withHostileNames('every view can be shown', async page => {
  const tabs = await page.$$eval('[role=tab]', all => all.map(tab => tab.id));
  const views = ['flame', 'icicle', 'time', 'heat', 'sandwich', 'table', 'source', 'about'];
  assert.deepEqual(
    tabs,
    views.map(name => `tab-${name}`),
  );
  for (const id of tabs) {
    await page.locator(`#${id}`).click();
    await drawn(page);
  }
});

withHostileNames('boxes have them', async page => {
  const names = (await boxes(page)).map(box => box.name);
  for (const name of HOSTILE) {
    const isShown = name === LONG ? n => /^longx{1900,}$/.test(n) : n => n === name;
    assert.ok(names.some(isShown), JSON.stringify(name.slice(0, 50)));
  }
});

withHostileNames('the table has them', async page => {
  await page.locator('#tab-table').click();
  const names = (await tableRows(page)).map(row => row.name);
  assert.deepEqual(names.filter(name => HOSTILE.includes(name)).sort(), [...HOSTILE].sort());
});

withHostileNames('the list of source files has them', async page => {
  await page.locator('#tab-source').click();
  assert.equal(await page.locator('#view option').count(), 14);
});

withHostileNames('the list of threads has them', async page => {
  await page.locator('#filters summary').click();
  await page.waitForSelector('#filters label');
  const labels = await page.$$eval('#filters label', all => all.map(label => label.textContent));
  for (const name of [HOSTILE[0], HOSTILE[11], HOSTILE[1]])
    assert.ok(
      labels.some(label => label.includes(name)),
      name,
    );
});

withHostileNames('crumbs, menus, marks and transforms have them', async page => {
  for (const name of [HOSTILE[1], HOSTILE[3], HOSTILE[11]]) {
    await click(page, name);
    const crumb = await page.locator('#crumbs button').last().textContent();
    assert.ok(crumb.length > 5 && name.includes(crumb.replace(/^\.\.|\.\.$/g, '')), crumb);
    await page.keyboard.press('m');
    assert.equal(await text(page, '.menu-head'), name);
    await page.keyboard.press('k');
    assert.ok((await text(page, '.chip')).includes(name));
    await page.keyboard.press('h');
    await page.keyboard.press('Control+Z');
    await page.keyboard.press('Escape');
  }
});

withHostileNames('an exported SVG has them as text', async page => {
  await page.locator('#search').fill('<script>');
  const svg = (await exported(page, 'SVG')).toString();
  const titles = await page.evaluate(source => {
    const picture = new DOMParser().parseFromString(source, 'image/svg+xml');
    return picture.querySelector('parsererror,script,img,[onerror]')
      ? null
      : Array.from(picture.querySelectorAll('g > title'), t => t.textContent);
  }, svg);
  assert.ok(titles.some(title => title.startsWith(HOSTILE[3] + ' (')));
});

test('the direction marks of a name do not affect the text after it', async () => {
  const page = await open(hostile.address);
  const {x, y} = await boxNamed(page, HOSTILE[11]);
  await page.mouse.move(x, y);
  assert.ok((await text(page, '#details')).startsWith(`\u2068${HOSTILE[11]}\u2069 · `));
});

test('a damaged page reports the damage', async () => {
  const good = pageOf(file(SAMPLES)).text();
  const [, data] = good.match(/id="data">([^<]*)</);
  const bytes = gunzipSync(Buffer.from(data, 'base64'));
  const repacked = change => {
    const copy = Buffer.from(bytes);
    change(copy);
    return good.replace(data, gzipSync(copy).toString('base64'));
  };
  const cases = {
    'the data ends early': good.replace(data, data.slice(0, (data.length / 2) & ~3)),
    'a letter of the data was changed': good.replace(
      data,
      data.slice(0, 300) + (data[300] === 'A' ? 'B' : 'A') + data.slice(301),
    ),
    'the data is not base64': good.replace(data, '!' + data.slice(1)),
    'there is no data': good.replace(data, ''),
    'the data is something else': good.replace(
      data,
      gzipSync('something else that is long enough').toString('base64'),
    ),
    'the data is of another version': repacked(copy => {
      copy[8] = 9;
    }),
    'a number has no end': repacked(copy =>
      copy.fill(0xff, 16 + copy.readUInt32LE(12), 26 + copy.readUInt32LE(12)),
    ),
    'the file ends within the data': good.slice(0, good.indexOf(data) + data.length / 2),
    'the description is broken': repacked(copy => {
      copy[17] = 0;
    }),
  };
  for (const [what, source] of Object.entries(cases)) {
    assert.notEqual(source, good, what);
    const page = await open(pageWith(source));
    assert.match(
      await text(page, '#message'),
      /^This page cannot be shown: .*data.* Download the file again, or recreate it with wick\.$/,
      what,
    );
    assert.ok(await page.locator('#message').isVisible(), what);
    assert.deepEqual(page.errors, [], what);
  }
});

test('a page whose script was changed or cut off reports that something is wrong', async () => {
  const good = pageOf(file(SAMPLES)).text();
  const script = good.match(/<script>([^]*?)<\/script>/)[1];
  for (const source of [
    good.replace(script, () => script + ' '),
    good.slice(0, good.indexOf(script) + script.length / 2),
  ]) {
    const page = await show(pageWith(source));
    assert.ok(await page.locator('#message').isVisible());
    assert.match(await text(page, '#message'), /incomplete or was changed/);
  }
});

test('a browser that cannot decompress the data gets a message', async () => {
  const page = await show('about:blank');
  await page.addInitScript(() => {
    delete window.DecompressionStream;
  });
  await page.goto(pageOf(file(SAMPLES)).address);
  assert.equal(
    await text(page, '#message.failed'),
    'This page cannot be shown in this browser: ' +
      'it cannot decompress gzip, as browsers from 2023 on can',
  );
});

test('a tree that is too large when inverted reports what is left out', async () => {
  const whole = pageOf(file(SAMPLES)).text();
  // With a limit that a small profile reaches; the policy allows only the unchanged script.
  const small = whole
    .replace('MOST_BOXES = 2_000_000', 'MOST_BOXES = 7')
    .replace(/<meta http-equiv="Content-Security-Policy"[^>]*>/, '');
  const page = await open(pageWith(small));
  assert.equal(await page.locator('.loss').count(), 0);
  await page.keyboard.press('i');
  assert.equal(
    await text(page, '#filters .loss'),
    '3 stacks lack their outermost callers: a tree is limited to 7 boxes',
  );
  assert.deepEqual(lines(await exportedFolded(page)), [
    'Reader::next;parse 10',
    'draw;main 10',
    'flush;draw 40',
    'idle 10',
    'read;parse 30',
  ]);
  await page.keyboard.press('Control+Z');
  assert.equal(await page.locator('#filters .loss').count(), 0);
  const complete = await open(pageWith(whole));
  await complete.keyboard.press('i');
  assert.equal(await complete.locator('#filters .loss').count(), 0);
});

test('the page loads nothing and may load nothing', async () => {
  const page = await open(pageOf(file(SAMPLES)).address);
  const requests = [];
  page.on('requestfinished', request => requests.push(request.url()));
  const blocked = await page.evaluate(async () => {
    const violations = [];
    document.addEventListener('securitypolicyviolation', event =>
      violations.push(event.effectiveDirective),
    );
    const script = document.createElement('script');
    script.textContent = 'window.ran = true';
    document.body.append(script);
    const image = document.createElement('img');
    image.src = 'https://example.org/x.png';
    document.body.append(image);
    document.body.setAttribute('onclick', 'window.ran = true');
    document.body.click();
    const fetched = await fetch('https://example.org/').then(
      () => true,
      () => false,
    );
    await new Promise(done => setTimeout(done, 50));
    return {violations, ran: window.ran, fetched};
  });
  assert.equal(blocked.ran, undefined);
  assert.equal(blocked.fetched, false);
  for (const directive of ['script-src-elem', 'img-src', 'script-src-attr', 'connect-src'])
    assert.ok(blocked.violations.includes(directive), `${directive}: ${blocked.violations}`);
  assert.deepEqual(requests, []);
});
