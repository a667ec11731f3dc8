// SPDX-License-Identifier: Apache-2.0
// Moving and scaling what a canvas shows.
import {clamp} from './numbers.js';

/** What is visible of a whole that begins at 0. @typedef {[number, number]} Window */

/**
 * Keeps a window within the whole.
 * @param {Window} window @param {number} least its size @param {number} whole @returns {Window}
 */
export function within([from, to], least, whole) {
  const size = Math.min(Math.max(to - from, least), whole);
  const start = clamp(from, whole - size);
  return [start, start + size];
}

/**
 * @param {Window} window @param {number} factor @param {number} at what stays in place, 0 to 1
 * @returns {Window}
 */
export function scaled([from, to], factor, at) {
  const center = from + (to - from) * at;
  return [center - (center - from) * factor, center + (to - center) * factor];
}

/** @param {Window} window @param {number} share of its size @returns {Window} */
export function panned([from, to], share) {
  const by = share * (to - from);
  return [from + by, to + by];
}

/** @param {KeyboardEvent|WheelEvent} event */
export const hasCommandKey = event => event.ctrlKey || event.metaKey || event.altKey;

/** By how much to scale. @param {WheelEvent} event */
export function wheelFactor(event) {
  const pixels = event.deltaY * (event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 16 : 1);
  return Math.exp(Math.max(-1, Math.min(1, pixels / 300)));
}

/** A pointer that moves less than this is clicking. */
const DRAG_PIXELS = 4;

export class Drag {
  /** @param {HTMLElement} element */
  constructor(element) {
    this.element = element;
    this.isPressed = false;
    this.hasMoved = false;
    this.x = 0;
    this.y = 0;
  }

  /** @param {PointerEvent} event */
  press(event) {
    this.isPressed = true;
    this.hasMoved = false;
    this.x = event.clientX;
    this.y = event.clientY;
  }

  /** @param {PointerEvent} event */
  isOn(event) {
    return this.isPressed && (event.buttons & 1) !== 0;
  }

  /**
   * How far the pointer moved since the last call; null: too little for a drag.
   * @param {PointerEvent} event
   */
  step(event) {
    const dx = event.clientX - this.x;
    const dy = event.clientY - this.y;
    if (!this.hasMoved && Math.hypot(dx, dy) < DRAG_PIXELS) return null;
    if (!this.hasMoved) this.element.setPointerCapture(event.pointerId);
    this.hasMoved = true;
    this.x = event.clientX;
    this.y = event.clientY;
    return {dx, dy};
  }

  /** Returns whether it was a drag, not a click. */
  end() {
    const wasDrag = this.isPressed && this.hasMoved;
    this.isPressed = false;
    return wasDrag;
  }
}
