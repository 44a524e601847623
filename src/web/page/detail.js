// @ts-check
// One index: its attempts in order, each with how it ended and its log; two of them compared.

import {el, panel, save_file} from './dom.js';
import {bytes, count, counted, duration, moment, plain_log, visible} from './text.js';

/** @typedef {import('./view.js').View} View */
/** @typedef {import('./model.js').Model} Model */
/** @typedef {import('./panels.js').Tools} Tools */

const kFollowMilliseconds = 1000;
const kLongestLine = 20_000;  // shown; a download has all of it

/**
 * @param {View} view
 * @param {Tools} tools
 */
export function detail(view, tools) {
  return new Detail(view, tools).section;
}

class Detail {
  /**
   * @param {View} view
   * @param {Tools} tools
   */
  constructor(view, tools) {
    this.view = view;
    this.tools = tools;
    this.cell = -1;
    /** @type {Map<string, LogPane>} by UID of the pod */
    this.panes = new Map();
    this.heading = el('h3', {tabindex: -1});
    this.table = el('div', {class: 'wide'});
    this.logs = el('div', {});
    this.section = panel('Attempts', 'attempts', () => this.data(),
      el('div', {class: 'heading'}, this.heading, el('button', {type: 'button', class: 'plain', click: () => view.choose({cell: -1})}, 'Close')),
      this.table, this.logs);
    this.show();
    view.follow((what) => {
      if (what.has('cell') || what.has('data')) {
        this.show();
      }
      if (what.has('cell') && view.choice.cell >= 0) {
        this.section.scrollIntoView({block: 'nearest'});
        this.heading.focus({preventScroll: true});
      }
    });
  }

  data() {
    const {model, choice} = this.view;
    return choice.cell < 0 ? [] : model.attempts_of(choice.cell).map((attempt) => Object.fromEntries(facts(model, attempt)));
  }

  show() {
    const {model, choice: {cell}} = this.view;
    this.section.hidden = cell < 0 || cell >= model.cell_count;
    if (cell !== this.cell) {
      this.cell = cell;
      this.panes = new Map();
      this.logs.replaceChildren();
    }
    if (this.section.hidden) {
      return;
    }
    const attempts = model.attempts_of(cell);
    this.heading.textContent = model.indexed ? `Index ${cell}: ${counted(attempts.length, 'attempt')}` : visible(model.page.attempts.pod[cell]);
    this.table.replaceChildren(...table_of(model, attempts));
    for (const attempt of attempts) {
      this.show_log(attempt, attempt === attempts[attempts.length - 1]);
    }
  }

  /**
   * @param {number} attempt
   * @param {boolean} open
   */
  show_log(attempt, open) {
    const {model} = this.view;
    const uid = model.page.attempts.uid[attempt];
    const pane = this.panes.get(uid);
    if (pane) {
      pane.update(model, attempt);
      return;
    }
    const made = new LogPane(model, attempt, this.tools, open);
    this.panes.set(uid, made);
    this.logs.prepend(made.element);
  }
}

/**
 * @param {Model} model
 * @param {number[]} attempts
 */
function table_of(model, attempts) {
  if (attempts.length === 0) {
    return [el('p', {class: 'quiet'}, 'No attempt is known.')];
  }
  const rows = attempts.map((attempt) => facts(model, attempt));
  const table = el('table', {class: 'facts'}, el('tbody', {}, rows[0].map(([name], place) => {
    const cells = rows.map((row) => row[place][1]);
    const differs = cells.some((text) => text !== cells[0]);
    return el('tr', {class: differs && 'differs'}, el('th', {scope: 'row'}, name), cells.map((text) => el('td', {}, text)));
  })));
  return rows.length > 1 ? [table, el('p', {class: 'quiet'}, 'Rows in which the attempts differ are marked.')] : [table];
}

/**
 * @param {Model} model
 * @param {number} attempt
 * @returns {[string, string][]}
 */
function facts(model, attempt) {
  const {number, pod, created, started, ended, memory, cpu, rule, counted: fate, cause} = model.page.attempts;
  const peak = memory[attempt];
  const seconds = cpu[attempt];
  const words = {S: 'succeeded', F: 'failed', I: 'ignored by a rule', N: 'removed by the Job', '-': 'not yet'};
  return [
    ['attempt', count(number[attempt])], ['pod', visible(pod[attempt])], ['node', visible(model.node_of(attempt)) || 'none'],
    ['end', visible(model.end_of(attempt))],
    ['counted as', words[/** @type {keyof typeof words} */ (fate[attempt])] ?? ''], ['rule', visible(model.rule_name(rule[attempt]))],
    ['cause', visible(model.page.causes[cause[attempt]]?.title ?? '')],
    ['created', moment(created[attempt])], ['waited', duration(started[attempt] === null || created[attempt] === null ? null : started[attempt] - created[attempt])],
    ['ran', duration(model.duration_of(attempt))], ['ended', moment(ended[attempt])],
    ['peak memory', bytes(peak)], ['processor time', duration(seconds)],
  ];
}

/** The log of one attempt; of one that runs, as it grows. */
class LogPane {
  /**
   * @param {Model} model
   * @param {number} attempt
   * @param {Tools} tools
   * @param {boolean} open
   */
  constructor(model, attempt, tools, open) {
    this.tools = tools;
    this.log = '';
    this.container = '';
    this.loaded = false;
    this.name = {place: attempt, uid: '', pod: '', container: ''};
    this.update(model, attempt);
    const {number, pod} = model.page.attempts;
    this.text = el('pre', {class: 'log', tabindex: 0, 'aria-label': `Log of attempt ${number[attempt]}`}, 'Loading.');
    this.search = el('input', {type: 'search', placeholder: 'Search', 'aria-label': 'Search the log', input: () => this.paint()});
    this.found = el('output', {class: 'quiet'});
    this.state = el('span', {class: 'quiet'});
    this.containers = el('select', {hidden: true, 'aria-label': 'Container', change: () => {
      this.container = this.containers.value;
      this.load();
    }});
    this.element = el('details', {open, toggle: () => this.element.open && !this.loaded && this.load()},
      el('summary', {}, `Log of attempt ${number[attempt]}`),
      el('div', {class: 'bar'}, this.containers, this.search, this.found,
        el('button', {type: 'button', class: 'plain', click: () => save_file(`${pod[attempt]}.log`, this.log)}, 'Download'), this.state),
      this.text);
    if (open) {
      this.load();
    }
  }

  /**
   * @param {Model} model
   * @param {number} attempt
   */
  update(model, attempt) {
    const {uid, pod} = model.page.attempts;
    const was_active = this.active;
    this.active = model.is_active(attempt);
    this.name = {place: attempt, uid: uid[attempt], pod: pod[attempt], container: this.container};
    if (was_active && !this.active && this.loaded) {
      this.load();  // its last lines
    }
  }

  async load() {
    this.loaded = true;
    clearTimeout(this.timer);
    try {
      const {text, container = '', containers = []} = await this.tools.read_log({...this.name, container: this.container});
      const log = plain_log(text);
      this.state.textContent = this.active && this.tools.follows ? 'following' : '';
      this.containers.hidden = containers.length < 2;
      if (containers.length > 1 && this.containers.options.length === 0) {
        this.containers.append(...containers.map((each) => el('option', {value: each}, each)));
      }
      this.containers.value = container;
      if (log !== this.log || log === '') {
        this.log = log;
        this.paint();
      }
    } catch (error) {
      if (this.log === '') {
        this.text.textContent = this.active ? 'No output yet.' : `The log cannot be read: ${error instanceof Error ? visible(error.message) : error}`;
      }
    }
    if (this.active && this.tools.follows) {
      this.timer = setTimeout(() => this.element.isConnected && (this.element.open ? this.load() : this.loaded = false), kFollowMilliseconds);
    }
  }

  /** A reader at the end of the log stays there. */
  paint() {
    const at_end = this.text.scrollTop + this.text.clientHeight >= this.text.scrollHeight - 8;
    this.found.textContent = mark(this.text, shortened(this.log), this.search.value);
    if (this.log === '') {
      this.text.textContent = this.active ? 'No output yet.' : 'The log is empty.';
    }
    if (at_end && this.tools.follows && this.search.value === '') {
      this.text.scrollTop = this.text.scrollHeight;
    }
  }
}

/** @param {string} text */
function shortened(text) {
  return text.length <= kLongestLine ? text : text.split('\n').map((line) => line.length <= kLongestLine ? line :
    `${line.slice(0, kLongestLine)} … and ${count(line.length - kLongestLine)} more characters`).join('\n');
}

/**
 * Shows the text with what was searched for marked; says how often that is there.
 * @param {HTMLElement} place
 * @param {string} text
 * @param {string} wanted
 */
function mark(place, text, wanted) {
  if (wanted === '') {
    place.textContent = text;
    return '';
  }
  const parts = text.toLowerCase().split(wanted.toLowerCase());
  place.textContent = '';
  let at = 0;
  parts.forEach((part, i) => {
    place.append(text.slice(at, at + part.length));
    at += part.length;
    if (i < parts.length - 1 && i < 10000) {
      place.append(el('mark', {}, text.slice(at, at + wanted.length)));
      at += wanted.length;
    }
  });
  place.append(text.slice(at));
  place.querySelector('mark')?.scrollIntoView({block: 'nearest'});
  return `${count(parts.length - 1)} found`;
}
