// SPDX-License-Identifier: Apache-2.0
// The share of a recording that is missing.
import assert from 'node:assert/strict';
import {test} from 'node:test';

import {lostShare} from '../../web/losses.js';

test('what two notes say of one loss counts once', () => {
  const note = (share, repeats) => ({text: '', loss: true, cut_off: false, repeats, share});
  const lost = (...notes) => lostShare({meta: {notes}});
  assert.equal(lost(note(0.25, false), note(0.125, false)), 0.375);
  assert.equal(lost(note(0.25, false), note(0.125, true)), 0.25);
  assert.equal(lost(note(0.25, false), note(0.5, true)), 0.5);
});
