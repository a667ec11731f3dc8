// SPDX-License-Identifier: Apache-2.0
// Opens the profile in the page. Whatever has a newer one calls load() again.
import {App} from './app.js';
import {DataError, fromBase64, gunzip} from './bytes.js';
import {decode} from './data.js';
import {byId} from './dom.js';
import {restoreTheme} from './theme.js';

/** The page, once it shows a profile. @type {App|null} */
let shown = null;

/** @param {Uint8Array} packed */
const unpack = async packed => decode(await gunzip(packed));

/**
 * Shows the profile in gzipped bytes. A page that shows one already keeps its view: what is chosen
 * is found by name. Throws if the data is damaged, and the page stays as it was.
 * @param {Uint8Array} packed
 * @param {{baseline?: Uint8Array}} [options] the profile that the colours of changes refer to; else
 *   the one that was shown before
 */
export async function load(packed, {baseline} = {}) {
  const data = await unpack(packed);
  const before = baseline && (await unpack(baseline));
  if (shown) {
    await shown.replace(data, before);
    return;
  }
  const app = new App(data);
  await app.start();
  shown = app;
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
// Programs that serve the page give it new profiles.
Object.defineProperty(window, 'wick', {value: Object.freeze({load})});
// The script comes before the data, so that it runs even if the file is cut off.
document.addEventListener('DOMContentLoaded', open);
