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

/**
 * A canvas that takes keys: screen readers leave them to an application only.
 * @param {string} label @returns {any}
 */
export const pictureCanvas = label =>
  el('canvas', {
    tabIndex: 0,
    role: 'application',
    'aria-label': label,
    'aria-describedby': 'as-table',
  });

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

/**
 * A small square of a colour, of presentation attributes, since the page forbids inline styles.
 * @param {string} color
 */
export function swatch(color) {
  const [square, picture] = ['rect', 'svg'].map(tag =>
    document.createElementNS('http://www.w3.org/2000/svg', tag),
  );
  square.setAttribute('width', '10');
  square.setAttribute('height', '10');
  picture.setAttribute('viewBox', '0 0 10 10');
  picture.setAttribute('fill', color);
  picture.setAttribute('aria-hidden', 'true');
  picture.append(square);
  return picture;
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

/** What in an element can have the focus. @param {Element} parent @returns {HTMLElement[]} */
const focusable = parent =>
  Array.from(
    /** @type {NodeListOf<HTMLElement>} */ (
      parent.querySelectorAll('button, input, select, summary, [tabindex="0"]')
    ),
  ).filter(element => element.getClientRects().length > 0);

/** @param {Element} element */
const nameOf = element => element.getAttribute('aria-label') ?? element.textContent;

/**
 * Calls `change`, which may replace what is in an element. If something in it had the focus,
 * something has it afterwards: what has the same name, or else is in its place, or `fallback`.
 * @param {Element} parent @param {() => void} change @param {() => void} fallback
 */
export function keepFocus(parent, change, fallback) {
  const active = document.activeElement;
  const hadFocus = active !== null && active !== parent && parent.contains(active);
  const place = hadFocus ? focusable(parent).indexOf(/** @type {HTMLElement} */ (active)) : -1;
  change();
  if (!hadFocus || active.isConnected) return;
  const left = focusable(parent);
  const same = left.find(element => nameOf(element) === nameOf(active));
  (same ?? left[Math.min(place, left.length - 1)])?.focus({preventScroll: true});
  if (!parent.contains(document.activeElement)) fallback();
}

/**
 * What of an element a picture in it depends on.
 * @param {HTMLElement} element
 */
export const partInSight = ({clientWidth, clientHeight, scrollTop}) =>
  [clientWidth, clientHeight, scrollTop, devicePixelRatio].join(' ');

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
