// SPDX-License-Identifier: Apache-2.0
// Weight by line of source. The text is there if it was embedded; the weights
// are known wherever the profile knows lines.
import {choice, el} from './dom.js';
import {baseName} from './names.js';
import {amount, percent} from './numbers.js';

/** @typedef {import('./data.js').Data} Data */

/** @param {Data} data */
export const linesKnown = data => data.frameLine.some(line => line > 0);

/** @typedef {{self: Map<number, number>, total: Map<number, number>, selfSum: number}} FileLines */

/**
 * The weight of each line of each file: what was sampled in it, and with what it called.
 * @param {Data} data @param {Float64Array} weights of nodes @returns {Map<number, FileLines>}
 */
export function lineWeights(data, weights) {
  const {nodes, nodeParent, nodeFrame, frameFile, frameLine} = data;
  const total = weights.slice();
  for (let i = nodes - 1; i > 0; --i) total[nodeParent[i]] += total[i];
  /** @type {Map<number, FileLines>} */
  const files = new Map();
  const add = (
    /** @type {Map<number, number>} */ map,
    /** @type {number} */ line,
    /** @type {number} */ w,
  ) => map.set(line, (map.get(line) ?? 0) + w);
  for (let i = 1; i < nodes; ++i) {
    const frame = nodeFrame[i];
    const line = frameLine[frame];
    if (line === 0 || total[i] === 0) continue;
    let file = files.get(frameFile[frame]);
    if (!file)
      files.set(frameFile[frame], (file = {self: new Map(), total: new Map(), selfSum: 0}));
    if (weights[i] > 0) {
      add(file.self, line, weights[i]);
      file.selfSum += weights[i];
    }
    // A line that calls itself counts once.
    let above = nodeParent[i];
    while (
      above > 0 &&
      !(frameFile[nodeFrame[above]] === frameFile[frame] && frameLine[nodeFrame[above]] === line)
    )
      above = nodeParent[above];
    if (above === 0) add(file.total, line, total[i]);
  }
  return files;
}

/** @param {import('./app.js').App} app */
export function sourceView(app) {
  const {data} = app;
  const bar = el('div', {className: 'bar'});
  const body = el('div', {
    className: 'page code',
    tabIndex: 0,
    role: 'region',
    'aria-label': 'Source',
  });
  const element = el('div', {className: 'half'}, bar, body);
  const texts = new Map(data.meta.sources ?? []);
  /** @type {unknown} */
  let shown = null;
  let shownFile = -2;
  let shownLine = -1;
  return {
    element,
    show() {
      if (shown === app.weights && shownFile === app.state.file && shownLine === app.state.line)
        return;
      shown = app.weights;
      const files = lineWeights(data, app.weights.after);
      const order = [...files.keys()].sort(
        (a, b) =>
          /** @type {FileLines} */ (files.get(b)).selfSum -
          /** @type {FileLines} */ (files.get(a)).selfSum,
      );
      let file = app.state.file;
      if (!files.has(file)) {
        file = order.find(f => texts.has(f)) ?? order[0] ?? -1;
        app.state.line = 0;
      }
      shownFile = app.state.file = file;
      shownLine = app.state.line;
      bar.replaceChildren();
      body.replaceChildren();
      if (file < 0) {
        body.append('The samples that are selected know no lines.');
        return;
      }
      let whole = 0;
      for (const w of app.weights.after) whole += w;
      bar.append(
        choice(
          'File',
          order
            .slice(0, 500)
            .map(f => [
              String(f),
              `${baseName(data.strings.at(f))} · ${percent(/** @type {FileLines} */ (files.get(f)).selfSum / (whole || 1))}`,
            ]),
          String(file),
          value => app.set({file: Number(value), line: 0}),
        ),
        el('span', {className: 'quiet', textContent: data.strings.at(file)}),
      );
      const {self, total} = /** @type {FileLines} */ (files.get(file));
      const text = texts.get(file);
      const lines =
        text === undefined ? null : data.strings.at(text).replace(/\n$/, '').split('\n');
      if (app.weights.before)
        bar.append(
          el('span', {
            className: 'quiet',
            textContent: data.isDifference
              ? 'Weights are those after; Side shows those before.'
              : 'Weights are those of the range, not of the one it is compared with.',
          }),
        );
      if (!lines)
        bar.append(
          el('span', {
            className: 'quiet',
            textContent: 'The text is not in this page; wick flame --embed-source puts it in.',
          }),
        );
      const numbers = lines ? lines.map((_, i) => i + 1) : [...total.keys()].sort((a, b) => a - b);
      const rows = numbers.slice(0, 20000).map(line => {
        const s = self.get(line) ?? 0;
        const t = total.get(line) ?? 0;
        return el(
          'tr',
          {className: s > whole * 0.01 ? 'hot' : t > 0 ? 'warm' : '', 'data-line': line},
          el('td', {textContent: s > 0 ? amount(s, app.tree.decimals) : ''}),
          el('td', {textContent: s > 0 ? percent(s / whole) : ''}),
          el('td', {textContent: t > 0 ? percent(t / whole) : ''}),
          el('td', {textContent: String(line), className: 'quiet'}),
          el('td', {textContent: lines ? lines[line - 1] : ''}),
        );
      });
      body.append(
        el(
          'table',
          {},
          el(
            'thead',
            {},
            el(
              'tr',
              {},
              ...['Self', 'Self %', 'Total %', 'Line', 'Source'].map(title =>
                el('th', {textContent: title, scope: 'col'}),
              ),
            ),
          ),
          el('tbody', {}, ...rows),
        ),
      );
      const wanted = body.querySelector(`[data-line="${shownLine}"]`);
      const hottest = [...self].sort((a, b) => b[1] - a[1])[0];
      wanted?.setAttribute('aria-current', 'location');
      (wanted ?? (hottest && body.querySelector(`[data-line="${hottest[0]}"]`)))?.scrollIntoView({
        block: 'center',
      });
      body.scrollLeft = 0;
    },
    remove() {
      element.remove();
    },
  };
}
