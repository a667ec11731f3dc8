// SPDX-License-Identifier: Apache-2.0
// The modules of the viewer by themselves: their types, and that they can be
// joined into one script.
import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {readFileSync, readdirSync} from 'node:fs';
import {createRequire} from 'node:module';
import {test} from 'node:test';
import {Script} from 'node:vm';

const source = new URL('../../', import.meta.url);
const modules = readdirSync(new URL('web/', source))
  .filter(name => name.endsWith('.js'))
  .map(name => name.slice(0, -3));
const text = name => readFileSync(new URL(`web/${name}.js`, source), 'utf8');
const joined = readFileSync(new URL('CMakeLists.txt', source), 'utf8')
  .match(/set\(viewer_modules ([^)]*)\)/)[1]
  .trim()
  .split(/\s+/);

test('types are right', () => {
  const compiler = createRequire(process.env.NODE_PACKAGES).resolve('typescript/bin/tsc');
  const done = spawnSync(
    process.execPath,
    [compiler, '-p', new URL('web/jsconfig.json', source).pathname],
    {encoding: 'utf8'},
  );
  assert.equal(done.stdout, '');
  assert.equal(done.status, 0);
});

test('every module is joined, behind those that it imports', () => {
  assert.deepEqual([...joined].sort(), [...modules].sort());
  joined.forEach((name, i) => {
    for (const [, other] of text(name).matchAll(/^import [^;]* from '\.\/(.*)\.js';/gm))
      assert.ok(
        joined.slice(0, i).includes(other),
        `${name} imports ${other}, which stands behind it`,
      );
  });
});

test('no two modules declare the same name', () => {
  const all = joined
    .map(name =>
      text(name)
        .replace(/^import [^;]*;/gm, '')
        .replace(/^export /gm, ''),
    )
    .join('\n');
  new Script(`'use strict';(() => {${all}})`);
});
