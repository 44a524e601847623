// @ts-check
// One index: its attempts in order, each with how it ended and its log; two of them compared.

import {el, panel, save_file} from './dom.js';
import {bytes, count, counted, duration, moment, plain_log, visible} from './text.js';

/** @typedef {import('./view.js').View} View */
/** @typedef {import('./model.js').Model} Model */
/** @typedef {import('./panels.js').Tools} Tools */

const kFollowMilliseconds = 1000;
const kOwnFacts = ['attempt', 'pod', 'created', 'ended'];  // no two attempts have the same
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
    this.compare = el('div', {class: 'bar'});
    this.compared = '';  // how that looks
    this.table = el('div', {class: 'wide'});
    this.logs = el('div', {class: 'logs'});
    this.section = panel('Attempts', 'attempts', () => this.data(),
      el('div', {class: 'heading'}, this.heading, el('button', {type: 'button', class: 'plain', click: () => view.choose({cell: -1, pair: ''})}, 'Close')),
      this.compare, this.table, this.logs);
    this.show();
    view.follow((what) => {
      if (what.has('cell') || what.has('pair') || what.has('data')) {
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
    const all = model.attempts_of(cell);
    const attempts = this.pair_of(all) ?? all;
    this.heading.textContent = model.indexed ? `Index ${cell}: ${counted(all.length, 'attempt')}` : visible(model.page.attempts.pod[cell]);
    this.show_choice(all, attempts);
    this.table.replaceChildren(...table_of(model, attempts));
    for (const attempt of all) {
      this.show_log(attempt, attempt === all[all.length - 1]);
    }
    this.show_pair(attempts.length < all.length || this.view.choice.pair !== '' ? attempts : []);
  }

  /**
   * The two attempts that the reader compares; null for all.
   * @param {number[]} all
   */
  pair_of(all) {
    const {number} = this.view.model.page.attempts;
    const pair = this.view.choice.pair.split(',').flatMap((text) => all.filter((attempt) => String(number[attempt]) === text).slice(0, 1));
    return pair.length === 2 && pair[0] !== pair[1] ? pair : null;
  }

  /**
   * @param {number[]} all
   * @param {number[]} shown
   */
  show_choice(all, shown) {
    const {number} = this.view.model.page.attempts;
    const looks = `${all.map((attempt) => number[attempt])} ${shown.map((attempt) => number[attempt])} ${this.view.choice.pair}`;
    this.compare.hidden = all.length < 2;
    if (looks === this.compared) {
      return;
    }
    this.compared = looks;
    const is_pair = this.view.choice.pair !== '' && shown.length === 2;
    const select = (/** @type {number} */ place) => {
      const numbers = el('select', {id: `compare-${place}`, 'aria-label': place === 0 ? 'First attempt' : 'Second attempt',
        change: () => this.view.choose({pair: place === 0 ? `${numbers.value},${second.value}` : `${first.value},${numbers.value}`})},
      all.map((attempt) => el('option', {value: number[attempt]}, `attempt ${number[attempt]}`)));
      numbers.value = String(number[is_pair ? shown[place] : all[place === 0 ? 0 : all.length - 1]]);
      return numbers;
    };
    const first = select(0);
    const second = select(1);
    const focused = document.activeElement?.id ?? '';
    this.compare.replaceChildren(first, 'and', second,
      el('button', {type: 'button', id: 'compare', 'aria-pressed': String(is_pair),
        click: () => this.view.choose({pair: is_pair ? '' : `${first.value},${second.value}`})}, 'Compare'));
    if (focused.startsWith('compare')) {
      document.getElementById(focused)?.focus();
    }
  }

  /**
   * The logs of a pair stand side by side, and lines that only one of them has are marked.
   * @param {number[]} pair
   */
  show_pair(pair) {
    const {uid} = this.view.model.page.attempts;
    const chosen = pair.map((attempt) => this.panes.get(uid[attempt]));
    this.logs.classList.toggle('pair', pair.length > 0);
    for (const pane of this.panes.values()) {
      pane.element.hidden = pair.length > 0 && !chosen.includes(pane);
    }
    const [left, right] = chosen;
    for (const pane of this.panes.values()) {
      pane.element.style.order = pane === right ? '1' : '0';
      pane.compare_with(left && right ? pane === left ? right : pane === right ? left : null : null);
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
    const differs = !kOwnFacts.includes(name) && cells.some((text) => text !== cells[0]);
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
    /** @type {LogPane | null} */
    this.other = null;
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

  /**
   * Marks the lines that the other log lacks, whatever their numbers.
   * @param {LogPane | null} other
   */
  compare_with(other) {
    if (other === this.other) {
      return;
    }
    this.other = other;
    if (other !== null && !this.element.open) {
      this.element.open = true;  // which loads it
    }
    if (this.log !== '') {
      this.paint();
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
        this.other?.paint();
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
    if (this.other && this.search.value === '') {
      this.found.textContent = mark_lines(this.text, shortened(this.log), shortened(this.other.log));
    } else {
      this.found.textContent = mark(this.text, shortened(this.log), this.search.value);
    }
    if (this.log === '') {
      this.text.textContent = this.active ? 'No output yet.' : 'The log is empty.';
    }
    if (at_end && this.tools.follows && this.search.value === '') {
      this.text.scrollTop = this.text.scrollHeight;
    }
  }
}

/**
 * Shows the text with lines marked that the other one lacks; says how many there are.
 * @param {HTMLElement} place
 * @param {string} text
 * @param {string} other
 */
function mark_lines(place, text, other) {
  const pattern_of = (/** @type {string} */ line) => line.replace(/\d+/g, '0');
  const known = new Set(other.split('\n').map(pattern_of));
  place.textContent = '';
  let own = 0;
  for (const line of text.replace(/\n$/, '').split('\n')) {
    const is_own = !known.has(pattern_of(line));
    own += is_own ? 1 : 0;
    place.append(is_own ? el('mark', {class: 'own'}, line) : line, '\n');
  }
  return own === 0 ? 'no line of its own' : `${counted(own, 'line')} of its own`;
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
