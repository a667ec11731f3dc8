// SPDX-License-Identifier: Apache-2.0
// The numbers in the page itself, for random stacks and random steps: tips, table and search.
// tests/browser/random_shares_test.mjs has many more cases, without a browser.
import assert from 'node:assert/strict';
import {test} from 'node:test';

import {file} from '../browser.mjs';
import {
  apply,
  below,
  endingAt,
  numbersIn,
  oneOf,
  percentOf,
  random,
  sameNumbers,
  SEED,
  sum,
  within,
} from '../stack_model.mjs';
import {boxes, open, pageOf, text} from './page.mjs';

const NAMES = ['f', 'g', 'h', 'main', 'read', 'x'];
const PAGES = 3;
const STEPS = ['function', 'hide', 'drop', 'recursion', 'invert'];

function randomStacks(isDifference) {
  const stacks = [];
  for (let i = 0; i < 30; ++i) {
    const names = Array.from({length: 1 + random(5)}, () => oneOf(NAMES));
    const before = isDifference ? random(200) : 0;
    stacks.push({names, before, after: 1 + random(200)});
  }
  // Every name exists, so that its number is its place in the order.
  for (const name of NAMES) stacks.push({names: [name], before: isDifference ? 5 : 0, after: 5});
  return stacks;
}

const folded = (stacks, isDifference) =>
  stacks
    .map(({names, before, after}) => {
      const weights = isDifference ? `${before} ${after}` : after;
      return `${names.join(';')} ${weights}\n`;
    })
    .join('');

/** Random steps: their text in the address, and the stacks after them. */
function randomSteps(stacks) {
  const words = [];
  for (let i = random(3); i > 0; --i) {
    const type = oneOf(STEPS);
    const isNamed = type !== 'invert' && (type !== 'recursion' || random(2) === 0);
    const at = random(NAMES.length);
    words.push(isNamed ? `${type}.${at}` : type);
    stacks = apply(stacks, type, isNamed ? NAMES[at] : undefined);
  }
  return {words, stacks};
}

/** The shares of both sides of a difference, or of a profile. */
const sharesOf = (stacks, whole, isDifference) => {
  const after = percentOf(sum(stacks, 'after'), whole.after);
  return isDifference ? [percentOf(sum(stacks, 'before'), whole.before), after] : [after];
};

/** Whether a tip shows these numbers first. */
const isTipOf = (tip, wanted) =>
  wanted.every((number, i) => Math.abs(numbersIn(tip)[i] - number) <= 0.00501);

async function checkBoxes(page, stacks, whole, isDifference, what) {
  for (const box of await boxes(page)) {
    if (box.name === 'all' || box.width < 8) continue;
    // Pointing does not tell the callers: some place of this name has these numbers.
    const paths = stacks.flatMap(({names}) =>
      names.flatMap((name, i) => (name === box.name ? [names.slice(0, i + 1)] : [])),
    );
    const tip = box.tip.slice(box.tip.search(/before:|total:/));
    const weight = path => (isDifference ? [] : [sum(below(stacks, path), 'after')]);
    const found = paths.some(path =>
      isTipOf(tip, [...weight(path), ...sharesOf(below(stacks, path), whole, isDifference)]),
    );
    assert.ok(found, `${what} ${box.tip}`);
  }
}

/** The cells of the table's rows, by the heading of their column. */
const tableCells = page =>
  page.$$eval('#view table', ([table]) => {
    const titles = [...table.querySelectorAll('th')].map(th =>
      th.textContent.replace(/ [▲▼]$/, ''),
    );
    return [...table.querySelectorAll('tbody tr')].map(row => ({
      name: row.querySelector('button').textContent,
      cells: Object.fromEntries([...row.cells].map((cell, i) => [titles[i], cell.textContent])),
    }));
  });

async function checkTable(page, stacks, whole, isDifference, what) {
  const rows = await tableCells(page);
  assert.equal(rows.length, new Set(stacks.flatMap(({names}) => names)).size, what);
  for (const {name, cells} of rows) {
    const shares = sharesOf(within(stacks, name), whole, isDifference);
    const self = endingAt(
      stacks.map(({names, ...rest}) => ({names: names.slice(-1), ...rest})),
      [name],
    );
    const here = () => `${what} row of ${name}`;
    if (isDifference) {
      const shown = ['Before', 'After', 'Change'].map(title => cells[title]);
      if (shown[0] === 'new' || shown[1] === 'gone') continue;
      sameNumbers(shown.join(' '), [...shares, shares[1] - shares[0]], here);
    } else {
      sameNumbers(cells['Total %'], shares, here);
      sameNumbers(cells['Self %'], [percentOf(sum(self, 'after'), whole.after)], here);
    }
  }
}

for (const isDifference of [false, true])
  test(`a page shows the shares of its ${isDifference ? 'two sides' : 'stacks'}`, async () => {
    for (let i = 0; i < PAGES; ++i) {
      const all = randomStacks(isDifference);
      const whole = {before: sum(all, 'before'), after: sum(all, 'after')};
      const {address} = pageOf(file(folded(all, isDifference)));
      const {words, stacks} = randomSteps(all);
      if (stacks.length === 0) continue;
      const name = oneOf(NAMES);
      const fragment = `#do=${words.join('_')}&search=^${name}$`;
      const what = `SEED=${SEED} ${fragment}`;
      const page = await open(address, {fragment, viewport: {width: 1000, height: 700}});
      const found = within(stacks, name);
      const matched = await text(page, '#matched');
      sameNumbers(matched.replace(/ · .*$/, ''), sharesOf(found, whole, isDifference), () => what);
      await checkBoxes(page, stacks, whole, isDifference, what);
      await page.locator('#search').fill('');
      await page.getByRole('tab', {name: 'Table'}).click();
      await checkTable(page, stacks, whole, isDifference, what);
      assert.deepEqual(page.errors, [], what);
    }
  });
