// SPDX-License-Identifier: Apache-2.0
// Elements. Strings only ever become text: nothing here turns a string into markup.

/**
 * @param {string} tag
 * @param {Record<string, any>} [properties] `aria-…`, `role` and `data-…` are attributes
 * @param {...(Node|string)} children @returns {any}
 */
export function el(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (/^(aria-|data-|role$|for$|list$)/.test(name)) element.setAttribute(name, String(value));
    else /** @type {any} */ (element)[name] = value;
  }
  element.append(...children);
  return element;
}

/** @param {string} id @returns {any} */
export const byId = id => document.getElementById(id);

/** @param {string} text @param {() => void} onclick @param {Record<string, any>} [properties] */
export const button = (text, onclick, properties = {}) =>
  el('button', {type: 'button', textContent: text, onclick, ...properties});

/**
 * A drop-down list.
 * @template {string} T
 * @param {string} label @param {[T, string][]} options value and text @param {T} value
 * @param {(value: T) => void} onchange
 */
export function choice(label, options, value, onchange) {
  const select = el(
    'select',
    {onchange: () => onchange(select.value), 'aria-label': label},
    ...options.map(([v, text]) => el('option', {value: v, textContent: text})),
  );
  select.value = value;
  return select;
}

/** @param {string} name @param {Blob} blob */
export function download(name, blob) {
  const address = URL.createObjectURL(blob);
  el('a', {href: address, download: name}).click();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}

/** @param {string} text */
export async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // The browser may not let a page from disk use the clipboard directly.
    const field = el('textarea', {value: text, className: 'offscreen'});
    document.body.append(field);
    field.select();
    document.execCommand('copy');
    field.remove();
  }
}

/** Calls `each` at most once a frame. @param {() => void} each */
export function oncePerFrame(each) {
  let asked = false;
  return () => {
    if (asked) return;
    asked = true;
    requestAnimationFrame(() => {
      asked = false;
      each();
    });
  };
}
