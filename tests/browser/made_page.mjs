// SPDX-License-Identifier: Apache-2.0
// Pages of the viewer as text, for tests that need no browser.
import {execFileSync} from 'node:child_process';
import {mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';

/** The page that wick writes for `input`, the content of a file. */
export function madePage(input, ...options) {
  const folder = mkdtempSync(join(tmpdir(), 'wick-page-'));
  const [from, to] = ['in', 'out.html'].map(name => join(folder, name));
  try {
    writeFileSync(from, input);
    execFileSync(process.env.WICK, ['flame', '--quiet', '-o', to, ...options, from]);
    return readFileSync(to, 'utf8');
  } finally {
    rmSync(folder, {recursive: true});
  }
}
