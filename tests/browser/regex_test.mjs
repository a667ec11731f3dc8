// SPDX-License-Identifier: Apache-2.0
// Regular expressions of the search that browsers may never finish, and those compared with the
// browser's own.
import assert from 'node:assert/strict';
import {test} from 'node:test';

import {Automaton} from '../../web/automaton.js';
import {hasManyWays, programOf} from '../../web/regex.js';
import {matcher, searchProblem} from '../../web/search.js';

/** Whether an automaton matches. */
const matches = (source, text, flags = 'u') => new Automaton(programOf(source, flags)).test(text);

test('an expression matches anywhere in a text, unless it says where', () => {
  assert.equal(matches('b+c', 'abbcd'), true);
  assert.equal(matches('^b+c', 'abbcd'), false);
  assert.equal(matches('b+c$', 'abbcd'), false);
  assert.equal(matches('^a.*d$', 'abbcd'), true);
  assert.equal(matches('\\bread\\b', 'Reader::read(int)'), true);
  assert.equal(matches('\\bread\\b', 'Reader::reads(int)'), false);
});

test('classes, case and characters are as in the browser', () => {
  assert.equal(matches('[^\\]a]+\\p{Lu}{2}', 'a]xÄÖ'), true);
  assert.equal(matches('STRASSE+', 'strasse', 'iu'), true);
  assert.equal(matches('^..$', '🔥🔥'), true);
  assert.equal(matches('^..$', '🔥', ''), true);
  assert.equal(matches('\\u{1F525}+x*', '🔥'), true);
  assert.equal(matches('a{x}*b{', 'a{x}b{', ''), true);
});

test('repetitions count', () => {
  for (const [source, least, most] of [
    ['^a{3}$', 3, 3],
    ['^a{2,}$', 2, 9],
    ['^a{2,4}?$', 2, 4],
    ['^(a?){3}$', 0, 3],
    ['^(aa)+$', 2, 9],
    ['^a{0}$', 0, 0],
    ['^(a{0}){1000}$', 0, 0],
  ])
    for (let n = 0; n < 9; ++n) {
      const isEven = source !== '^(aa)+$' || n % 2 === 0;
      const wanted = n >= least && n <= most && isEven;
      assert.equal(matches(source, 'a'.repeat(n)), wanted, `${source} ${n}`);
    }
});

for (const source of ['(?=a)b*c*', '(?<!a)b*c*', '(a*)\\1', '(a{500}){500}', '((){999}){999}'])
  test(`${source} has no program`, () => {
    assert.doesNotThrow(() => new RegExp(source, 'u'));
    assert.equal(programOf(source, 'u'), null);
  });

/** Numbers that look random, the same in each run. */
function randomNumbers(seed) {
  let state = seed;
  return most => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * most);
  };
}

const ATOMS = ['a', 'b', '.', '[ab]', '[^a]', '\\w', '\\W', ':', '\\b', '\\B', '^', '$'];
const REPETITIONS = ['*', '+', '?', '*?', '{2}', '{1,}', '{0,2}'];

/** An expression with groups, choices and repetitions. */
function randomExpression(random, depth) {
  const item = () => {
    const isGroup = depth > 0 && random(3) === 0;
    const atom = ATOMS[random(ATOMS.length)];
    const text = isGroup ? `(${randomExpression(random, depth - 1)})` : atom;
    const canRepeat = !/^(?:\\[bB]|\^|\$)$/.test(text);
    return canRepeat && random(2) === 0 ? text + REPETITIONS[random(REPETITIONS.length)] : text;
  };
  const sequence = () => Array.from({length: random(4)}, item).join('');
  return random(3) === 0 ? `${sequence()}|${sequence()}` : sequence();
}

test('random expressions match what the browser says', () => {
  const random = randomNumbers(7);
  let found = 0;
  for (let i = 0; i < 3000; ++i) {
    const source = randomExpression(random, 2);
    const flags = ['u', 'iu', '', 'i'][random(4)];
    const own = new RegExp(source, flags);
    const automaton = new Automaton(programOf(source, flags));
    for (let j = 0; j < 8; ++j) {
      const text = Array.from({length: random(7)}, () => 'abA: '[random(5)]).join('');
      const wanted = own.test(text);
      found += wanted ? 1 : 0;
      const what = `/${source}/${flags} and ${JSON.stringify(text)}`;
      assert.equal(automaton.test(text), wanted, what);
    }
  }
  assert.ok(found > 5000 && found < 23_000, `${found} of 24,000`);
});

test('one repetition is not many ways', () => {
  for (const source of [
    '',
    'read',
    'read.*',
    'std|boost|abseil',
    '^(?!std::).*',
    '(a|b)c',
    '[a|b]+',
  ])
    assert.equal(hasManyWays(source, 'u'), false, source);
  for (const source of ['.*.*=', '(a+)+$', '(a|b)*', 'a?a?a', '(a|a)(a|a)', '(a*)\\1'])
    assert.equal(hasManyWays(source, 'u'), true, source);
});

/** Long names that no expression below matches, although nearly all of each does. */
const random = randomNumbers(3);
const HOSTILE = [
  ...['a', 'a::', 'std::vector<int, ', '(', '_1'].map(part => part.repeat(2000)),
  Array.from({length: 2000}, () => 'ab'[random(2)]).join(''),
];

for (const text of [
  '.*.*.*.*.*.*.*.*=',
  '(a+)+$x',
  '(\\w+\\W*)*;',
  '(a|aa|a:|:)*#',
  `${'a?'.repeat(40)}${'a'.repeat(40)}#`,
  '(.*)(.*)(.*)(.*)[^\\s\\S]',
  '(a|b)*a(a|b){12}#',
  '.*#',
])
  test(`no name takes long with ${text.slice(0, 30)}`, () => {
    const search = matcher({text, regex: true, ignoreCase: true});
    const times = HOSTILE.map(name => {
      const begin = performance.now();
      assert.equal(search(name), false);
      return performance.now() - begin;
    });
    assert.ok(Math.max(...times) < 200, `${times.map(Math.round)} ms`);
  });

for (const [text, problem] of [
  ['(a', 'not a regular expression'],
  ['.*(?<!a)b.*=', 'not searched: too long, or it looks around or back and may take forever'],
  ['(a*)\\1', 'not searched: too long, or it looks around or back and may take forever'],
  ['(.{30}){60}', 'not searched: too long, or it looks around or back and may take forever'],
])
  test(`${text} is ${problem}`, () => {
    const query = {text, regex: true, ignoreCase: false};
    assert.equal(matcher(query), null);
    assert.equal(searchProblem(query), problem);
  });
