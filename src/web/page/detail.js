// @ts-check
// One index: its attempts in order, each with how it ended and its log; two of them compared.

import {el, panel, save_file} from './dom.js';
import {bytes, count, counted, duration, moment, plain_log, visible} from './text.js';

/** @typedef {import('./view.js').View} View */
/** @typedef {import('./model.js').Model} Model */

/**
 * @param {View} view
 * @param {(attempt: number) => Promise<string>} read_log
 */
export function detail(view, read_log) {
  const place = el('div', {});
  const section = panel('Attempts', 'attempts', () => facts_of(view.model, view.choice.cell), place);
  const show = () => {
    const {cell} = view.choice;
    section.hidden = cell < 0 || cell >= view.model.cell_count;
    if (!section.hidden) {
      place.replaceChildren(...contents(view, cell, read_log));
    }
  };
  show();
  view.follow((what) => {
    if (what.has('cell')) {
      show();
      if (view.choice.cell >= 0) {
        section.scrollIntoView({block: 'nearest'});
        section.querySelector('h3')?.focus({preventScroll: true});
      }
    }
  });
  return section;
}

/**
 * @param {Model} model
 * @param {number} cell
 */
function facts_of(model, cell) {
  return cell < 0 ? [] : model.attempts_of(cell).map((attempt) => Object.fromEntries(facts(model, attempt)));
}

/**
 * @param {View} view
 * @param {number} cell
 * @param {(attempt: number) => Promise<string>} read_log
 */
function contents(view, cell, read_log) {
  const {model} = view;
  const attempts = model.attempts_of(cell);
  const close = el('button', {type: 'button', class: 'plain', click: () => view.choose({cell: -1})}, 'Close');
  const title = model.indexed ? `Index ${cell}: ${counted(attempts.length, 'attempt')}` : visible(model.page.attempts.pod[cell]);
  const heading = el('h3', {tabindex: -1}, title, ' ', close);
  if (attempts.length === 0) {
    return [heading, el('p', {class: 'quiet'}, 'No attempt is known.')];
  }
  const rows = attempts.map((attempt) => facts(model, attempt));
  const compared = rows.length > 1;
  const last = rows[rows.length - 1];
  const table = el('div', {class: 'wide'}, el('table', {class: 'facts'}, el('tbody', {}, last.map(([name], place) => {
    const cells = rows.map((row) => row[place][1]);
    const differs = compared && cells.some((text) => text !== cells[0]);
    return el('tr', {class: differs && 'differs'}, el('th', {scope: 'row'}, name), cells.map((text) => el('td', {}, text)));
  }))));
  return [heading, table, compared && el('p', {class: 'quiet'}, 'Rows in which the attempts differ are marked.'),
    ...attempts.slice().reverse().map((attempt, place) => log_of(model, attempt, place === 0, read_log))].filter((each) => each !== false);
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

/**
 * @param {Model} model
 * @param {number} attempt
 * @param {boolean} open
 * @param {(attempt: number) => Promise<string>} read_log
 */
function log_of(model, attempt, open, read_log) {
  const {number, pod} = model.page.attempts;
  const text = el('pre', {class: 'log', tabindex: 0}, 'Loading.');
  const search = el('input', {type: 'search', placeholder: 'Search', 'aria-label': 'Search the log', input: () => paint()});
  const found = el('output', {class: 'quiet'});
  let log = '';
  const paint = () => found.textContent = mark(text, log, search.value);
  const load = async () => {
    try {
      log = plain_log(await read_log(attempt));
      paint();
      if (log === '') {
        text.textContent = 'The log is empty.';
      }
    } catch (error) {
      text.textContent = `The log cannot be read: ${error instanceof Error ? error.message : error}`;
    }
  };
  let loaded = false;
  const element = el('details', {
    open, toggle: () => {
      if (element.open && !loaded) {
        loaded = true;
        load();
      }
    },
  }, el('summary', {}, `Log of attempt ${number[attempt]}`),
  el('div', {class: 'bar'}, search, found, el('button', {type: 'button', class: 'plain', click: () => save_file(`${pod[attempt]}.log`, log)}, 'Download')),
  text);
  if (open) {
    loaded = true;
    load();
  }
  return element;
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
