// SPDX-License-Identifier: Apache-2.0
// What the page showed, step by step, and the browser's history of it. Back and Forward of the
// browser and undo() and redo() of the page are the same.
//
// A step is the fragment of an address. Each is an entry of the browser's history as far as
// possible: a document without an address of its own has no history, and browsers limit how often a
// page may add to it. Steps that got no entry share that of the step before. The page can undo them
// all the same.
//
// The browser moves in its history some time after it is asked to. undo() does not wait for it: it
// shows the step, and settle() writes down what happened since when the browser has arrived.

/**
 * @typedef {object} Step
 * @property {string} fragment
 * @property {number} entry of the browser's history: how many of this page are before it
 * @property {string} kind steps of the same kind become one; '': none do
 */

/** How long the browser may take to move, before it is taken to have refused. */
const ARRIVAL_MS = 1000;

/** The browser's current entry. */
const entryNow = () => Number(history.state?.entry ?? 0);

/** How long what is shown must rest before it is written to the address. */
const REMEMBER_MS = 200;

export class PageHistory {
  /**
   * @param {string[]} fragments what undo() shows, and last what is shown now
   * @param {() => string|null} now what is shown; null: it is about to change
   * @param {(fragment: string) => void} show
   */
  constructor(fragments, now, show) {
    this.now = now;
    this.show = show;
    const entry = entryNow();
    /** How many profiles the page has shown before this one. */
    this.profile = 0;
    /** @type {Step[]} */
    this.steps = fragments.map(fragment => ({fragment, entry, kind: ''}));
    this.at = fragments.length - 1;
    /** The current step is to get an entry of its own. */
    this.isNew = false;
    /** The entry that the browser is asked to move to. @type {number|null} */
    this.target = null;
    this.timer = 0;
    this.rememberTimer = 0;
    this.write('replaceState', entry, this.current.fragment);
    window.addEventListener('popstate', () => this.arrive());
  }

  /**
   * Returns whether the browser did it.
   * @param {'pushState'|'replaceState'} method @param {number} entry @param {string} fragment
   */
  write(method, entry, fragment) {
    try {
      const address = fragment ? '#' + fragment : location.pathname + location.search;
      history[method]({entry, profile: this.profile}, '', address);
    } catch {
      return false;
    }
    return entryNow() === entry;
  }

  get current() {
    return this.steps[this.at];
  }

  /** Adds a step. @param {string} fragment @param {string} [kind] */
  push(fragment, kind = '') {
    const {current} = this;
    if (fragment === current.fragment) return;
    if (kind !== '' && kind === current.kind) {
      this.replace(fragment);
      return;
    }
    ++this.at;
    this.steps.splice(this.at, Infinity, {fragment, entry: current.entry, kind});
    this.isNew = true;
    this.settle();
  }

  /** Changes the current step. @param {string} fragment */
  replace(fragment) {
    if (fragment === this.current.fragment) return;
    this.current.fragment = fragment;
    this.settle();
  }

  /** The current step becomes what is shown: moving and scaling are no steps of their own. */
  remember() {
    clearTimeout(this.rememberTimer);
    const fragment = this.now();
    if (fragment !== null) this.replace(fragment);
  }

  rememberSoon() {
    clearTimeout(this.rememberTimer);
    this.rememberTimer = window.setTimeout(() => this.remember(), REMEMBER_MS);
  }

  /** Forgets the steps: they refer to another profile. @param {string} fragment what is shown */
  restart(fragment) {
    ++this.profile;
    this.stayAt(this.current.entry, fragment);
  }

  /** What is shown becomes the only step. @param {number} entry @param {string} fragment */
  stayAt(entry, fragment) {
    this.steps = [{fragment, entry, kind: ''}];
    this.at = 0;
    this.settle();
  }

  undo() {
    this.remember();
    // Steps from before the page was reloaded are known to the browser only.
    if (this.at === 0 && this.current.entry > 0 && this.target === null) history.back();
    else this.go(-1);
  }

  redo() {
    this.remember();
    this.go(1);
  }

  /** @param {1|-1} by */
  go(by) {
    const to = this.steps[this.at + by];
    if (!to) return;
    const distance = to.entry - this.current.entry;
    this.at += by;
    this.isNew = false;
    if (distance !== 0) {
      this.target = to.entry;
      history.go(distance);
      clearTimeout(this.timer);
      this.timer = window.setTimeout(() => this.stay(), ARRIVAL_MS);
    }
    this.show(to.fragment);
    this.settle();
  }

  /** Writes the current step to the browser's history, unless that is moving. */
  settle() {
    if (this.target !== null) return;
    const {current} = this;
    if (this.isNew && this.write('pushState', current.entry + 1, current.fragment)) ++current.entry;
    else this.write('replaceState', current.entry, current.fragment);
    this.isNew = false;
  }

  /** The browser did not move: all steps are where it is. */
  stay() {
    this.target = null;
    for (const step of this.steps) step.entry = entryNow();
    this.settle();
  }

  /** The browser has moved, because it was asked to or by itself. */
  arrive() {
    const entry = entryNow();
    if (this.target !== null) {
      if (entry !== this.target) return;
      clearTimeout(this.timer);
      this.target = null;
      this.settle();
      return;
    }
    const fragment = location.hash.slice(1);
    if (history.state !== null && history.state.profile !== this.profile) {
      this.stayAt(entry, this.current.fragment);
      return;
    }
    if (history.state === null) this.follow(fragment);
    else this.find(entry, fragment);
    this.show(fragment);
  }

  /** The user edited the address. @param {string} fragment */
  follow(fragment) {
    const entry = this.current.entry + 1;
    ++this.at;
    this.steps.splice(this.at, Infinity, {fragment, entry, kind: ''});
    this.write('replaceState', entry, fragment);
  }

  /** The user went back or forward. @param {number} entry @param {string} fragment */
  find(entry, fragment) {
    const {steps} = this;
    /** @type {(matches: (step: Step) => boolean) => number} */
    const last = matches => steps.map(matches).lastIndexOf(true);
    const same = last(step => step.entry === entry && step.fragment === fragment);
    this.at = same >= 0 ? same : last(step => step.entry === entry);
    if (this.at >= 0) return;
    // A step from before the page was reloaded.
    this.at = last(step => step.entry < entry) + 1;
    steps.splice(this.at, 0, {fragment, entry, kind: ''});
  }
}
