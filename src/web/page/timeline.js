// @ts-check
// Each attempt a bar: waiting, running, and the back-off after it. Zoom with the wheel or the
// buttons, pan by dragging or with the arrow keys.

import {el, panel, say} from './dom.js';
import {clock, counted, duration, visible} from './text.js';

/** @typedef {import('./view.js').View} View */

const kRow = 14;
const kMaxRows = 40;  // on the screen at a time
const kAxis = 22;
const kLabel = 110;
const kShortest = 3;  // pixels of a bar
const kMaxLanes = 64;  // of a node

/**
 * What ran on a node at the same time, one below the other.
 * @param {import('./model.js').Model} model
 * @param {{name: string, attempts: number[], failures: number}} row
 */
function lanes(model, row) {
  const {created, ended} = model.page.attempts;
  const begin_of = (/** @type {number} */ attempt) => created[attempt] ?? 0;
  /** @type {{attempts: number[], free: number}[]} */
  const found = [];
  for (const attempt of [...row.attempts].sort((a, b) => begin_of(a) - begin_of(b))) {
    let lane = found.find(({free}) => free <= begin_of(attempt));
    if (!lane) {
      lane = found.length < kMaxLanes ? {attempts: [], free: 0} : found[kMaxLanes - 1];
      if (found.length < kMaxLanes) {
        found.push(lane);
      }
    }
    lane.attempts.push(attempt);
    lane.free = model.is_active(attempt) ? Infinity : ended[attempt] ?? begin_of(attempt);
  }
  return found.map(({attempts}, place) => ({name: place === 0 ? row.name : '', attempts, failures: row.failures}));
}

/** @param {View} view */
export function timeline(view) {
  return new Timeline(view).section;
}

class Timeline {
  /** @param {View} view */
  constructor(view) {
    this.view = view;
    const {model} = view;
    this.from = model.first;
    this.to = model.last;
    this.whole = [model.first, model.last];  // when it was drawn last
    this.top = 0;
    /** @type {{name: string, attempts: number[], failures: number}[]} */
    this.rows = [];
    /** @type {{x: number, from: number, to: number} | null} */
    this.held = null;
    this.canvas = el('canvas', {
      tabindex: 0, role: 'application', 'aria-roledescription': 'timeline',
      'aria-label': 'Timeline of attempts. Left and right pan, plus and minus zoom, up and down scroll.',
      wheel: (event) => this.turn(event),
      pointerdown: (event) => this.grab(event),
      pointermove: (event) => this.drag(event),
      pointerup: () => { this.held = null; },
      pointerleave: () => { this.hint.hidden = true; },
      keydown: (event) => this.press(event),
      click: (event) => this.pick(event),
    });
    this.hint = el('div', {class: 'hint', hidden: true});
    this.place = el('output', {class: 'quiet'});
    const grouping = el('select', {change: () => view.choose({group: grouping.value})},
      el('option', {value: 'cell'}, model.noun), el('option', {value: 'node'}, 'node'));
    grouping.value = view.choice.group === 'node' ? 'node' : 'cell';
    const button = (/** @type {string} */ text, /** @type {() => void} */ act, /** @type {string} */ title) =>
      el('button', {type: 'button', class: 'plain', click: act, title, 'aria-label': title}, text);
    this.section = panel('Timeline', 'timeline', () => this.data(),
      el('div', {class: 'bar'}, el('label', {}, 'Rows by ', grouping),
        button('−', () => this.zoom(2), 'Zoom out'), button('+', () => this.zoom(0.5), 'Zoom in'),
        button('◀', () => this.pan(-0.25), 'Earlier'), button('▶', () => this.pan(0.25), 'Later'),
        button('▲', () => this.scroll(-kMaxRows / 2), 'Rows above'), button('▼', () => this.scroll(kMaxRows / 2), 'Rows below'),
        button('All', () => this.show_all(), 'Show all of the time'), this.place),
      el('div', {class: 'map'}, this.canvas, this.hint),
      el('p', {class: 'quiet'}, el('span', {class: 'key waits'}), 'waiting ', el('span', {class: 'key runs'}), 'running ', el('span', {class: 'key good'}), 'succeeded ',
        el('span', {class: 'key fails'}), 'failed ', el('span', {class: 'key rests'}), 'back-off'));
    this.collect();
    view.follow((what) => {
      if (what.has('data')) {
        this.take_news();
      } else if (what.has('group') || what.has('cause')) {
        this.top = 0;
        this.collect();
      }
      this.draw();
    });
    new ResizeObserver(() => this.lay_out()).observe(this.section);
  }

  /** A reader who sees all of the time goes on to see all of it. */
  take_news() {
    const {first, last} = this.view.model;
    if (this.from <= this.whole[0] && this.to >= this.whole[1]) {
      this.from = first;
      this.to = last;
    }
    this.whole = [first, last];
    this.collect();
  }

  data() {
    return this.rows.map(({name, attempts}) => ({name, attempts: attempts.map((i) => this.view.model.page.attempts.pod[i])}));
  }

  /** Rows of the attempts that are shown: those with several attempts or failures first. */
  collect() {
    const {model, choice} = this.view;
    /** @type {Map<string|number, number[]>} */
    const rows = new Map();
    for (let i = 0; i < model.attempt_count; ++i) {
      if (this.view.has_cell(model.cell_of(i))) {
        const key = choice.group === 'node' ? model.node_of(i) || 'no node' : model.cell_of(i);
        const row = rows.get(key);
        row ? row.push(i) : rows.set(key, [i]);
      }
    }
    this.rows = [...rows].map(([key, attempts]) => ({
      name: typeof key === 'string' ? key : model.indexed ? `index ${key}` : model.page.attempts.pod[key],
      attempts,
      failures: attempts.filter((i) => model.failed(i)).length,
    }));
    this.rows.sort((a, b) => b.failures - a.failures);
    if (choice.group === 'node') {
      this.rows = this.rows.flatMap((row) => lanes(model, row));
    }
    this.top = Math.max(0, Math.min(this.top, this.rows.length - kMaxRows));
    this.section.hidden = model.attempt_count === 0;
    this.lay_out();
  }

  lay_out() {
    const width = Math.max(200, this.section.clientWidth - 2 * 16);
    const height = kAxis + Math.max(1, Math.min(kMaxRows, this.rows.length)) * kRow;
    this.width = width;
    this.ratio = devicePixelRatio || 1;
    this.canvas.width = Math.round(width * this.ratio);
    this.canvas.height = Math.round(height * this.ratio);
    this.canvas.style.width = `${width}px`;
    this.canvas.style.height = `${height}px`;
    this.draw();
  }

  /** @param {number} time */
  x_of(time) {
    return kLabel + (time - this.from) / (this.to - this.from) * ((this.width ?? 0) - kLabel);
  }

  /** @param {number} x */
  time_at(x) {
    return this.from + (x - kLabel) / ((this.width ?? 1) - kLabel) * (this.to - this.from);
  }

  draw() {
    const context = this.canvas.getContext('2d');
    if (!context || !this.width) {
      return;
    }
    this.style = getComputedStyle(this.canvas);
    context.setTransform(this.ratio ?? 1, 0, 0, this.ratio ?? 1, 0, 0);
    context.clearRect(0, 0, this.canvas.width, this.canvas.height);
    this.draw_axis(context);
    const shown = this.rows.slice(this.top, this.top + kMaxRows);
    shown.forEach((row, place) => this.draw_row(context, row, kAxis + place * kRow));
    const {moment} = this.view;
    if (moment !== null) {
      context.fillStyle = this.style.color;
      context.fillRect(this.x_of(moment), kAxis, 1, this.canvas.height);
    }
    this.place.textContent = this.rows.length > kMaxRows
      ? `rows ${this.top + 1} to ${this.top + shown.length} of ${this.rows.length}, those with most failures first` : '';
  }

  /** @param {CanvasRenderingContext2D} context */
  draw_axis(context) {
    context.font = '11px system-ui, sans-serif';
    context.textBaseline = 'middle';
    context.fillStyle = this.style?.color ?? '#888';
    const span = this.to - this.from;
    const steps = [0.001, 0.01, 0.1, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 21600, 43200, 86400, 172800, 604800];
    const room = ((this.width ?? 0) - kLabel) / 90;
    const step = steps.find((each) => span / each <= room) ?? span;
    for (let time = Math.ceil(this.from / step) * step; time <= this.to; time += step) {
      const x = this.x_of(time);
      context.globalAlpha = 0.15;
      context.fillRect(x, kAxis, 1, this.canvas.height);
      context.globalAlpha = 0.8;
      context.fillText(step < 1 ? `+${duration(time - this.view.model.first)}` : clock(time), x + 3, kAxis / 2);
      context.globalAlpha = 1;
    }
  }

  /**
   * @param {CanvasRenderingContext2D} context
   * @param {{name: string, attempts: number[]}} row
   * @param {number} y
   */
  draw_row(context, row, y) {
    const {model} = this.view;
    const {created, started, ended, phase} = model.page.attempts;
    const colour = (/** @type {string} */ name) => this.style?.getPropertyValue(name) || '#888';
    context.fillStyle = this.style?.color ?? '#888';
    context.fillText(row.name.length > 16 ? row.name.slice(0, 15) + '…' : row.name, 0, y + kRow / 2);
    let rest = null;
    for (const i of row.attempts) {
      const begin = created[i];
      if (begin === null) {
        continue;
      }
      const live = phase[i] === 'R' || phase[i] === 'P';
      const end = live ? model.page.now : ended[i] ?? begin;
      const start = started[i] ?? end;
      if (rest !== null && this.view.choice.group !== 'node') {
        this.bar(context, rest, begin, y + kRow / 2 - 1, 2, colour('--rests'), 0);
      }
      this.bar(context, begin, start, y + 3, kRow - 6, colour('--waits'), 0);
      this.bar(context, start, end, y + 2, kRow - 4, colour(model.failed(i) ? '--fails' : live ? '--runs' : '--good'), kShortest);
      rest = model.failed(i) ? end : null;
    }
  }

  /**
   * @param {CanvasRenderingContext2D} context
   * @param {number} from
   * @param {number} to
   * @param {number} y
   * @param {number} height
   * @param {string} colour
   * @param {number} shortest
   */
  bar(context, from, to, y, height, colour, shortest) {
    const left = Math.max(kLabel, this.x_of(from));
    const right = Math.min(this.width ?? 0, Math.max(this.x_of(to), this.x_of(from) + shortest));
    if (right > left) {
      context.fillStyle = colour;
      context.fillRect(left, y, right - left, height);
    }
  }

  /**
   * The attempt under the pointer, or -1.
   * @param {MouseEvent} event
   */
  attempt_at(event) {
    const box = this.canvas.getBoundingClientRect();
    const row = this.rows[this.top + Math.floor((event.clientY - box.top - kAxis) / kRow)];
    const x = event.clientX - box.left;
    if (!row || x < kLabel) {
      return -1;
    }
    const {model} = this.view;
    const {created, ended, phase} = model.page.attempts;
    return row.attempts.findLast((i) => {
      const begin = created[i] ?? Infinity;
      const end = phase[i] === 'R' || phase[i] === 'P' ? model.page.now : ended[i] ?? begin;
      return this.x_of(begin) - 2 <= x && x <= Math.max(this.x_of(end), this.x_of(begin) + kShortest) + 2;
    }) ?? -1;
  }

  /** @param {PointerEvent} event */
  grab(event) {
    this.held = {x: event.clientX, from: this.from, to: this.to};
    this.dragged = false;
  }

  /** @param {PointerEvent} event */
  drag(event) {
    if (this.held && event.buttons === 1) {
      const moved = event.clientX - this.held.x;
      this.dragged ||= Math.abs(moved) > 3;
      const span = this.held.to - this.held.from;
      this.from = this.held.from - moved / ((this.width ?? 1) - kLabel) * span;
      this.to = this.from + span;
      return this.draw();
    }
    const attempt = this.attempt_at(event);
    this.hint.hidden = attempt < 0;
    if (attempt >= 0) {
      this.hint.textContent = this.describe(attempt);
      const box = this.canvas.getBoundingClientRect();
      this.hint.style.left = `${Math.max(0, Math.min(event.clientX - box.left, box.width - this.hint.offsetWidth))}px`;
      this.hint.style.top = `${event.clientY - box.top + 18}px`;
    }
  }

  /** @param {number} attempt */
  describe(attempt) {
    const {model} = this.view;
    const {index, number, pod, rule, counted: fate} = model.page.attempts;
    const where = index[attempt] === null ? pod[attempt] : `index ${index[attempt]}, attempt ${number[attempt]}`;
    return visible([where, model.end_of(attempt), model.node_of(attempt) && `on ${model.node_of(attempt)}`,
      `ran ${duration(model.duration_of(attempt))}`, rule[attempt] >= 0 && model.rule_name(rule[attempt]),
      fate[attempt] === 'I' && 'ignored'].filter(Boolean).join(', '));
  }

  /** @param {MouseEvent} event */
  pick(event) {
    const attempt = this.dragged ? -1 : this.attempt_at(event);
    if (attempt >= 0) {
      this.view.choose({cell: this.view.model.cell_of(attempt)});
    }
  }

  /** @param {WheelEvent} event */
  turn(event) {
    if (!event.ctrlKey && !event.metaKey && document.activeElement !== this.canvas) {
      return;  // the page scrolls
    }
    event.preventDefault();
    this.zoom(event.deltaY > 0 ? 1.25 : 0.8, this.time_at(event.clientX - this.canvas.getBoundingClientRect().left));
  }

  /**
   * @param {number} factor
   * @param {number} [around]
   */
  zoom(factor, around = (this.from + this.to) / 2) {
    const {first, last} = this.view.model;
    const span = Math.min(Math.max((this.to - this.from) * factor, 0.01), (last - first) * 2);
    const share = (around - this.from) / (this.to - this.from);
    this.from = around - span * share;
    this.to = this.from + span;
    this.draw();
  }

  /** @param {number} share */
  pan(share) {
    const by = (this.to - this.from) * share;
    this.from += by;
    this.to += by;
    this.draw();
  }

  /** @param {number} rows */
  scroll(rows) {
    this.top = Math.max(0, Math.min(this.top + rows, this.rows.length - kMaxRows));
    this.draw();
    say(this.place.textContent || counted(this.rows.length, 'row'));
  }

  show_all() {
    this.from = this.view.model.first;
    this.to = this.view.model.last;
    this.draw();
  }

  /** @param {KeyboardEvent} event */
  press(event) {
    const acts = /** @type {Record<string, () => void>} */ ({
      ArrowLeft: () => this.pan(-0.1), ArrowRight: () => this.pan(0.1), ArrowUp: () => this.scroll(-1),
      ArrowDown: () => this.scroll(1), PageUp: () => this.scroll(-kMaxRows), PageDown: () => this.scroll(kMaxRows),
      '+': () => this.zoom(0.5), '-': () => this.zoom(2), Home: () => this.show_all(),
    });
    if (acts[event.key]) {
      event.preventDefault();
      acts[event.key]();
    }
  }
}
