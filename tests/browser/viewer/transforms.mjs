// SPDX-License-Identifier: Apache-2.0
// Transforms of the tree, and what else can be done with a frame.
import assert from 'node:assert/strict';
import {before, test} from 'node:test';

import {file} from '../browser.mjs';
import {
  boxes,
  boxNamed,
  choose,
  exportedFolded,
  layout,
  lines,
  open,
  pageOf,
  pasted,
  sameBoxes,
} from './page.mjs';
import {SAMPLES, timed} from './profiles.mjs';

const RECURSIVE = `\
main;walk;walk;walk;visit 8
main;walk;visit 4
main;std::vector<int>::at;walk;step;walk;visit 2
main;std::vector<std::pair<a, b> >::at 3
main;operator< 1
`;

let plain, recursive, modules;
before(() => {
  plain = pageOf(file(SAMPLES)).address;
  recursive = pageOf(file(RECURSIVE)).address;
  modules = pageOf(timed()).address;
});

test('transforms stack, and each can be undone', async () => {
  const page = await open(recursive);
  const all = await exportedFolded(page);
  const steps = [
    ['walk', 'Collapse its recursion', 'main;walk;visit 12'],
    ['visit', 'Hide the function', 'main;walk 12'],
    ['operator<', 'Drop stacks', null],
    ['walk', 'Focus on the function', 'walk 14'],
  ];
  const states = [all];
  for (const [name, item, line] of steps) {
    await choose(page, name, item);
    states.push(await exportedFolded(page));
    if (line) assert.ok(lines(states.at(-1)).includes(line), `${item}: ${states.at(-1)}`);
  }
  assert.equal(states[3].includes('operator'), false);
  assert.deepEqual(lines(states[4]), ['walk 14']);
  assert.equal(await page.locator('.chip').count(), 4);
  for (let i = steps.length - 1; i >= 0; --i) {
    await page.keyboard.press('Control+Z');
    assert.equal(await exportedFolded(page), states[i]);
  }
  await page.keyboard.press('Control+Shift+Z');
  await page.keyboard.press('Control+Shift+Z');
  assert.equal(await exportedFolded(page), states[2]);
  await page.getByLabel('Undo the last step').click();
  assert.equal(await exportedFolded(page), states[1]);
});

test('subtree, direct recursion, template arguments, invert', async () => {
  const page = await open(recursive);
  await page.keyboard.press('R');
  assert.deepEqual(
    lines(await exportedFolded(page)),
    lines(
      RECURSIVE.replace('walk;walk;walk;visit 8', 'walk;visit 12').replace(
        'main;walk;visit 4\n',
        '',
      ),
    ),
  );
  await page.keyboard.press('T');
  assert.deepEqual(lines(await exportedFolded(page)), [
    'main;operator< 1',
    'main;std::vector<>::at 3',
    'main;std::vector<>::at;walk;step;walk;visit 2',
    'main;walk;visit 12',
  ]);
  const {x, y} = await boxNamed(page, 'step');
  await page.mouse.move(x, y);
  await page.keyboard.press('F');
  assert.equal(await exportedFolded(page), 'step;walk;visit 2\n');
  await page.keyboard.press('i');
  assert.equal(await exportedFolded(page), 'visit;walk;step 2\n');
  // A click on a step goes back to it.
  await page.locator('.chip').first().click();
  assert.equal(await page.locator('.chip').count(), 1);
  assert.match(await exportedFolded(page), /main;walk;visit 12/);
});

test('inverted stacks are those that wick folds in reverse', async () => {
  const page = await open(plain);
  await page.keyboard.press('i');
  const reversed = SAMPLES.replace(
    /^(.*) /gm,
    (_, stack) => stack.split(';').reverse().join(';') + ' ',
  );
  assert.deepEqual(lines(await exportedFolded(page)), lines(reversed));
  sameBoxes(await boxes(page), layout(reversed));
});

test('a module collapses into one frame', async () => {
  const page = await open(modules);
  await choose(page, 'work', 'Collapse app');
  assert.deepEqual(lines(await exportedFolded(page)), [
    'app;[app] 50000',
    'app;[app];read 50000',
    'tool;main;std::vector<char>::at 20000',
    'worker;[app] 50000',
  ]);
});

test('all frames of a function can be marked', async () => {
  const page = await open(recursive);
  await choose(page, 'visit', 'Mark all its frames');
  const marked = (await boxes(page)).filter(box => box.color === '#1afdff');
  assert.deepEqual([...new Set(marked.map(box => box.name))], ['visit']);
  assert.equal(marked.length, 3);
  await page.locator('.chip').click();
  assert.ok((await boxes(page)).every(box => box.color !== '#1afdff'));
});

test('names and stacks are copied', async () => {
  const page = await open(recursive);
  await choose(page, 'step', 'Copy the name');
  assert.equal(await pasted(page, 'step'), 'step');
  await choose(page, 'step', 'Copy the stack');
  const stack = 'main\nstd::vector<int>::at\nwalk\nstep';
  assert.equal(await pasted(page, stack), stack);
});
