// @ts-check
// The index map: one cell per index (or pod) on a canvas, so that a hundred thousand cells cost no
// more than a picture. Mouse, touch and keyboard reach every cell.

import {by_state, ink_on, kColourings, kNone} from './colours.js';
import {el, panel, replace_changed, say} from './dom.js';
import {clock, count, counted, duration, moment, visible} from './text.js';

/** @typedef {import('./view.js').View} View */

const kLargestCell = 22;
const kMarkedCell = 8;  // from this size on a cell shows its mark
const kTallest = 640;
const kMostMarked = 3000;  // if more have changed at once, all have
const kMarkMilliseconds = 900;

/** @param {View} view */
export function index_map(view) {
  return new IndexMap(view).section;
}

class IndexMap {
  /** @param {View} view */
  constructor(view) {
    this.view = view;
    this.focused = -1;
    /** @type {string[]} how the legend looks */
    this.looks = [];
    this.columns = 1;
    this.size = 1;
    this.gap = 0;
    /** @type {import('./colours.js').Colouring} */
    this.colouring = by_state(view.model, (cell) => view.model.state_of(cell));
    /** @type {HTMLCanvasElement} */
    this.canvas = el('canvas', {
      tabindex: 0, role: 'application', 'aria-roledescription': 'map',
      'aria-label': `Map of ${counted(view.model.cell_count, view.model.noun, view.model.nouns)}. ` +
        'Arrow keys move, Enter opens.',
      mousemove: (event) => this.point_at(event),
      mouseleave: () => this.hint.hidden = true,
      click: (event) => this.open(this.cell_at(event)),
      keydown: (event) => this.press(event),
      focus: () => this.move_to(Math.max(0, this.focused)),
      blur: () => { this.hint.hidden = true; this.draw(); },
    });
    this.hint = el('div', {class: 'hint', hidden: true});
    this.legend = el('div', {class: 'legend', role: 'group', 'aria-label': 'Legend; each entry filters the map'});
    this.select = el('select', {change: () => view.choose({colour: this.select.value, shown: -1})},
      Object.entries(kColourings).map(([key, {name}]) => el('option', {value: key}, name)));
    this.clock = el('output', {class: 'quiet'});
    this.slider = el('input', {
      type: 'range', min: 0, max: 1000, 'aria-label': 'Moment that the map shows',
      input: () => view.choose({time: Number(this.slider.value) >= 1000 ? -1 : Number(this.slider.value)}),
    });
    this.play = el('button', {type: 'button', class: 'plain', click: () => this.replay()}, 'Replay');
    this.section = panel(view.model.indexed ? 'Indexes' : 'Pods', 'map', () => this.data(),
      el('div', {class: 'bar'}, el('label', {}, 'Colour by ', this.select), this.legend),
      el('div', {class: 'map'}, this.canvas, this.hint),
      el('div', {class: 'bar'}, this.play, this.slider, this.clock));
    /** @type {Set<number>} cells that have just changed */
    this.fresh = new Set();
    this.recolour();
    view.follow((what) => {
      if (what.has('data')) {
        this.take_news();
      }
      if (what.has('colour') || what.has('time') || what.has('data') || what.has('theme')) {
        this.recolour();
      } else {
        this.refresh();
      }
    });
    new ResizeObserver(() => this.lay_out()).observe(this.section);
  }

  /** Marks what has changed, for a moment. */
  take_news() {
    const {changed, model} = this.view;
    if (this.laid_out !== model.cell_count) {
      this.lay_out();
    }
    if (changed.size === 0 || changed.size > kMostMarked) {
      return;
    }
    this.fresh = changed;
    setTimeout(() => {
      if (this.fresh === changed) {
        this.fresh = new Set();
        this.draw();
      }
    }, kMarkMilliseconds);
  }

  data() {
    const {names, classes} = this.colouring;
    return {colour: this.view.choice.colour, classes: names, cells: Array.from(classes)};
  }

  recolour() {
    const {model, choice, moment: time} = this.view;
    const way = kColourings[choice.colour] ?? kColourings.state;
    // Only states are known of an earlier moment.
    this.colouring = time === null ? way.make(model) : by_state(model, (cell) => model.state_at(cell, time));
    this.refresh();
  }

  refresh() {
    const {choice, model, moment: time} = this.view;
    this.section.hidden = model.cell_count === 0;
    this.select.value = kColourings[choice.colour] ? choice.colour : 'state';
    this.slider.value = String(choice.time < 0 ? 1000 : choice.time);
    this.clock.textContent = time === null ? '' : `${moment(time)}, ${duration(time - model.first)} after the start`;
    this.count_classes();
    this.draw();
  }

  /** The legend: a button per class that shows only it. */
  count_classes() {
    const {names, colours, classes} = this.colouring;
    const sizes = new Array(names.length).fill(0);
    for (let cell = 0; cell < classes.length; ++cell) {
      if (classes[cell] >= 0 && this.view.has_cell(cell)) {
        ++sizes[classes[cell]];
      }
    }
    const {shown} = this.view.choice;
    const buttons = names.flatMap((name, i) => sizes[i] === 0 && i !== shown ? [] : [el('button', {
      type: 'button', id: `legend-${i}`, 'aria-pressed': String(i === shown), 'data-colour': colours[i],
      click: () => this.view.choose({shown: i === this.view.choice.shown ? -1 : i}),
    }, swatch(colours[i], this.colouring.marks[i]), `${visible(name)} ${count(sizes[i])}`)]);
    this.looks = replace_changed(this.legend, buttons, this.looks);
  }

  lay_out() {
    const {cell_count} = this.view.model;
    this.laid_out = cell_count;
    const width = Math.max(100, this.section.clientWidth - 2 * 16);
    let size = kLargestCell;
    while (size > 1 && Math.ceil(cell_count / Math.floor(width / size)) * size > kTallest) {
      --size;
    }
    // A narrow page may need more height than the largest.
    this.size = Math.max(size, 2);
    this.gap = this.size > 4 ? 1 : 0;
    this.columns = Math.max(1, Math.floor(width / this.size));
    const height = Math.max(1, Math.ceil(cell_count / this.columns)) * this.size;
    this.ratio = devicePixelRatio || 1;
    this.canvas.width = Math.round(width * this.ratio);
    this.canvas.height = Math.round(height * this.ratio);
    this.canvas.style.width = `${width}px`;
    this.canvas.style.height = `${height}px`;
    this.draw();
  }

  draw() {
    const context = this.canvas.getContext('2d');
    if (!context || !this.ratio) {
      return;
    }
    const {classes, colours, marks} = this.colouring;
    const {choice} = this.view;
    const {size, gap, columns} = this;
    context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    context.clearRect(0, 0, this.canvas.width, this.canvas.height);
    // One path per class: the colour changes a dozen times, not once per cell.
    /** @type {Path2D[]} */
    const paths = Array.from({length: colours.length + 1}, () => new Path2D());
    const dimmed = new Path2D();
    for (let cell = 0; cell < classes.length; ++cell) {
      const kind = classes[cell];
      const path = (choice.shown >= 0 && kind !== choice.shown) || !this.view.has_cell(cell) ? dimmed : paths[kind + 1];
      path.rect(cell % columns * size, Math.floor(cell / columns) * size, size - gap, size - gap);
    }
    context.fillStyle = '#8a94a322';
    context.fill(dimmed);
    for (let i = 0; i <= colours.length; ++i) {
      context.fillStyle = i === 0 ? kNone : colours[i - 1];
      context.fill(paths[i]);
    }
    if (size >= kMarkedCell) {
      this.draw_marks(context, marks);
    }
    if (this.fresh.size > 0) {
      context.strokeStyle = getComputedStyle(this.canvas).color;
      context.lineWidth = 1;
      for (const cell of this.fresh) {
        context.strokeRect(cell % columns * size + 0.5, Math.floor(cell / columns) * size + 0.5, size - gap - 1, size - gap - 1);
      }
    }
    for (const [cell, width] of [[choice.cell, 2], [document.activeElement === this.canvas ? this.focused : -1, 3]]) {
      if (cell >= 0 && cell < classes.length) {
        context.strokeStyle = getComputedStyle(this.canvas).color;
        context.lineWidth = width;
        context.strokeRect(cell % columns * size - 0.5, Math.floor(cell / columns) * size - 0.5, size + 1 - gap, size + 1 - gap);
      }
    }
  }

  /**
   * @param {CanvasRenderingContext2D} context
   * @param {string[]} marks
   */
  draw_marks(context, marks) {
    const {classes, colours} = this.colouring;
    const {size, columns} = this;
    const {shown} = this.view.choice;
    const paths = marks.map(() => new Path2D());
    for (let cell = 0; cell < classes.length; ++cell) {
      const kind = classes[cell];
      if (kind >= 0 && marks[kind] !== '' && (shown < 0 || kind === shown) && this.view.has_cell(cell)) {
        add_mark(paths[kind], marks[kind], cell % columns * size, Math.floor(cell / columns) * size, size - 1);
      }
    }
    context.lineWidth = 1.5;
    paths.forEach((path, kind) => {
      context.strokeStyle = ink_on(colours[kind]);
      context.stroke(path);
    });
  }

  /**
   * @param {MouseEvent} event
   * @returns {number}
   */
  cell_at(event) {
    const box = this.canvas.getBoundingClientRect();
    const column = Math.floor((event.clientX - box.left) / this.size);
    const cell = Math.floor((event.clientY - box.top) / this.size) * this.columns + column;
    return column < this.columns && cell >= 0 && cell < this.view.model.cell_count ? cell : -1;
  }

  /** @param {MouseEvent} event */
  point_at(event) {
    const cell = this.cell_at(event);
    this.show_hint(cell);
    this.canvas.style.cursor = cell < 0 ? '' : 'pointer';
  }

  /** @param {number} cell */
  show_hint(cell) {
    this.hint.hidden = cell < 0;
    if (cell < 0) {
      return;
    }
    this.hint.textContent = this.describe(cell);
    const left = cell % this.columns * this.size;
    this.hint.style.left = `${Math.max(0, Math.min(left, this.canvas.clientWidth - this.hint.offsetWidth))}px`;
    this.hint.style.top = `${(Math.floor(cell / this.columns) + 1) * this.size + 6}px`;
  }

  /** @param {number} cell */
  describe(cell) {
    const {model} = this.view;
    const {names, classes} = this.colouring;
    const attempt = model.newest[cell];
    const parts = [
      model.indexed ? `Index ${cell}` : model.page.attempts.pod[cell],
      names[classes[cell]] ?? '',
    ];
    if (attempt >= 0 && this.view.moment === null) {
      parts.push(model.indexed ? counted(model.tries[cell], 'attempt') : '', model.end_of(attempt), model.node_of(attempt));
      const end = model.page.attempts.ended[attempt];
      parts.push(end === null ? '' : `at ${clock(end)}`);
    }
    return visible(parts.filter(Boolean).join(', '));
  }

  /** @param {KeyboardEvent} event */
  press(event) {
    const steps = /** @type {Record<string, number>} */ ({
      ArrowLeft: -1, ArrowRight: 1, ArrowUp: -this.columns, ArrowDown: this.columns, PageUp: -10 * this.columns,
      PageDown: 10 * this.columns, Home: -Infinity, End: Infinity,
    });
    if (event.key === 'Enter' || event.key === ' ') {
      event.preventDefault();
      this.open(this.focused);
    } else if (event.key in steps) {
      event.preventDefault();
      this.move_to(this.focused + steps[event.key]);
    }
  }

  /** @param {number} cell */
  move_to(cell) {
    this.focused = Math.max(0, Math.min(cell, this.view.model.cell_count - 1));
    this.draw();
    this.show_hint(this.focused);
    say(this.describe(this.focused));
  }

  /** @param {number} cell */
  open(cell) {
    if (cell >= 0) {
      this.focused = cell;
      this.view.choose({cell});
    }
  }

  /** From the first attempt to the end, in some six seconds. */
  replay() {
    if (this.replaying) {
      this.replaying = false;
      return;
    }
    this.replaying = true;
    this.play.textContent = 'Stop';
    const began = performance.now();
    const step = () => {
      const place = Math.floor((performance.now() - began) / 6);
      if (!this.replaying || place >= 1000 || !this.canvas.isConnected) {
        this.replaying = false;
        this.play.textContent = 'Replay';
        this.view.choose({time: -1});
        return;
      }
      this.view.choose({time: place});
      requestAnimationFrame(step);
    };
    step();
  }
}

/**
 * @param {Path2D} path
 * @param {string} mark
 * @param {number} x
 * @param {number} y
 * @param {number} size
 */
function add_mark(path, mark, x, y, size) {
  const near = size * 0.3;
  const far = size * 0.7;
  if (mark === 'cross') {
    path.moveTo(x + near, y + near);
    path.lineTo(x + far, y + far);
    path.moveTo(x + far, y + near);
    path.lineTo(x + near, y + far);
  } else if (mark === 'bar') {
    path.moveTo(x + near, y + size / 2);
    path.lineTo(x + far, y + size / 2);
  } else if (mark === 'dot') {
    path.rect(x + size * 0.42, y + size * 0.42, size * 0.16, size * 0.16);
  }
}

/**
 * A class of a legend, as its cells look.
 * @param {string} colour
 * @param {string} mark
 */
export function swatch(colour, mark) {
  const canvas = el('canvas', {class: 'swatch', width: 24, height: 24, 'aria-hidden': true});
  const context = canvas.getContext('2d');
  if (context) {
    context.fillStyle = colour;
    context.fillRect(0, 0, 24, 24);
    const path = new Path2D();
    add_mark(path, mark, 0, 0, 24);
    context.strokeStyle = ink_on(colour);
    context.lineWidth = 3;
    context.stroke(path);
  }
  return canvas;
}
