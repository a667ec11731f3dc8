// SPDX-License-Identifier: Apache-2.0
// Opens the profile that stands in the page. A page that gets its bytes from
// elsewhere calls load() itself.
import {App} from './app.js';
import {DataError, fromBase64, gunzip} from './bytes.js';
import {decode} from './data.js';
import {byId} from './dom.js';

/** Shows the profile in gzipped bytes. @param {Uint8Array} packed @returns {Promise<App>} */
export async function load(packed) {
  const data = decode(await gunzip(packed));
  const app = new App(data);
  byId('message').hidden = true;
  app.start();
  return app;
}

/** @param {unknown} error */
function say(error) {
  const message = byId('message');
  message.hidden = false;
  message.className = 'failed';
  message.textContent =
    error instanceof DataError
      ? `This page cannot be shown: ${error.message}. Get the file again, or write it again with wick.`
      : `This page cannot be shown in this browser: ${error instanceof Error ? error.message : error}`;
}

async function open() {
  try {
    const block = byId('data');
    const packed = fromBase64(block.textContent);
    // Megabytes of text that nobody needs any more.
    block.remove();
    await load(packed);
    performance.mark('wick-shown');
  } catch (error) {
    say(error);
  }
}
// The script stands before the data, so that it can say where a file ends early.
document.addEventListener('DOMContentLoaded', open);
