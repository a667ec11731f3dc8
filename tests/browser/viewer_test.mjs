// SPDX-License-Identifier: Apache-2.0
// The viewer in a browser; one browser for all parts.
import './viewer/views.mjs';
import './viewer/doing.mjs';
import './viewer/agrees.mjs';
import './viewer/truth.mjs';
import './viewer/recording.mjs';
