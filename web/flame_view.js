// SPDX-License-Identifier: Apache-2.0
// The flame graph and the icicle, and the sandwich, which is one of each.
import {FlameCanvas} from './canvas.js';
import {el} from './dom.js';
import {toSvg} from './export.js';
import {cutText, transformed} from './merge.js';
import {percent} from './numbers.js';
import {functionTotals} from './totals.js';
import {buildTree} from './tree.js';

/** @typedef {import('./app.js').App} App */

/** @param {App} app */
export function flameView(app, /** @type {boolean} */ rootAtTop) {
  const canvas = new FlameCanvas(
    app.painter,
    app.hostOf(box => app.zoomTo(box)),
    {
      label: `${rootAtTop ? 'Icicle' : 'Flame graph'}; the table view has the same as text`,
      rootAtTop,
    },
  );
  canvas.host.moved = () => app.windowMoved(canvas);
  return {
    element: canvas.element,
    canvas,
    svg: (/** @type {string} */ title) => toSvg(app.painter, [canvas], title, app.unit),
    show() {
      canvas.show(app.tree, app.state.zoom, app.state.window);
    },
    remove() {
      canvas.remove();
    },
  };
}

/** @param {App} app */
export function sandwichView(app) {
  const make = (/** @type {string} */ label, /** @type {boolean} */ rootAtTop) => {
    /** @type {FlameCanvas} */
    const canvas = new FlameCanvas(
      app.painter,
      app.hostOf(box => {
        if (!canvas.tree) return;
        canvas.show(
          canvas.tree,
          box === canvas.zoomed && box > 0 ? canvas.tree.shape.parent[box] : box,
          null,
        );
        app.set({halves: [callers.zoomed, callees.zoomed]});
      }),
      {label: `${label}; the table view has the functions as text`, rootAtTop},
    );
    return canvas;
  };
  const callers = make('Callers', false);
  const callees = make('Callees', true);
  const list = el('datalist', {id: 'functions'});
  const field = el('input', {
    type: 'text',
    list: 'functions',
    'aria-label': 'Function',
    spellcheck: false,
    onchange: () => {
      const wanted = app.functionNamed(field.value);
      if (wanted >= 0) app.set({func: wanted});
    },
  });
  const shares = el('span', {className: 'quiet', id: 'shares'});
  const note = el('span', {className: 'loss', role: 'status'});
  const element = el(
    'div',
    {className: 'half'},
    el(
      'div',
      {className: 'bar'},
      el('span', {className: 'label', textContent: 'Callers and callees of'}),
      field,
      list,
      shares,
      note,
    ),
    el('div', {className: 'half'}, el('span', {textContent: 'callers ↑'}), callers.element),
    el('div', {className: 'half'}, el('span', {textContent: 'callees ↓'}), callees.element),
  );
  // The root only holds the function, which is the first box.
  const zoomOf = (
    /** @type {FlameCanvas} */ canvas,
    /** @type {import('./tree.js').Tree} */ tree,
  ) => {
    const box = Math.min(app.state.halves?.[canvas === callers ? 0 : 1] ?? 1, tree.shape.count - 1);
    return tree.extent[box] > 0 ? box : Math.min(1, tree.shape.count - 1);
  };
  /** @type {unknown} */
  let shown = null;
  let shownFunction = -1;
  return {
    element,
    canvas: callees,
    canvases: [callers, callees],
    svg: (/** @type {string} */ title) => toSvg(app.painter, [callers, callees], title, app.unit),
    show() {
      const {data, tree} = app;
      if (shown === tree && shownFunction === app.state.func) {
        for (const canvas of [callers, callees]) {
          if (canvas.tree && canvas.zoomed !== zoomOf(canvas, canvas.tree))
            canvas.show(canvas.tree, zoomOf(canvas, canvas.tree), null);
          else canvas.draw();
        }
        return;
      }
      const totals = functionTotals(tree, data.names);
      let f = app.state.func;
      if (f < 0 || f >= data.names || !(totals.total[f] > 0 || totals.beforeTotal?.[f])) {
        f = -1;
        for (const g of totals.functions) if (f < 0 || totals.self[g] > totals.self[f]) f = g;
        app.state.func = f;
        app.state.halves = null;
      }
      shown = tree;
      shownFunction = f;
      if (f < 0) return;
      field.value = data.name(f);
      const share = (/** @type {Float64Array} */ of, /** @type {Float64Array} */ all) =>
        percent(of[f] / (all[0] || 1));
      shares.textContent =
        totals.beforeTotal && tree.beforeTotal
          ? `before ${share(totals.beforeTotal, tree.beforeTotal)}, after ${share(totals.total, tree.total)}`
          : `self ${share(totals.self, tree.total)}, total ${share(totals.total, tree.total)}`;
      list.replaceChildren(
        ...totals.functions
          .sort((a, b) => totals.total[b] - totals.total[a])
          .slice(0, 300)
          .map(g => el('option', {value: data.name(g)})),
      );
      const options = {heavy: true, normalized: !app.state.absolute};
      for (const [canvas, type] of /** @type {[FlameCanvas, 'callers'|'function'][]} */ ([
        [callers, 'callers'],
        [callees, 'function'],
      ])) {
        const shape = transformed(data, app.shape, {type, at: f});
        const part = buildTree(shape, app.weights, options);
        if (type === 'callers') note.textContent = shape.cut > app.shape.cut ? cutText(shape) : '';
        canvas.show(part, zoomOf(canvas, part), null);
      }
    },
    remove() {
      callers.remove();
      callees.remove();
    },
  };
}
