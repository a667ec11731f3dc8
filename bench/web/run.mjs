// SPDX-License-Identifier: Apache-2.0
// run.mjs WICK FOLDER [--runs N] [--nodes N] [--no-peers] [--perf-data FILE] [--before PAGE]: opens a
// profile with a tree of a million stack nodes in Chromium, in wick's viewer, d3-flame-graph and
// speedscope, and prints what each takes. Every figure is the best of N runs, so that other work on
// the machine counts for little; FOLDER has the packages and keeps the inputs. PAGE is one of the
// same profile by another wick; the two take turns.
import {execFileSync} from 'node:child_process';
import {existsSync, readFileSync, statSync, writeFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {loadavg} from 'node:os';
import {join, resolve} from 'node:path';
import {parseArgs} from 'node:util';
import {pathToFileURL} from 'node:url';

const {values: options, positionals} = parseArgs({
  allowPositionals: true,
  options: {
    runs: {type: 'string', default: '5'},
    nodes: {type: 'string', default: '1000000'},
    'no-peers': {type: 'boolean'},
    'perf-data': {type: 'string'},
    before: {type: 'string'},
  },
});
const wick = resolve(positionals[0]);
const folder = resolve(positionals[1]);
const {chromium} = createRequire(folder + '/')('playwright-core');
/** Who shows nothing by then shows nothing. */
const LIMIT_MS = 90_000;

// --- inputs

const input = join(folder, `tree-${options.nodes}.speedscope.json`);
const html = join(folder, 'tree.html');
const d3 = join(folder, 'd3.html');
const d3Data = join(folder, 'tree.js');
if (!existsSync(input))
  execFileSync(
    process.execPath,
    [new URL('generate.mjs', import.meta.url).pathname, options.nodes, '600', input],
    {stdio: 'inherit'},
  );
execFileSync(wick, ['flame', '--quiet', input, '-o', html]);

function preparePeers() {
  const json = join(folder, 'tree.json');
  execFileSync(wick, ['convert', '--quiet', '--to', 'd3', input, '-o', json]);
  writeFileSync(d3Data, `window.tree = ${readFileSync(json, 'utf8')};`);
  const script = name => `<script src="node_modules/${name}"></script>`;
  const parts = [
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
  // Frames below a pixel are left out: with all of them it does not draw at all.
  writeFileSync(
    d3,
    `<!doctype html><meta charset="utf-8"><div id="chart"></div>
${parts.map(name => script(`d3-${name}/dist/d3-${name}.min.js`)).join('')}${script('d3-flame-graph/dist/d3-flamegraph.umd.min.js')}<script src="tree.js"></script>
<script>const chart = flamegraph.default().width(innerWidth - 40).minFrameSize(1); d3.select('#chart').datum(tree).call(chart);</script>`,
  );
  // As its command line hands a file to its page.
  writeFileSync(
    join(folder, 'profile.js'),
    `speedscope.loadFileFromBase64("tree.json", "${readFileSync(input).toString('base64')}")`,
  );
}

// --- what is measured; these functions run in the page

/** The time of each frame, in ms, while `step` does something in every one of them. */
const FRAMES = `async (step, count) => {
  const times = [];
  const next = () => new Promise(requestAnimationFrame);
  await next();
  let last = await next();
  for (let i = 0; i < count; ++i) {
    step(i);
    const now = await next();
    times.push(now - last);
    last = now;
  }
  return times;
}`;

const WHEEL = `(canvas, i, count) => {
  const {left, top, width, height} = canvas.getBoundingClientRect();
  const place = {bubbles: true, cancelable: true, clientX: left + width * (0.3 + 0.4 * ((i * 7) % 10) / 10), clientY: top + height / 2};
  const zooms = i < count / 3, back = i >= count * 2 / 3;
  canvas.dispatchEvent(new WheelEvent('wheel', zooms ? {...place, ctrlKey: true, deltaY: -40} : back ? {...place, ctrlKey: true, deltaY: 40} : {...place, deltaX: i % 40 < 20 ? 60 : -60, deltaY: 0}));
}`;

const WICK = {
  ready: `document.getElementById('message')?.hidden === true`,
  canvas: `document.querySelector('#view .stage canvas')`,
  search: `term => { const field = document.getElementById('search'); field.value = term; field.dispatchEvent(new Event('input')); return document.getElementById('matched').textContent; }`,
};
/** The viewer of a page in its first view and in the order of time. */
const viewersOf = (name, page) => {
  const address = pathToFileURL(page).href;
  return {
    [name]: {...WICK, address: () => address},
    [`${name}, in the order of time`]: {...WICK, address: () => `${address}#view=time`},
  };
};
const TOOLS = {
  ...viewersOf('wick', html),
  ...(options.before ? viewersOf('wick before', resolve(options.before)) : {}),
  'd3-flame-graph 5': {
    address: () => pathToFileURL(d3).href,
    ready: `document.querySelector('#chart g.frame') !== null`,
    // It has no wheel: a click zooms, animated.
    step: `(i, count) => { if (i % 40 !== 0) return; const all = document.querySelectorAll('#chart g.frame'); all[i % 80 === 0 ? Math.min(all.length - 1, 12) : 0].dispatchEvent(new MouseEvent('click', {bubbles: true})); }`,
    search: `term => { chart.search(term); return ''; }`,
  },
  'speedscope 1.25': {
    address: () =>
      `${pathToFileURL(join(folder, 'node_modules/speedscope/dist/release/index.html')).href}#localProfilePath=${join(folder, 'profile.js')}`,
    // Its canvas is there from the beginning; those of the flame graph come with the profile.
    ready: `document.querySelectorAll('canvas').length > 1 && /Left Heavy/.test(document.body.innerText)`,
    canvas: `document.elementFromPoint(800, 600)`,
  },
};

const median = list => [...list].sort((a, b) => a - b)[list.length >> 1];

async function measure(browser, tool) {
  const context = await browser.newContext({viewport: {width: 1600, height: 900}});
  const page = await context.newPage();
  page.setDefaultTimeout(LIMIT_MS);
  const result = {};
  try {
    await page.addInitScript(
      `(() => { const look = () => { if (${tool.ready}) requestAnimationFrame(() => { window.firstPicture = performance.now(); }); else requestAnimationFrame(look); }; requestAnimationFrame(look); })()`,
    );
    await page.goto(tool.address(), {waitUntil: 'commit'});
    // A page that is busy answers late or never.
    const limit = new Promise(done => setTimeout(done, LIMIT_MS).unref());
    let over = false;
    limit.then(() => {
      over = true;
    });
    while (!over && result.first === undefined) {
      result.first = await Promise.race([page.evaluate('window.firstPicture'), limit]);
      await new Promise(done => setTimeout(done, 100));
    }
    if (result.first === undefined) return result;
    await page.waitForTimeout(500);
    const session = await context.newCDPSession(page);
    const count = 180;
    const step = tool.step ?? `(i, count) => (${WHEEL})(${tool.canvas}, i, count)`;
    const times = await page.evaluate(`(${FRAMES})(i => (${step})(i, ${count}), ${count})`);
    result.median = median(times);
    result.worst = Math.max(...times);
    for (const term of tool.search ? ['decode', 'lock_5', '^app::.*cache.*9$'] : []) {
      const took = await page
        .evaluate(
          `(async () => { const begin = performance.now(); (${tool.search})(${JSON.stringify(term)}); const done = performance.now() - begin; await new Promise(requestAnimationFrame); return done; })()`,
        )
        .catch(error => {
          result.error = `search: ${error.message.split('\n')[0]}`;
        });
      if (took !== undefined) result.search = Math.max(result.search ?? 0, took);
    }
    await session.send('HeapProfiler.collectGarbage');
    const heap = await session.send('Runtime.getHeapUsage');
    result.heap =
      (heap.usedSize + (heap.backingStorageSize ?? 0) + (heap.embedderHeapUsedSize ?? 0)) / 2 ** 20;
  } catch (error) {
    result.error = error.message.split('\n')[0];
  } finally {
    await context.close();
  }
  return result;
}

const best = (list, key) => {
  const values = list.map(result => result[key]).filter(value => value !== undefined);
  return values.length > 0 ? Math.min(...values) : undefined;
};
const shown = (value, digits = 0) => (value === undefined ? '–' : value.toFixed(digits));

if (!options['no-peers']) preparePeers();
console.log(
  `load ${loadavg()[0].toFixed(1)}; page ${(statSync(html).size / 1e6).toFixed(1)} MB of ${(statSync(input).size / 1e6).toFixed(0)} MB\n`,
);
console.log(
  '| | first picture, s | frame, median ms | frame, worst ms | search, ms | heap, MB |\n|---|---|---|---|---|---|',
);
/** Without waiting for a display: how long a frame takes, not how often one is wanted. */
const launched = () =>
  chromium.launch({
    executablePath: process.env.CHROMIUM,
    args: [
      ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
      '--disable-frame-rate-limit',
      '--disable-gpu-vsync',
    ],
  });

const isPeer = name => !name.startsWith('wick');
const measured = Object.entries(TOOLS)
  .filter(([name]) => !options['no-peers'] || !isPeer(name))
  .map(([name, tool]) => ({name, tool, results: []}));
// They take turns, so that what else the machine does at a time is no one's.
for (let run = 0; run < Number(options.runs); ++run)
  for (const {name, tool, results} of measured) {
    if (isPeer(name) && run > 0) continue;
    const browser = await launched();
    results.push(await measure(browser, tool));
    await browser.close();
  }
for (const {name, results} of measured) {
  const first = best(results, 'first');
  console.log(
    `| ${name} | ${first === undefined ? `none in ${LIMIT_MS / 1000} s` : shown(first / 1000, 2)} | ${shown(best(results, 'median'), 1)} | ${shown(best(results, 'worst'))} | ${shown(best(results, 'search'))} | ${shown(best(results, 'heap'))} |`,
  );
  for (const {error} of results) if (error) console.log(`  ${error}`);
}

if (options['perf-data']) {
  const page = join(folder, 'recording.html');
  execFileSync(wick, ['flame', '--quiet', options['perf-data'], '-o', page]);
  console.log(
    `\nthe page of a perf.data file of ${(statSync(options['perf-data']).size / 1e6).toFixed(0)} MB has ${(statSync(page).size / 1e6).toFixed(2)} MB`,
  );
}
