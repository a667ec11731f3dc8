// SPDX-License-Identifier: Apache-2.0
// What a flame graph can do in a browser: zoom, search, keyboard, fluid width.
// Everything it knows is in the document: frames are in preorder, so a frame's
// callees follow it, and positions are percentages of #frames.
(() => {
  'use strict';
  const SVG = 'http://www.w3.org/2000/svg';
  const HTML = 'http://www.w3.org/1999/xhtml';
  const root = document.currentScript.ownerSVGElement;
  const view = root.querySelector('#frames');
  const row = +view.dataset.row;
  const fluid = 'fluid' in view.dataset;
  const inverted = 'inverted' in view.dataset;
  const margin = +view.getAttribute('x');
  const top = +view.getAttribute('y');
  const height = +view.getAttribute('height');
  const full = {width: +root.getAttribute('width'), height: +root.getAttribute('height')};

  // The frames. `parent` and `end` (behind the last frame above or below this one)
  // are numbers of frames.
  const frames = [];
  for (const child of view.children) {
    const g = child.localName === 'a' ? child.firstElementChild : child;
    if (g.localName !== 'g') continue;
    const rect = g.querySelector('rect');
    const title = g.querySelector('title').textContent;
    const cut = title.lastIndexOf(' (');
    frames.push({
      g,
      rect,
      title,
      text: g.querySelector('text'),
      name: cut < 0 ? title : title.slice(0, cut),
      x: parseFloat(rect.getAttribute('x')),
      w: parseFloat(rect.getAttribute('width')),
      y: +rect.getAttribute('y'),
      parent: -1,
      end: 0,
      isFunction: frames.length > 0 && !('thread' in g.dataset),
      hit: false,
    });
  }
  const number = new Map(frames.map((frame, i) => [frame.g, i]));
  const depth = frame => Math.round(Math.abs(frame.y - frames[0].y) / row);
  const open = [];
  frames.forEach((frame, i) => {
    const level = depth(frame);
    while (open.length > level) frames[open.pop()].end = i;
    frame.parent = level === 0 ? -1 : open[level - 1];
    open.push(i);
  });
  while (open.length) frames[open.pop()].end = frames.length;
  view.setAttribute('role', 'tree');
  view.classList.add('live');

  const state = {zoom: 0, search: '', ignoreCase: false};
  let current = 0;

  // Widths of letters, measured once each on a canvas: asking the document would
  // lay it out anew for every label.
  const letters = new Map();
  const pen = document.createElementNS(HTML, 'canvas').getContext?.('2d');
  const label = document.createElementNS(SVG, 'text');
  view.append(label);
  if (pen) {
    const style = getComputedStyle(label);
    pen.font = `${style.fontSize} ${style.fontFamily}`;
  }
  label.remove();
  const width = text => {
    let sum = 0;
    for (const letter of text) {
      let w = letters.get(letter);
      if (w === undefined) {
        w = pen ? pen.measureText(letter).width : +view.dataset.letter;
        letters.set(letter, w);
      }
      sum += w;
    }
    return sum;
  };

  // How many letters of a text are narrower than `room`: the rest of a name of
  // 100 kB is not measured.
  function lettersIn(text, room) {
    let n = 0;
    for (const letter of text) {
      room -= width(letter);
      if (room < 0) break;
      n += letter.length;
    }
    return n;
  }
  const cutRight = view.dataset.cut === 'right';
  function fitted(frame, room) {
    if (room < 1.5 * width('m')) return '';
    const dots = width('..');
    const isCutRight = cutRight || frame.g.dataset.cut === 'right';
    return fittedLabel(
      frame.name,
      (text, hasDots) => lettersIn(text, hasDots ? room - dots : room),
      () => (isCutRight ? null : (frame.parts ??= labelParts(frame.name))),
    );
  }

  function place(frame, x, w, pixels) {
    frame.rect.setAttribute('x', x + '%');
    frame.rect.setAttribute('width', w + '%');
    const shown = fitted(frame, (w / 100) * pixels - 6);
    if (!shown) {
      frame.text?.remove();
      frame.text = null;
      return;
    }
    if (!frame.text) {
      frame.text = document.createElementNS(SVG, 'text');
      frame.text.setAttribute('dx', 3);
      frame.text.setAttribute('y', frame.y + baseline);
      frame.g.append(frame.text);
    }
    frame.text.setAttribute('x', x + '%');
    if (frame.text.textContent !== shown) frame.text.textContent = shown;
  }
  const labelled = frames.find(frame => frame.text);
  const baseline = labelled ? +labelled.text.getAttribute('y') - labelled.y : row * 0.72;

  function draw() {
    const pixels = +view.getAttribute('width');
    const zoomed = frames[state.zoom];
    const above = new Set();
    for (let i = zoomed.parent; i >= 0; i = frames[i].parent) above.add(i);
    frames.forEach((frame, i) => {
      const inside = i >= state.zoom && i < zoomed.end;
      const list = frame.g.classList;
      list.toggle('off', !inside && !above.has(i));
      list.toggle('up', above.has(i));
      if (inside)
        place(frame, ((frame.x - zoomed.x) / zoomed.w) * 100, (frame.w / zoomed.w) * 100, pixels);
      else if (above.has(i)) place(frame, 0, 100, pixels);
    });
    reset.hidden = state.zoom === 0;
  }

  // The panels are HTML inside the picture: buttons and fields that every browser
  // and screen reader knows.
  function panel(id, h) {
    const outer = document.createElementNS(SVG, 'foreignObject');
    outer.setAttribute('height', h);
    const inner = document.createElementNS(HTML, 'div');
    inner.className = 'panel';
    inner.id = id;
    outer.append(inner);
    root.append(outer);
    return [outer, inner];
  }
  function put(parent, tag, properties) {
    const element = Object.assign(document.createElementNS(HTML, tag), properties);
    parent.append(element);
    return element;
  }
  const [toolsBox, tools] = panel('tools', 32);
  tools.setAttribute('role', 'toolbar');
  const matched = put(tools, 'output', {id: 'matched'});
  const reset = put(tools, 'button', {
    id: 'reset',
    type: 'button',
    textContent: 'Reset zoom',
    hidden: true,
  });
  const field = put(tools, 'input', {
    id: 'search',
    type: 'search',
    placeholder: 'regular expression',
    hidden: true,
    spellcheck: false,
    autocomplete: 'off',
  });
  field.setAttribute('aria-label', 'Search by regular expression');
  const button = put(tools, 'button', {
    id: 'find',
    type: 'button',
    textContent: 'Search',
    title: 'Search (Ctrl-F, F3, /)',
  });
  const casing = put(tools, 'button', {
    id: 'case',
    type: 'button',
    textContent: 'Ignore case',
    title: 'Ignore case (Ctrl-I)',
  });
  const [detailsBox, details] = panel('details', full.height - top - height > 28 ? 28 : 24);
  const detail = put(details, 'span', {id: 'detail'});
  detail.setAttribute('aria-live', 'polite');

  const percent = share => (100 * share).toFixed(2) + '%';

  function describe(frame) {
    let text = `${view.dataset.type} ${frame.title}`;
    if (state.zoom > 0) {
      const zoomed = frames[state.zoom];
      if (frame.w <= zoomed.w) text += ` · ${percent(frame.w / zoomed.w)} of the zoomed part`;
    }
    return text;
  }
  const show = frame => {
    detail.textContent = frame ? describe(frame) : '';
  };

  function find() {
    let expression = null;
    field.removeAttribute('aria-invalid');
    if (state.search) {
      try {
        expression = new RegExp(state.search, state.ignoreCase ? 'iu' : 'u');
      } catch {
        try {
          expression = new RegExp(state.search, state.ignoreCase ? 'i' : '');
        } catch {
          field.setAttribute('aria-invalid', true);
        }
      }
    }
    const known = new Map();
    const matches = name => {
      if (!known.has(name)) known.set(name, expression.test(name));
      return known.get(name);
    };
    // A program is often named like a function of it, which is what is meant.
    let isFunction = true;
    const mark = () => {
      let any = false;
      for (const frame of frames) {
        frame.hit = expression !== null && frame.isFunction === isFunction && matches(frame.name);
        frame.g.classList.toggle('hit', frame.hit);
        any ||= frame.hit;
      }
      return any;
    };
    if (!mark()) {
      isFunction = false;
      mark();
    }
    casing.setAttribute('aria-pressed', state.ignoreCase);
    if (!state.search) matched.textContent = '';
    else if (!expression) matched.textContent = 'not a regular expression';
    else matched.textContent = matchedText();
  }

  // The share of the width under frames that match. A caller stands before its
  // callees, so whatever begins left of the last match's end lies within it.
  function share(from, to, whole) {
    let sum = 0;
    for (let i = from; i < to; ++i) {
      if (!frames[i].hit) continue;
      sum += frames[i].w;
      i = frames[i].end - 1;
    }
    return Math.min(sum / whole, 1);
  }
  function matchedText() {
    let text = `Matched: ${percent(share(0, frames.length, frames[0].w))}`;
    const zoomed = frames[state.zoom];
    if (state.zoom > 0) {
      let inside = share(state.zoom, zoomed.end, zoomed.w);
      for (let i = zoomed.parent; i >= 0; i = frames[i].parent) if (frames[i].hit) inside = 1;
      text += ` (${percent(inside)} of the zoomed part)`;
    }
    return text;
  }

  // The state is in the fragment, which is never sent anywhere and can be changed
  // for a file on disk as well.
  function remember() {
    const parts = new URLSearchParams();
    if (state.zoom > 0) parts.set('zoom', state.zoom);
    if (state.search) parts.set('search', state.search);
    if (state.ignoreCase) parts.set('case', 'ignore');
    const fragment = parts.toString();
    try {
      history.replaceState(
        null,
        '',
        fragment ? '#' + fragment : location.pathname + location.search,
      );
    } catch {
      // A document without an address of its own (data:, srcdoc) has no state.
    }
  }
  function recall() {
    const parts = new URLSearchParams(location.hash.slice(1));
    const zoom = Number(parts.get('zoom'));
    state.zoom = Number.isInteger(zoom) && zoom > 0 && zoom < frames.length ? zoom : 0;
    state.search = parts.get('search') ?? '';
    state.ignoreCase = parts.get('case') === 'ignore';
    field.value = state.search;
    field.hidden = !state.search;
    update();
  }
  function update() {
    draw();
    find();
  }

  function zoom(i) {
    state.zoom = i;
    update();
    choose(i, true);
    remember();
  }
  function search(term) {
    state.search = term;
    find();
    remember();
  }
  function ask() {
    field.hidden = false;
    field.focus();
    field.select();
  }
  function dismiss() {
    field.value = '';
    field.hidden = true;
    search('');
  }
  function toggleCase() {
    state.ignoreCase = !state.ignoreCase;
    find();
    remember();
  }

  // One frame at a time takes the focus of the Tab key; arrows move it.
  function choose(i, focus) {
    const before = frames[current].g;
    const g = frames[i].g;
    before.removeAttribute('tabindex');
    current = i;
    g.setAttribute('tabindex', 0);
    g.setAttribute('role', 'treeitem');
    g.setAttribute('aria-level', depth(frames[i]) + 1);
    if (focus) {
      g.focus();
      show(frames[i]);
    }
  }
  const visible = frame => !frame.g.classList.contains('off');
  function callee(i) {
    let best = -1;
    for (let j = i + 1; j < frames[i].end; j = frames[j].end)
      if (visible(frames[j]) && (best < 0 || frames[j].w > frames[best].w)) best = j;
    return best;
  }
  function beside(i, step) {
    for (let j = i + step; j >= 0 && j < frames.length; j += step)
      if (frames[j].y === frames[i].y && visible(frames[j])) return j;
    return -1;
  }
  function move(key) {
    const outward = inverted ? 'ArrowDown' : 'ArrowUp';
    const target =
      key === 'Home'
        ? state.zoom
        : key === 'ArrowLeft'
          ? beside(current, -1)
          : key === 'ArrowRight'
            ? beside(current, 1)
            : key === outward
              ? callee(current)
              : frames[current].parent;
    if (target >= 0) choose(target, true);
  }

  const frameOf = target => {
    const g = target.closest?.('#frames g');
    return g && number.has(g) ? number.get(g) : -1;
  };
  root.addEventListener('click', event => {
    const i = frameOf(event.target);
    if (i < 0) return;
    if (event.target.closest('a') && !event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    zoom(i);
  });
  root.addEventListener('mouseover', event => {
    const i = frameOf(event.target);
    show(i < 0 ? null : frames[i]);
  });
  root.addEventListener('focusin', event => {
    const i = frameOf(event.target);
    if (i < 0) return;
    if (i !== current) choose(i, false);
    show(frames[i]);
  });
  reset.addEventListener('click', () => zoom(0));
  button.addEventListener('click', () => (field.hidden || !field.value ? ask() : dismiss()));
  casing.addEventListener('click', toggleCase);
  field.addEventListener('input', () => search(field.value));
  window.addEventListener('hashchange', recall);

  window.addEventListener('keydown', event => {
    const typing = event.target === field;
    const command = event.ctrlKey || event.metaKey;
    const key = event.key;
    const onFrame = frameOf(event.target) >= 0;
    let taken = true;
    if (key === 'F3' || (command && !event.shiftKey && key.toLowerCase() === 'f')) ask();
    else if (command && !event.shiftKey && key.toLowerCase() === 'i') toggleCase();
    else if (command || event.altKey) taken = false;
    else if (key === 'Escape' && (typing || state.search)) {
      dismiss();
      frames[current].g.focus();
    } else if (typing) taken = key === 'Enter';
    else if (key === 'Escape') zoom(0);
    else if (key === 'Backspace') zoom(Math.max(frames[state.zoom].parent, 0));
    else if (key === '/') ask();
    else if (onFrame && (key === 'Enter' || key === ' ')) zoom(current);
    else if (onFrame && (key.startsWith('Arrow') || key === 'Home')) move(key);
    else taken = false;
    if (taken) event.preventDefault();
  });

  // An <object> or <embed> of a fixed size does not scroll: there, the picture itself moves.
  let moved = 0;
  function scrollTo(y) {
    window.scrollTo(0, y);
    const {innerHeight: size, scrollY} = window;
    const before = moved;
    const most = Math.max(full.height - size, 0);
    moved = fluid && scrollY === 0 ? Math.min(Math.max(y, 0), most) : 0;
    if (moved === before) return false;
    root.setAttribute('viewBox', `0 ${moved} ${root.getAttribute('width')} ${size}`);
    root.setAttribute('height', size);
    root.querySelector('#back').setAttribute('y', moved);
    follow();
    return true;
  }
  function wheel(event) {
    if (event.ctrlKey) return;
    const step = event.deltaMode === 1 ? row : 1;
    if (scrollTo(window.scrollY + moved + event.deltaY * step)) event.preventDefault();
  }

  // The panels stay in the window while a tall picture is scrolled under them.
  function follow() {
    const from = window.scrollY + moved;
    const to = from + window.innerHeight;
    toolsBox.setAttribute('y', Math.max(0, Math.min(from, full.height - 32)));
    const h = +detailsBox.getAttribute('height');
    detailsBox.setAttribute('y', Math.min(top + height, Math.max(to - h, 0)));
  }

  // Where the window is narrow, lines of the footer wrap, which text of SVG does not, and the
  // title ends before the tools.
  const footer = root.querySelector('#footer');
  const footerTop = top + height + +detailsBox.getAttribute('height');
  let notesBox, notes;
  function wrapFooter() {
    [notesBox, notes] = panel('notes', 0);
    notesBox.setAttribute('y', footerTop);
    for (const text of footer.children)
      put(notes, 'p', {textContent: text.textContent, className: text.getAttribute('class') ?? ''});
    footer.replaceChildren(notesBox);
  }
  function resizeFooter(wide) {
    notesBox.setAttribute('width', wide);
    notes.style.height = 'auto';
    const size = notes.offsetHeight;
    notesBox.setAttribute('height', size);
    full.height = footerTop + size;
  }
  const title = root.querySelector('#title');
  const fullTitle = title.textContent;
  function cutTitle(room) {
    title.textContent = fullTitle;
    let letters = Array.from(fullTitle);
    for (let size = title.getComputedTextLength(); size > room && letters.length > 1;) {
      letters = letters.slice(0, Math.min(letters.length - 1, (letters.length * room) / size));
      title.textContent = letters.join('') + '…';
      size = title.getComputedTextLength();
    }
  }
  function resize() {
    const wide = fluid
      ? Math.max(document.documentElement.clientWidth || full.width, 200)
      : full.width;
    for (const box of [toolsBox, detailsBox]) box.setAttribute('width', wide);
    if (fluid) {
      root.setAttribute('width', wide);
      root.removeAttribute('viewBox');
      view.setAttribute('width', wide - 2 * margin);
      resizeFooter(wide);
      root.setAttribute('height', Math.max(full.height, document.documentElement.clientHeight));
    }
    cutTitle(wide - 2 * margin - button.offsetWidth - casing.offsetWidth - 20);
    follow();
  }
  window.addEventListener('scroll', follow, {passive: true});
  window.addEventListener('resize', () => {
    const from = moved;
    moved = 0;
    resize();
    if (from > 0) scrollTo(from);
    draw();
  });
  choose(0, false);
  if (fluid) wrapFooter();
  resize();
  recall();
  // The root of a flame graph is at its foot. A picture within a page does not scroll the page.
  if (root !== document.documentElement) return;
  scrollTo(full.height);
  if (moved > 0) root.addEventListener('wheel', wheel, {passive: false});
  if (inverted) scrollTo(0);
})();
