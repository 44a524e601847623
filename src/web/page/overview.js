// @ts-check
// All Jobs: what state each is in, with filters that the address keeps. And the nodes.

import {Follower} from './connection.js';
import {el, panel, replace_changed} from './dom.js';
import {job_address} from './job_screen.js';
import {count, counted, duration, moment, visible} from './text.js';

/**
 * @typedef {object} JobRow
 * @property {string} namespace
 * @property {string} name
 * @property {string} state
 * @property {string} headline of a Job that has ended
 * @property {string} message of the condition that says so
 * @property {boolean} indexed
 * @property {number | null} completions
 * @property {number} active pods
 * @property {number} ready
 * @property {number} succeeded
 * @property {number} failedPods
 * @property {number | null} failedIndexes
 * @property {number} terminating
 * @property {number | null} created
 * @property {number | null} started
 * @property {number | null} ended
 * @property {{title: string, count: number}[]} causes of its failures, the most frequent ones
 * @property {number} moreCauses
 * @property {string[]} rules that have matched a failure
 *
 * @typedef {{name: string, ready: boolean, cordoned: boolean, troubles: string[], failures: number}} NodeRow
 */

const kShownJobs = 200;  // at first, and with every click on "more"
const kMostNodes = 60;
const kJobStates = [
  {name: 'Failed', sign: '✕', kind: 'bad'}, {name: 'Failing', sign: '✕', kind: 'bad'}, {name: 'Running', sign: '▶', kind: 'runs'},
  {name: 'Waiting', sign: '…', kind: 'waits'}, {name: 'Completing', sign: '▶', kind: 'runs'}, {name: 'Suspended', sign: '‖', kind: 'idle'},
  {name: 'Complete', sign: '✓', kind: 'good'},
];
const kOpenStates = ['Failing', 'Running', 'Waiting', 'Completing'];

/** @param {string} name */
function job_state(name) {
  return kJobStates.find((state) => state.name === name) ?? {name, sign: '…', kind: 'idle'};
}

export class OverviewScreen {
  /**
   * @param {string} query
   * @param {(health: import('./connection.js').Health) => void} on_health
   */
  constructor(query, on_health) {
    /** @type {Map<string, JobRow>} */
    this.jobs = new Map();
    /** @type {Map<string, NodeRow>} */
    this.nodes = new Map();
    this.now = Date.now() / 1000;
    this.most = kShownJobs;
    /** @type {string[]} how things look */
    this.looks = [];
    /** @type {string[]} */
    this.chip_looks = [];
    this.filter = read_filter(query);
    this.search = el('input', {type: 'search', id: 'search', placeholder: 'Name, verdict, cause', 'aria-label': 'Search Jobs',
      input: () => this.choose({text: this.search.value})});
    this.namespaces = el('select', {'aria-label': 'Namespace', change: () => this.choose({ns: this.namespaces.value})});
    this.rules = el('select', {'aria-label': 'Rule that has matched a failure', hidden: true, change: () => this.choose({rule: this.rules.value})});
    this.chips = el('div', {class: 'legend', role: 'group', 'aria-label': 'States; each filters the Jobs'});
    this.list = el('ol', {class: 'jobs'});
    this.rest = el('p', {class: 'quiet'}, 'Reading the Jobs.');
    this.node_list = el('ul', {class: 'nodes'});
    this.node_note = el('p', {class: 'quiet'});
    this.node_panel = panel('Nodes', 'nodes', () => [...this.nodes.values()], this.node_list, this.node_note);
    this.ledger = true;
    this.node_panel.hidden = true;
    this.element = el('div', {class: 'overview'},
      panel('Jobs', 'jobs', () => this.matching(), el('div', {class: 'bar'}, this.search, this.namespaces, this.rules), this.chips, this.list, this.rest),
      this.node_panel);
    this.follower = new Follower('overview', {}, (answer) => this.take(answer), on_health);
    this.clock = setInterval(() => this.show(), 15000);  // ages grow
  }

  stop() {
    this.follower.stop();
    clearInterval(this.clock);
  }

  /** @param {string} query */
  route(query) {
    this.filter = read_filter(query);
    this.show();
    return true;
  }

  /** @param {{full: boolean, overview: {now: number, ledger: boolean, jobs: JobRow[], nodes: NodeRow[], gone: string[]}}} answer */
  take({full, overview}) {
    if (full) {
      this.jobs.clear();
      this.nodes.clear();
    }
    this.skew = overview.now - Date.now() / 1000;
    this.ledger = overview.ledger;
    overview.jobs.forEach((job) => this.jobs.set(`job/${job.namespace}/${job.name}`, job));
    overview.nodes.forEach((node) => this.nodes.set(`node/${node.name}`, node));
    overview.gone.forEach((key) => this.jobs.delete(key) || this.nodes.delete(key));
    this.show();
  }

  /** @param {Partial<Filter>} change */
  choose(change) {
    Object.assign(this.filter, change);
    this.most = kShownJobs;
    const query = write_filter(this.filter);
    history.replaceState(null, '', query === '' ? '#/' : `#/?${query}`);
    this.show();
  }

  /** Those that are under way first, then the newest. */
  matching() {
    const {text, ns, state, rule} = this.filter;
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    const is_wanted = (/** @type {JobRow} */ job) => (ns === '' || job.namespace === ns) && (state === '' || job.state === state) &&
      (rule === '' || job.rules.includes(rule)) && (words.length === 0 || has_words(job, words));
    return [...this.jobs.values()].filter(is_wanted).sort((a, b) =>
      Number(kOpenStates.includes(b.state)) - Number(kOpenStates.includes(a.state)) || (b.created ?? 0) - (a.created ?? 0) || (a.name < b.name ? -1 : 1));
  }

  show() {
    this.now = Date.now() / 1000 + (this.skew ?? 0);
    this.show_filters();
    const found = this.matching();
    this.looks = replace_changed(this.list, found.slice(0, this.most).map((job) => job_row(job, this.now)), this.looks);
    const hidden = found.length - this.most;
    this.rest.replaceChildren(hidden > 0 ? el('button', {type: 'button', click: () => { this.most += kShownJobs; this.show(); }},
      `Show more of ${counted(hidden, 'further Job')}`) : this.jobs.size === 0 ? 'There are no Jobs yet.' : found.length === 0 ? 'No Job matches.' : '');
    this.show_nodes();
  }

  show_filters() {
    const {state, ns, text} = this.filter;
    if (document.activeElement !== this.search) {
      this.search.value = text;
    }
    const all = [...this.jobs.values()].filter((job) => ns === '' || job.namespace === ns);
    const chip = (/** @type {string} */ name, /** @type {string} */ label, /** @type {number} */ number, /** @type {Element | string} */ sign) =>
      el('button', {type: 'button', id: `state-${name}`, 'aria-pressed': String(state === name), click: () => this.choose({state: this.filter.state === name ? '' : name})},
        sign, `${label} ${count(number)}`);
    const chips = kJobStates.flatMap(({name, sign, kind}) => {
      const number = all.filter((job) => job.state === name).length;
      return number === 0 && state !== name ? [] : [chip(name, name.toLowerCase(), number, el('span', {class: `sign ${kind}`, 'aria-hidden': true}, sign))];
    });
    this.chip_looks = replace_changed(this.chips, [chip('', 'all', all.length, ''), ...chips], this.chip_looks);
    const names = [...new Set([...this.jobs.values()].map((job) => job.namespace).concat(ns || []))].sort();
    if (names.join() !== this.shown_namespaces) {
      this.shown_namespaces = names.join();
      this.namespaces.replaceChildren(el('option', {value: ''}, 'all namespaces'), ...names.map((name) => el('option', {value: name}, visible(name))));
    }
    this.namespaces.value = ns;
    this.show_rules();
  }

  show_rules() {
    const {rule} = this.filter;
    const names = [...new Set([...this.jobs.values()].flatMap((job) => job.rules).concat(rule || []))].sort();
    this.rules.hidden = names.length === 0;
    if (names.join() !== this.shown_rules) {
      this.shown_rules = names.join();
      this.rules.replaceChildren(el('option', {value: ''}, 'all rules'), ...names.map((name) => el('option', {value: name}, visible(name))));
    }
    this.rules.value = rule;
  }

  show_nodes() {
    const rank = (/** @type {NodeRow} */ node) => Number(node.ready && !node.cordoned && node.troubles.length === 0);
    const nodes = [...this.nodes.values()].sort((a, b) => rank(a) - rank(b) || (a.name < b.name ? -1 : 1));
    this.node_panel.hidden = nodes.length === 0;
    const failures = nodes.reduce((sum, node) => sum + node.failures, 0);
    const shown = nodes.slice(0, kMostNodes).map((node) => {
      const words = [node.ready ? 'ready' : 'not ready', node.cordoned && 'cordoned', ...node.troubles].filter(Boolean).join(', ');
      return el('li', {class: !node.ready ? 'bad' : rank(node) === 1 ? 'good' : 'waits'},
        el('b', {}, visible(node.name)), ' ', el('span', {class: 'quiet'}, visible(words)),
        failures > 0 && el('div', {class: 'node-share'},
          el('div', {class: 'progress', 'aria-hidden': true}, el('span', {class: 'bad', style: {flexGrow: String(node.failures)}}),
            el('span', {style: {flexGrow: String(failures - node.failures)}})),
          el('span', {class: 'quiet'}, `${Math.round(node.failures / failures * 100)} % of failures (${count(node.failures)})`)));
    });
    if (nodes.length > kMostNodes) {
      shown.push(el('li', {}, `and ${count(nodes.length - kMostNodes)} more`));
    }
    this.node_list.replaceChildren(...shown);
    this.node_note.textContent = this.ledger ? failures > 0 ? 'Failures that count, of the Jobs above, in the last seven days.' : ''
      : 'This server has no ledger of attempts: causes and the share of failures are not known here.';
  }
}

/**
 * @param {JobRow} job
 * @param {string[]} words in lower case
 */
function has_words(job, words) {
  const text = `${job.namespace}/${job.name} ${job.state} ${job.headline} ${job.message} ${job.rules.join(' ')} ${
    job.causes.map((cause) => cause.title).join(' ')}`.toLowerCase();
  return words.every((word) => text.includes(word));
}

/**
 * @typedef {{text: string, ns: string, state: string, rule: string}} Filter
 * @param {string} text
 * @returns {Filter}
 */
function read_filter(text) {
  const query = new URLSearchParams(text);
  return {text: query.get('text') ?? '', ns: query.get('ns') ?? '', state: query.get('state') ?? '', rule: query.get('rule') ?? ''};
}

/** @param {Filter} filter */
function write_filter(filter) {
  return new URLSearchParams(Object.entries(filter).filter(([, value]) => value !== '')).toString();
}

/**
 * @param {JobRow} job
 * @param {number} now
 */
function job_row(job, now) {
  const state = job_state(job.state);
  const failed = job.failedIndexes ?? (job.indexed ? 0 : job.failedPods);
  const total = Math.max(job.completions ?? 0, job.succeeded + failed + job.active, 1);
  const parts = [['good', job.succeeded], ['runs', job.ready], ['waits', job.active - job.ready], ['bad', failed],
    ['idle', total - job.succeeded - failed - job.active]];
  const words = [job.completions === null ? `${count(job.succeeded)} succeeded` : `${count(job.succeeded)} of ${count(job.completions)}`,
    job.ready > 0 && `${count(job.ready)} running`, job.active > job.ready && `${count(job.active - job.ready)} waiting`,
    job.terminating > 0 && `${count(job.terminating)} terminating`, failed > 0 && `${count(failed)} failed`,
    job.failedIndexes === null && job.indexed && job.failedPods > 0 && `${counted(job.failedPods, 'failed pod')}`].filter(Boolean).join(', ');
  const time = job.ended !== null ? `took ${duration(job.ended - (job.started ?? job.ended))}, ${age(now - job.ended)} ago`
    : job.started !== null ? `for ${age(now - job.started)}` : '';
  return el('li', {class: state.kind},
    el('div', {class: 'job-name'}, el('span', {class: `sign ${state.kind}`, 'aria-hidden': true}, state.sign),
      el('a', {href: job_address(job.namespace, job.name), id: `job-${job.namespace}-${job.name}`},
        el('span', {class: 'quiet'}, `${visible(job.namespace)} / `), visible(job.name))),
    el('div', {class: 'job-progress'},
      el('div', {class: 'progress', role: 'img', 'aria-label': `${job.state}: ${words}`},
        parts.map(([kind, number]) => el('span', {class: String(kind), style: {flexGrow: String(Math.max(0, Number(number)))}}))),
      el('span', {class: 'quiet'}, words)),
    el('div', {class: 'job-words'}, visible(job.headline) || job.state, ' ',
      job.state.startsWith('Fail') && job.message !== '' && job.causes.length === 0 && `– ${visible(job.message)} `,
      el('span', {class: 'quiet', title: moment(job.ended ?? job.started)}, time),
      job.causes.map((cause) => el('div', {class: 'job-cause'}, el('b', {}, count(cause.count)), ' ', visible(cause.title))),
      job.moreCauses > 0 && el('div', {class: 'job-cause quiet'}, `and ${counted(job.moreCauses, 'more cause')}`)));
}

/** Coarse, so that it seldom changes. @param {number} seconds */
function age(seconds) {
  return seconds < 15 ? 'moments' : duration(seconds < 60 ? Math.floor(seconds / 15) * 15 : Math.floor(seconds / 60) * 60);
}
