// SPDX-License-Identifier: Apache-2.0
// The viewer's modules by themselves: their types, and how they are joined into one script.
import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {readFileSync, readdirSync} from 'node:fs';
import {createRequire} from 'node:module';
import {test} from 'node:test';

import {madePage} from './made_page.mjs';

const web = new URL('../../web/', import.meta.url);
const modules = readdirSync(web).filter(name => name.endsWith('.js'));
const text = name => readFileSync(new URL(name, web), 'utf8');

const DECLARATION = /^(?:export )?(?:async )?(?:function\*?|class|const|let) (\w+)/gm;
const declaredBy = name => [...text(name).matchAll(DECLARATION)].map(match => match[1]);

test('types are right', () => {
  const compiler = createRequire(process.env.NODE_PACKAGES).resolve('typescript/bin/tsc');
  const done = spawnSync(
    process.execPath,
    [compiler, '-p', new URL('jsconfig.json', web).pathname],
    {encoding: 'utf8'},
  );
  assert.equal(done.stdout, '');
  assert.equal(done.status, 0);
});

test('the page has every module, after those that it imports', () => {
  const script = madePage('a 1\n').match(/<script>(.*?)<\/script>/s)[1];
  const order = [...script.matchAll(DECLARATION)].map(match => match[1]);
  const place = name => order.indexOf(declaredBy(name)[0]);
  for (const name of modules) {
    assert.ok(place(name) >= 0, name);
    for (const [, other] of text(name).matchAll(/^import [^;]* from '\.\/(.*)';/gm))
      assert.ok(place(other) < place(name), `${name} imports ${other}, which comes after it`);
  }
});

test('no two modules declare the same name', () => {
  const names = modules.flatMap(declaredBy);
  const repeated = names.filter((name, i) => names.indexOf(name) !== i);
  assert.deepEqual(repeated, []);
});
