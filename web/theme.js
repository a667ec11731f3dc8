// SPDX-License-Identifier: Apache-2.0
// Light or dark, and the colours of the page that pictures use. style.css has them.
import {keepChoice, keptChoice} from './choices.js';

/** @typedef {import('./paint.js').Theme} Theme */

/** @param {string|null} theme */
function setTheme(theme) {
  const {dataset} = document.documentElement;
  if (theme === 'light' || theme === 'dark') dataset.theme = theme;
  else delete dataset.theme;
}

export const restoreTheme = () => setTheme(keptChoice('theme'));

/** @returns {Theme} */
function readTheme() {
  const style = getComputedStyle(document.documentElement);
  const color = (/** @type {string} */ name) => style.getPropertyValue(name).trim();
  return {
    ink: color('--ink'),
    paper: color('--paper'),
    faint: color('--faint'),
    ring: color('--ring'),
    dark: style.colorScheme.includes('dark'),
  };
}

/** To read it takes longer than to draw a frame. @type {Theme|null} */
let knownTheme = null;

export const pageTheme = () => (knownTheme ??= readTheme());

/** It has changed. */
export function forgetTheme() {
  knownTheme = null;
}

/** The choice is kept unless it is the system's. */
export function toggleTheme() {
  const theme = pageTheme().dark ? 'light' : 'dark';
  const isDark = matchMedia('(prefers-color-scheme: dark)').matches;
  const chosen = theme === (isDark ? 'dark' : 'light') ? null : theme;
  setTheme(chosen);
  keepChoice('theme', chosen);
}
