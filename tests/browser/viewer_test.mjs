// SPDX-License-Identifier: Apache-2.0
// The viewer in a browser, which all parts share.
import './viewer/accessible.mjs';
import './viewer/address.mjs';
import './viewer/agrees.mjs';
import './viewer/choices.mjs';
import './viewer/difference.mjs';
import './viewer/exports.mjs';
import './viewer/first_sight.mjs';
import './viewer/focus.mjs';
import './viewer/heat.mjs';
import './viewer/history.mjs';
import './viewer/keys.mjs';
import './viewer/live.mjs';
import './viewer/namesakes.mjs';
import './viewer/narrow.mjs';
import './viewer/random.mjs';
import './viewer/recording.mjs';
import './viewer/responsive.mjs';
import './viewer/safety.mjs';
import './viewer/search.mjs';
import './viewer/table.mjs';
import './viewer/threads.mjs';
import './viewer/time.mjs';
import './viewer/transforms.mjs';
import './viewer/units.mjs';
import './viewer/usage.mjs';
import './viewer/views.mjs';
