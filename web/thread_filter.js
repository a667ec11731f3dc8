// SPDX-License-Identifier: Apache-2.0
// The list of threads, by process, heaviest first. Of thousands, the first are shown; the others
// can be searched for. The list stays the same element, so it keeps its focus and its position.
import {button, el} from './dom.js';
import {threadWeights} from './filter.js';
import {isolated, threadName} from './names.js';
import {amount, countText, percent} from './numbers.js';
import {hasCapital, matcher} from './search.js';
import {wholeName} from './shares.js';

/** @typedef {import('./app.js').App} App */
/** @typedef {import('./data.js').Data} Data */
/**
 * A line of the list.
 * @typedef {object} ThreadRow
 * @property {string} text
 * @property {number[]} threads
 * @property {number} weight
 * @property {boolean} isInner it is below the row of its process
 */

/** How many rows are shown at first, and by how many more a button shows. */
const ROWS = 200;

/** Threads with samples. @param {Data} data @returns {number[]} */
function usedThreads({meta, samples, sampleThread}) {
  const isUsed = new Uint8Array(meta.threads.length);
  for (let i = 0; i < samples; ++i) isUsed[sampleThread[i]] = 1;
  return Array.from(isUsed.keys()).filter(thread => isUsed[thread] === 1);
}

/** @param {Float64Array} weights @param {number[]} threads */
const sumOfThreads = (weights, threads) => threads.reduce((sum, t) => sum + weights[t], 0);

export class ThreadFilter {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    /** The profile that the list is of. @type {Data|null} */
    this.data = null;
    /** @type {number[]} */
    this.used = [];
    /**
     * The names of processes, which are those of their first threads.
     * @type {Map<number, string>}
     */
    this.leaders = new Map();
    this.limit = ROWS;
    /** What the rows were made from. */
    this.key = '';
    /** @type {{threads: number[], box: HTMLInputElement}[]} */
    this.boxes = [];
    this.summary = el('summary');
    this.field = el('input', {
      type: 'search',
      placeholder: 'filter',
      'aria-label': 'Filter the threads',
      spellcheck: false,
      oninput: () => this.refill(ROWS),
    });
    this.note = el('span', {className: 'quiet', role: 'status'});
    this.rows = el('div');
    const bar = el('div', {className: 'bar'}, this.field, this.note);
    /** @type {HTMLDetailsElement} */
    this.element = el(
      'details',
      {ontoggle: () => this.show()},
      this.summary,
      el('div', {}, bar, this.rows),
    );
  }

  /** Lists the threads of the profile that the page shows. */
  list() {
    const {data} = this.app;
    this.data = data;
    this.key = '';
    this.used = usedThreads(data);
    const leaders = data.meta.threads.filter(([pid, tid]) => pid === tid);
    this.leaders = new Map(leaders.map(([pid, , name]) => [pid, name]));
  }

  show() {
    if (this.data !== this.app.data) this.list();
    const {app, used, element} = this;
    const {threads} = app.state;
    this.summary.textContent = threads
      ? `${amount(threads.length, 0)} of ${countText(used.length, 'thread')}`
      : 'all threads';
    if (!element.open) return;
    const {event, cpu, parts, range, side} = app.state;
    const key = JSON.stringify([event, cpu, parts, range, side, this.field.value, this.limit]);
    if (this.key !== key) {
      this.key = key;
      this.fill();
    }
    const chosen = threads && new Set(threads);
    for (const {threads: its, box} of this.boxes) {
      const count = chosen ? its.filter(t => chosen.has(t)).length : its.length;
      box.checked = count === its.length;
      box.indeterminate = count > 0 && count < its.length;
    }
  }

  /** @param {number} limit of rows */
  refill(limit) {
    this.limit = limit;
    this.show();
  }

  fill() {
    const {app, limit} = this;
    const weights = threadWeights(app.data, app.filter);
    const whole = weights.reduce((a, b) => a + b, 0);
    const rows = this.listed(weights);
    const found = rows[0]?.threads.length ?? 0;
    const shown = rows.slice(0, limit);
    this.boxes = [];
    this.rows.replaceChildren(...shown.map(row => this.rowElement(row, whole)));
    if (rows.length > limit) {
      const more = amount(rows.length - limit, 0);
      this.rows.append(button(`Show more (${more})`, () => this.refill(limit * 4)));
    }
    const when = app.data.isDifference && !app.state.side ? ', after' : '';
    const base = `shares of ${wholeName({...app.filter, threads: null})}${when}`;
    const count = this.field.value === '' ? '' : `${countText(found, 'thread')}; `;
    this.note.textContent = count + base;
  }

  /** What is listed: all, then processes with their threads. @param {Float64Array} weights */
  listed(weights) {
    const {app, field} = this;
    const text = field.value;
    const matches = matcher({text, regex: false, ignoreCase: !hasCapital(text, false)});
    const byWeight = this.used.filter(t => !matches || matches(this.fullName(t)));
    byWeight.sort((a, b) => weights[b] - weights[a] || a - b);
    if (byWeight.length === 0) return [];
    const weight = sumOfThreads(weights, byWeight);
    const name = text === '' ? 'all' : 'all that match';
    /** @type {ThreadRow[]} */
    const rows = [{text: name, threads: byWeight, weight, isInner: false}];
    for (const row of this.processes(byWeight, weights)) {
      const isAlone = row.threads.length === 1;
      if (!isAlone) rows.push(row);
      for (const t of row.threads)
        rows.push({
          text: threadName(app.data, t),
          threads: [t],
          weight: weights[t],
          isInner: !isAlone,
        });
    }
    return rows;
  }

  /** Of a thread and its process. @param {number} thread */
  fullName(thread) {
    const [pid] = this.app.data.meta.threads[thread];
    if (pid < 0) return threadName(this.app.data, thread);
    return `${threadName(this.app.data, thread)} ${this.processName(thread)}`;
  }

  /** @param {number} thread one of its threads */
  processName(thread) {
    const {threads} = this.app.data.meta;
    const pid = threads[thread][0];
    return `process ${pid}: ${isolated(this.leaders.get(pid) ?? threads[thread][2])}`;
  }

  /**
   * Of threads without an id, as in a difference, nobody knows which belong together.
   * @param {number[]} threads @param {Float64Array} weights @returns {ThreadRow[]}
   */
  processes(threads, weights) {
    /** @type {Map<number, number[]>} */
    const found = new Map();
    for (const t of threads) {
      const pid = this.app.data.meta.threads[t][0];
      const id = pid < 0 ? -1 - t : pid;
      const known = found.get(id);
      if (known) known.push(t);
      else found.set(id, [t]);
    }
    return [...found.values()]
      .map(its => ({
        text: this.processName(its[0]),
        threads: its,
        weight: sumOfThreads(weights, its),
        isInner: false,
      }))
      .sort((a, b) => b.weight - a.weight);
  }

  /** @param {ThreadRow} row @param {number} whole */
  rowElement({text, threads, weight, isInner}, whole) {
    const onchange = () => this.toggle(threads, box.checked);
    /** @type {HTMLInputElement} */
    const box = el('input', {type: 'checkbox', onchange, 'aria-label': text});
    this.boxes.push({threads, box});
    const only = button('only', () => this.choose(threads), {'aria-label': `only ${text}`});
    return el(
      'div',
      {className: isInner ? 'thread inner' : 'thread'},
      el('label', {}, box, ` ${text}`),
      el('span', {className: 'quiet', textContent: percent(weight / (whole || 1))}),
      only,
    );
  }

  /** @param {number[]} threads @param {boolean} isWanted */
  toggle(threads, isWanted) {
    const chosen = new Set(this.app.wanted.threads ?? this.used);
    for (const t of threads) isWanted ? chosen.add(t) : chosen.delete(t);
    this.choose([...chosen]);
  }

  /** @param {number[]} threads */
  choose(threads) {
    const isAll = threads.length === this.used.length;
    this.app.set({threads: isAll ? null : [...threads].sort((a, b) => a - b)});
  }
}
