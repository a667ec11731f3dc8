// SPDX-License-Identifier: Apache-2.0
// The list of threads, by process, heaviest first.
import {el} from './dom.js';
import {isolated} from './names.js';

/** @typedef {import('./app.js').App} App */
/** @typedef {import('./data.js').Data} Data */

/** How many threads of a process are listed. */
const MOST_THREADS = 500;

/** Threads with samples, heaviest first. @param {Data} data @returns {number[]} */
function usedThreads(data) {
  const weights = new Map();
  for (let i = 0; i < data.samples; ++i) {
    const thread = data.sampleThread[i];
    weights.set(thread, (weights.get(thread) ?? 0) + data.sampleWeight[i]);
  }
  return [...weights].sort((a, b) => b[1] - a[1]).map(([thread]) => thread);
}

/** @param {Data} data @param {number[]} threads @returns {Map<number, number[]>} threads by pid */
function byProcess(data, threads) {
  /** @type {Map<number, number[]>} */
  const processes = new Map();
  for (const thread of threads) {
    const pid = data.meta.threads[thread][0];
    const known = processes.get(pid);
    if (known) known.push(thread);
    else processes.set(pid, [thread]);
  }
  return processes;
}

/** @param {App} app */
function threadList(app) {
  const {data} = app;
  const all = usedThreads(data);
  const chosen = new Set(app.state.threads ?? all);
  const apply = () =>
    app.set({threads: chosen.size === all.length ? null : [...chosen].sort((a, b) => a - b)});
  const box = (/** @type {number[]} */ threads, /** @type {string} */ text, isInner = false) => {
    const checked = threads.every(t => chosen.has(t));
    const onchange = () => {
      for (const t of threads) input.checked ? chosen.add(t) : chosen.delete(t);
      apply();
    };
    const input = el('input', {type: 'checkbox', checked, onchange, 'aria-label': text});
    return el('label', {className: isInner ? 'inner' : ''}, input, ' ' + text);
  };
  const list = [box(all, 'all')];
  for (const [pid, threads] of byProcess(data, all)) {
    const first = threads.find(t => data.meta.threads[t][1] === pid) ?? threads[0];
    const name = isolated(data.meta.threads[first][2]);
    if (threads.length > 1) list.push(box(threads, `process ${pid}: ${name}`));
    for (const t of threads.slice(0, MOST_THREADS))
      list.push(box([t], app.threadName(t), threads.length > 1));
  }
  return el('div', {}, ...list);
}

/** @param {App} app @param {boolean} open */
export function threadFilter(app, open) {
  const chosen = app.state.threads;
  const all = app.data.meta.threads.length - 1;
  const summary = chosen ? `${chosen.length} of ${all} threads` : 'all threads';
  const details = el('details', {open}, el('summary', {textContent: summary}));
  const fill = () => {
    if (details.children.length === 1) details.append(threadList(app));
  };
  if (open) fill();
  details.addEventListener('toggle', fill);
  return details;
}
