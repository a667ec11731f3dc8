// SPDX-License-Identifier: Apache-2.0
// The page, the SVG and d3-flame-graph, which draws wick's JSON, show the same picture.
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
node;wasm-function[3]_[j];[unknown];[libc.so.6+0x12f] 11
java;Inlined.part_[i];std::sort 20
node;/app/node_modules/x.js:1;~f lib/a.js:3 12
python;/usr/lib/python3.11/site-packages/numpy.py:a;<built-in method> 9
rust;core::fmt::write;app::run;libfoo\`bar 14
perl;Perl_pp_entersub;main.pl 8
waker;-;--;é漢字😀 7
`;

/** The boxes of wick's SVG in the form of layout(), with their colours. */
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
  ['--colors', 'hot'],
  ['--colors', 'kind'],
  ['--colors', 'kind', '--deterministic'],
  ['--colors', 'name'],
  ['--colors', 'java'],
  ['--colors', 'js', '--hash'],
  ['--colors', 'rust', '--deterministic'],
  ['--colors', 'mem', '--hash'],
]) {
  const given = options.join(' ') || 'no options';
  test(`boxes and colours are those of the SVG with ${given}`, async () => {
    const input = file(NAMES);
    const svg = await boxesOfSvg(written('.svg', 'flame', '--quiet', ...options, input).address);
    const page = await open(pageOf(input, ...options).address);
    const found = await boxes(page);
    assert.equal(svg.length, 27);
    sameBoxes(found, svg);
    assert.deepEqual(colorsOf(found), colorsOf(svg));
  });
}

test('boxes and colours of kernel and user code are those of the SVG', async () => {
  const input = timed();
  for (const colors of ['java', 'kind', 'module']) {
    const options = ['--quiet', '--colors', colors];
    const svg = await boxesOfSvg(written('.svg', 'flame', ...options, input).address);
    const found = await boxes(await open(pageOf(input, '--colors', colors).address));
    sameBoxes(found, svg);
    assert.deepEqual(colorsOf(found), colorsOf(svg));
  }
});

const BEFORE = 'main;old 40\nmain;same 50\nmain;grown 10\nmain;grown;deep 5\n';
const AFTER = 'main;fresh 20\nmain;same 50\nmain;grown 135\n';

for (const scale of ['normalised', 'absolute'])
  test(`a difference that is ${scale} has the boxes and colours of its SVG`, async () => {
    const before = file(BEFORE);
    const after = file(AFTER);
    const options = ['--diff', before, '--scale', scale];
    const svg = await boxesOfSvg(written('.svg', 'flame', '--quiet', ...options, after).address);
    const page = await open(pageOf(after, ...options).address);
    const found = await boxes(page);
    sameBoxes(found, svg);
    assert.deepEqual(colorsOf(found), colorsOf(svg));
  });

/** The scripts that d3-flame-graph needs, in an order in which each has what it needs. */
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

/** A page in which d3-flame-graph draws a tree. */
async function drawnByD3(tree) {
  const require = createRequire(process.env.NODE_PACKAGES);
  const anchor = 'playwright-core/package.json';
  const packages = require.resolve(anchor).slice(0, -anchor.length);
  const scripts = D3.map(name => `d3-${name}/dist/d3-${name}.min.js`);
  const page = await show('about:blank');
  await page.setContent('<!doctype html><div id="chart"></div>');
  for (const script of [...scripts, 'd3-flame-graph/dist/d3-flamegraph.umd.min.js'])
    await page.addScriptTag({content: readFileSync(packages + script, 'utf8')});
  await page.evaluate(data => {
    const chart = flamegraph.default().width(960).transitionDuration(0);
    d3.select('#chart').datum(data).call(chart);
  }, tree);
  await page.waitForSelector('#chart g.frame title', {state: 'attached'});
  return page;
}

/** Titles and places of the frames of a picture. */
const framesOf = (page, selector) =>
  page.$$eval(selector, all =>
    all.map(g => {
      const {width, top} = g.querySelector('rect').getBoundingClientRect();
      return {title: g.querySelector('title').textContent, width, top};
    }),
  );

/**
 * What can be compared: depth, name and value of each frame as text, and its share of the width.
 * `pattern` finds a frame's name and value in its title.
 */
function comparable(frames, pattern) {
  const bottom = Math.max(...frames.map(({top}) => top));
  const heights = frames.map(({top}) => bottom - top).filter(height => height > 0);
  const row = Math.min(...heights);
  const root = frames.find(({top}) => top === bottom);
  return frames
    .map(({title, width, top}) => {
      const {name, value} = title.match(pattern).groups;
      // The root is named differently.
      const plainName = top === bottom ? 'root' : name.replace(/_\[.\]$/, '');
      const depth = Math.round((bottom - top) / row);
      const key = JSON.stringify([depth, plainName, Number(value.replace(/,/g, ''))]);
      return {key, share: width / root.width};
    })
    .sort((a, b) => (a.key < b.key ? -1 : 1));
}

test("d3-flame-graph draws the frames and values of the SVG from wick's JSON", async () => {
  const input = file(SAMPLES + NAMES);
  const json = written('.json', 'convert', '--quiet', '--to', 'd3', input).text();
  const svg = await show(written('.svg', 'flame', '--quiet', input).address);
  const page = await drawnByD3(JSON.parse(json));
  const frames = await framesOf(page, '#chart g.frame');
  assert.deepEqual(page.errors, []);
  assert.equal(frames.length, 34);

  const there = comparable(frames, /^(?<name>.*) \([\d.]+%, (?<value>[\d.]+) samples\)$/s);
  const here = comparable(
    await framesOf(svg, '#frames g'),
    /^(?<name>.*) \((?<value>[\d,]+) samples, [\d.]+%\)$/s,
  );
  assert.deepEqual(
    there.map(box => box.key),
    here.map(box => box.key),
  );
  there.forEach((box, i) => assert.ok(Math.abs(box.share - here[i].share) < 0.002, box.key));
});
