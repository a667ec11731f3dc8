// SPDX-License-Identifier: Apache-2.0
// Opens the profile in the page. A page that gets its bytes from elsewhere calls load() itself.
import {App} from './app.js';
import {DataError, fromBase64, gunzip} from './bytes.js';
import {decode} from './data.js';
import {byId} from './dom.js';
import {restoreTheme} from './page.js';

/** Shows the profile in gzipped bytes. @param {Uint8Array} packed @returns {Promise<App>} */
export async function load(packed) {
  const data = decode(await gunzip(packed));
  const app = new App(data);
  await app.start();
  return app;
}

/** @param {unknown} error */
function explain(error) {
  if (error instanceof DataError)
    return (
      `This page cannot be shown: ${error.message}. ` +
      'Download the file again, or recreate it with wick.'
    );
  const reason = error instanceof Error ? error.message : error;
  return `This page cannot be shown in this browser: ${reason}`;
}

/** @param {unknown} error */
function showError(error) {
  const message = byId('message');
  message.hidden = false;
  message.className = 'failed';
  message.textContent = explain(error);
}

async function open() {
  try {
    const block = byId('data');
    const packed = fromBase64(block.textContent);
    // Frees megabytes of text.
    block.remove();
    await load(packed);
    performance.mark('wick-shown');
  } catch (error) {
    showError(error);
  }
}
restoreTheme();
// The script comes before the data, so that it runs even if the file is cut off.
document.addEventListener('DOMContentLoaded', open);
