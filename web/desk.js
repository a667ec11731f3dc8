// SPDX-License-Identifier: Apache-2.0
// Does long work in slices, between which the page answers. Work that takes long shows that it is
// under way; newer work replaces what is not done yet.

import {PIECE} from './work.js';

/** @template T @typedef {import('./work.js').Work<T>} Work */
/**
 * @typedef {object} Job
 * @property {number} number
 * @property {Work<any>} work
 * @property {(result: any) => void} done
 * @property {(error: unknown) => void} failed
 * @property {number} begin
 */

/** How long work goes on until the page looks for something else to do. */
const SLICE_MS = 40;

/** Work that takes longer shows that it is under way. */
const BUSY_MS = 100;

export class Desk {
  /** @param {(isBusy: boolean) => void} showBusy */
  constructor(showBusy) {
    this.showBusy = showBusy;
    /** @type {Job|null} */
    this.job = null;
    this.jobs = 0;
    // A message comes after input and drawing, and without the delay that timers have.
    this.channel = new MessageChannel();
    this.channel.port1.onmessage = ({data}) => {
      const {job} = this;
      if (job && job.number === data) this.slice(job);
    };
  }

  get isBusy() {
    return this.job !== null;
  }

  /**
   * Work that takes less than a slice is done when this returns.
   * @template T @param {Work<T>} work @param {(result: T) => void} done
   * @param {(error: unknown) => void} failed
   */
  start(work, done, failed) {
    // What replaces unfinished work is as late as that.
    const begin = this.job?.begin ?? performance.now();
    const job = {number: ++this.jobs, work, done, failed, begin};
    this.job = job;
    this.slice(job);
  }

  /** @param {Job} job */
  slice({number, work, done, failed, begin}) {
    try {
      const end = performance.now() + SLICE_MS;
      // Less than a piece is never cut in two, even if something else keeps the machine busy.
      for (let rows = 0; rows < PIECE || performance.now() < end;) {
        const step = work.next();
        if (step.done) {
          this.cancel();
          done(step.value);
          return;
        }
        rows += step.value;
      }
    } catch (error) {
      this.cancel();
      failed(error);
      return;
    }
    if (performance.now() - begin >= BUSY_MS) this.showBusy(true);
    this.channel.port2.postMessage(number);
  }

  cancel() {
    this.job = null;
    this.showBusy(false);
  }
}
