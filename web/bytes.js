// SPDX-License-Identifier: Apache-2.0
// From the text in the page to bytes and numbers. Nothing is trusted: pages come from others, and
// files get cut off and changed on their way.

/** The data in the page is damaged; the message tells the reader of the page how. */
export class DataError extends Error {}

/** @param {string} text @returns {Uint8Array} */
export function fromBase64(text) {
  const compact = text.trim();
  try {
    // Newer browsers have a faster one built in.
    const native = /** @type {any} */ (Uint8Array).fromBase64;
    if (native) return native.call(Uint8Array, compact);
    const letters = atob(compact);
    const bytes = new Uint8Array(letters.length);
    for (let i = 0; i < bytes.length; ++i) bytes[i] = letters.charCodeAt(i);
    return bytes;
  } catch {
    throw new DataError('its data is not base64');
  }
}

/** Far more than a browser can show; protects from decompression bombs. */
const MAX_PLAIN = 2 ** 30;

/**
 * Unpacks gzip; the browser verifies its checksum.
 * @param {Uint8Array} packed @returns {Promise<Uint8Array>}
 */
export async function gunzip(packed) {
  /** @type {Uint8Array[]} */
  const parts = [];
  let size = 0;
  if (typeof DecompressionStream === 'undefined')
    throw new Error('it cannot decompress gzip, as browsers from 2023 on can');
  try {
    const stream = new DecompressionStream('gzip');
    const writer = stream.writable.getWriter();
    // Errors are reported when the result is read.
    writer.write(/** @type {any} */ (packed)).catch(() => {});
    writer.close().catch(() => {});
    const reader = stream.readable.getReader();
    for (;;) {
      const {done, value} = await reader.read();
      if (done) break;
      parts.push(value);
      size += value.length;
      if (size > MAX_PLAIN) throw new DataError('its data is too large for a page');
    }
  } catch (error) {
    if (error instanceof DataError) throw error;
    throw new DataError('its data is cut off or was changed');
  }
  const plain = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    plain.set(part, at);
    at += part.length;
  }
  return plain;
}

/** A sequence of numbers in LEB128. */
export class Numbers {
  /** @param {Uint8Array} bytes */
  constructor(bytes) {
    this.bytes = bytes;
    this.at = 0;
  }

  /** The next number, exact up to 2^53. @returns {number} */
  next() {
    const bytes = this.bytes;
    let at = this.at;
    let byte = bytes[at++];
    if (byte < 0x80) {
      this.at = at;
      return byte;
    }
    let value = byte & 0x7f;
    let scale = 128;
    for (let i = 0; i < 9; ++i) {
      byte = bytes[at++];
      if (byte === undefined) break;
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) {
        this.at = at;
        return value;
      }
      scale *= 128;
    }
    throw new DataError('a number in its data is malformed');
  }

  /** The next number, which has a sign. @returns {number} */
  nextSigned() {
    const value = this.next();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }

  end() {
    if (this.at !== this.bytes.length)
      throw new DataError('a column of its data has the wrong length');
  }
}
