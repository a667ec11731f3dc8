// SPDX-License-Identifier: Apache-2.0
// The page, the SVG and what d3-flame-graph makes of wick's JSON are the same picture.
import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {test} from 'node:test';

import {file, show} from '../browser.mjs';
import {boxes, open, pageOf, sameBoxes, written} from './page.mjs';
import {SAMPLES, timed} from './profiles.mjs';

/** Names that the palettes treat differently. */
const NAMES = `\
java;org/example/Main.run;Interpreter_[j];do_syscall_64_[k] 30
java;Inlined.part_[i];std::sort 20
node;/app/node_modules/x.js:1;~f lib/a.js:3 12
python;/usr/lib/python3.11/site-packages/numpy.py:a;<built-in method> 9
rust;core::fmt::write;app::run;libfoo\`bar 14
perl;Perl_pp_entersub;main.pl 8
waker;-;--;é漢字😀 7
`;

/** Boxes of an SVG of wick, as layout() gives them, with their colours. */
async function boxesOfSvg(address) {
  const page = await show(address);
  const found = await page.$$eval('#frames g', all =>
    all.map(g => {
      const rect = g.querySelector('rect');
      const share = name => parseFloat(rect.getAttribute(name)) / 100;
      return {
        name: g.querySelector('title').textContent.replace(/ \([^(]*\)$/, ''),
        left: share('x'),
        width: share('width'),
        y: Number(rect.getAttribute('y')),
        color: rect.getAttribute('fill'),
      };
    }),
  );
  const bottom = Math.max(...found.map(box => box.y));
  return found.map(box => ({...box, depth: (bottom - box.y) / 16}));
}

const colorsOf = found => Object.fromEntries(found.map(box => [box.name, box.color]));

for (const options of [
  [],
  ['--colors', 'java'],
  ['--colors', 'js', '--hash'],
  ['--colors', 'rust', '--deterministic'],
  ['--colors', 'mem', '--hash'],
]) {
  test(`boxes and colours are those of the SVG with ${options.join(' ') || 'no options'}`, async () => {
    const input = file(NAMES);
    const svg = await boxesOfSvg(written('.svg', 'flame', '--quiet', ...options, input).address);
    const page = await open(pageOf(input, ...options).address);
    const found = await boxes(page);
    assert.equal(svg.length, 24);
    sameBoxes(found, svg);
    assert.deepEqual(colorsOf(found), colorsOf(svg));
  });
}

test('boxes and colours of kernel and user code are those of the SVG', async () => {
  const input = timed();
  const svg = await boxesOfSvg(
    written('.svg', 'flame', '--quiet', '--colors', 'java', input).address,
  );
  const found = await boxes(await open(pageOf(input, '--colors', 'java').address));
  sameBoxes(found, svg);
  assert.deepEqual(colorsOf(found), colorsOf(svg));
});

const BEFORE = 'main;old 40\nmain;same 50\nmain;grown 10\nmain;grown;deep 5\n';
const AFTER = 'main;fresh 20\nmain;same 50\nmain;grown 35\n';

test('a difference has the boxes and colours of its SVG', async () => {
  const before = file(BEFORE);
  const after = file(AFTER);
  const svg = await boxesOfSvg(
    written('.svg', 'flame', '--quiet', '--diff', before, after).address,
  );
  const page = await open(pageOf(after, '--diff', before).address);
  // Both add up to 105: normalised and absolute are the same.
  const found = await boxes(page);
  sameBoxes(found, svg);
  assert.deepEqual(colorsOf(found), colorsOf(svg));
});

/** The scripts of d3-flame-graph, those that others need first. */
const D3 = [
  'array',
  'color',
  'interpolate',
  'format',
  'time',
  'time-format',
  'scale',
  'ease',
  'timer',
  'selection',
  'dispatch',
  'transition',
  'hierarchy',
];

test("d3-flame-graph draws the frames and values of the SVG from wick's JSON", async () => {
  const require = createRequire(process.env.NODE_PACKAGES);
  const packages = require
    .resolve('playwright-core/package.json')
    .replace(/playwright-core\/package\.json$/, '');
  const input = file(SAMPLES + NAMES);
  const json = written('.json', 'convert', '--quiet', '--to', 'd3', input).text();
  const svg = await show(written('.svg', 'flame', '--quiet', input).address);
  const framesOf = (page, selector) =>
    page.$$eval(selector, all =>
      all.map(g => {
        const rect = g.querySelector('rect');
        return [
          g.querySelector('title').textContent,
          rect.getBoundingClientRect().width,
          rect.getBoundingClientRect().top,
        ];
      }),
    );
  const wanted = await framesOf(svg, '#frames g');

  const page = await show('about:blank');
  await page.setContent('<!doctype html><div id="chart"></div>');
  for (const name of D3)
    await page.addScriptTag({
      content: readFileSync(`${packages}d3-${name}/dist/d3-${name}.min.js`, 'utf8'),
    });
  await page.addScriptTag({
    content: readFileSync(`${packages}d3-flame-graph/dist/d3-flamegraph.umd.min.js`, 'utf8'),
  });
  await page.evaluate(tree => {
    const chart = flamegraph.default().width(960).transitionDuration(0);
    d3.select('#chart').datum(tree).call(chart);
  }, JSON.parse(json));
  await page.waitForSelector('#chart g.frame title', {state: 'attached'});
  const found = await framesOf(page, '#chart g.frame');
  assert.deepEqual(page.errors, []);
  assert.equal(found.length, 31);

  // "name (12.345%, 30 samples)" there, "name (30 samples, 12.35%)" here; the root has its own name in each.
  const plain = (list, pattern, whole) =>
    list.map(([title, width, top]) => {
      const [, name, a, b] = title.match(pattern);
      return {
        name: name.replace(/_\[.\]$/, ''),
        value: Number((whole ? a : b).replace(/,/g, '')),
        width,
        top,
      };
    });
  const here = plain(wanted, /^(.*) \(([\d,]+) samples, ([\d.]+%)\)$/s, true);
  const there = plain(found, /^(.*) \(([\d.]+)%, ([\d.]+) samples\)$/s, false);
  const rows = list => {
    const bottom = Math.max(...list.map(box => box.top));
    const all = list.find(box => box.top === bottom);
    const row = list
      .filter(box => box.top < bottom)
      .map(box => box.top)
      .reduce((least, top) => Math.min(least, bottom - top), Infinity);
    const key = box =>
      JSON.stringify([
        Math.round((bottom - box.top) / row),
        box === all ? 'root' : box.name,
        box.value,
      ]);
    return list
      .map(box => ({key: key(box), share: box.width / all.width}))
      .sort((a, b) => (a.key < b.key ? -1 : 1));
  };
  const [drawnThere, drawnHere] = [rows(there), rows(here)];
  assert.deepEqual(
    drawnThere.map(box => box.key),
    drawnHere.map(box => box.key),
  );
  drawnThere.forEach((box, i) =>
    assert.ok(Math.abs(box.share - drawnHere[i].share) < 0.002, box.key),
  );
});
