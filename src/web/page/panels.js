// @ts-check
// The panels of a Job that need no canvas: verdict, counts, causes, distributions, failure policy.

import {kind_colours} from './colours.js';
import {command_line, el, panel, replace_changed, say} from './dom.js';
import {indexes_of, list_of} from './merge.js';
import {quantiles} from './model.js';
import {bytes, count, counted, duration, short_list, span_of, visible} from './text.js';

/** @typedef {import('./view.js').View} View */
/** @typedef {import('./model.js').Model} Model */

const kBins = 24;
const kShownNodes = 3;
const kShownDetails = 4;

/**
 * What a page may do besides showing: follows from where its data comes from.
 * @typedef {object} Tools
 * @property {(attempt: AttemptName) => Promise<LogText>} read_log
 * @property {boolean} follows logs grow, and are read again
 * @property {((indexes: string) => Promise<{name: string, address: string}>) | null} rerun makes a Job that runs these indexes; null where that is not possible
 *
 * @typedef {{place: number, uid: string, pod: string, container: string}} AttemptName
 * @typedef {{text: string, container?: string, containers?: string[]}} LogText
 */

/**
 * Shows what `contents` makes, and makes it anew with new data.
 * @param {View} view
 * @param {Element} place
 * @param {() => (Node | string)[]} contents
 * @param {string[]} [because] of what else it is made anew
 */
function keep_current(view, place, contents, because = []) {
  let looks = replace_changed(place, contents(), []);
  view.follow((what) => {
    if (what.has('data') || because.some((each) => what.has(each))) {
      looks = replace_changed(place, contents(), looks);
    }
  });
}

/**
 * The answer first.
 * @param {View} view
 * @param {Tools} tools
 */
export function verdict(view, tools) {
  const section = el('section', {id: 'verdict', 'aria-label': 'Verdict'});
  let told = view.model.page.headline;
  view.follow((what) => {
    const {headline} = view.model.page;
    if (what.has('data') && headline !== told) {
      told = headline;
      say(visible(headline));
    }
  });
  keep_current(view, section, () => {
    const {page} = view.model;
    const kind = page.state.startsWith('Complet') ? 'good' : page.state.startsWith('Fail') ? 'bad' : 'open';
    const sign = kind === 'good' ? '✓' : kind === 'bad' ? '✕' : '…';
    section.className = kind;
    return [el('p', {class: 'headline'}, el('span', {class: 'sign', 'aria-hidden': true}, sign), ' ', visible(page.headline)),
      ...page.details.slice(0, kShownDetails).map((line) => el('p', {class: 'quiet'}, visible(line))),
      page.details.length > kShownDetails ? el('p', {class: 'quiet'}, `and ${count(page.details.length - kShownDetails)} more`) : ''];
  });
  const next = el('div', {class: 'next'});
  keep_current(view, next, () => {
    const {page} = view.model;
    const failed = page.cells === null || !page.rerun ? [] : page.cells.split('').flatMap((letter, index) => letter === 'f' ? [index] : []);
    return failed.length === 0 ? [] : [rerun_line(`${page.rerun} ${page.job.backoffLimitPerIndex === null ? '--unfinished' : '--failed'}`,
      page.job.backoffLimitPerIndex === null ? unfinished_indexes(view.model) : list_of(failed), tools)];
  });
  return el('div', {class: 'answer'}, section, next);
}

/** @param {Model} model */
function unfinished_indexes(model) {
  return list_of((model.page.cells ?? '').split('').flatMap((letter, index) => letter === 's' ? [] : [index]));
}

/**
 * The command that runs indexes again and, for those who may, a button that does it.
 * @param {string} command
 * @param {string} indexes
 * @param {Tools} tools
 */
function rerun_line(command, indexes, tools) {
  const number = indexes_of(indexes).length;
  const place = el('span', {class: 'act'});
  const {rerun} = tools;
  const offer = () => place.replaceChildren(el('button', {type: 'button', class: 'main', click: ask}, `Run ${number === 1 ? 'it' : `these ${count(number)}`} again`));
  const ask = () => {
    const yes = el('button', {type: 'button', class: 'main', click: act}, 'Create it');
    place.replaceChildren(`A new Job will run ${counted(number, 'index', 'indexes')}. `, yes, ' ', el('button', {type: 'button', click: offer}, 'Cancel'));
    yes.focus();
  };
  const act = async () => {
    place.replaceChildren('Creating.');
    try {
      const made = await /** @type {NonNullable<Tools['rerun']>} */ (rerun)(indexes);
      const link = el('a', {href: made.address}, `Job ${visible(made.name)}`);
      place.replaceChildren(link, ' runs them.');
      link.focus();
      say(`Job ${made.name} is created`);
    } catch (error) {
      place.replaceChildren(el('span', {class: 'trouble'}, `Not created: ${error instanceof Error ? visible(error.message) : error} `),
        el('button', {type: 'button', click: offer}, 'Back'));
    }
  };
  if (rerun !== null) {
    offer();
  }
  return el('div', {class: 'rerun'}, command_line(command), rerun !== null && place);
}

/** @param {View} view */
export function counts_panel(view) {
  const body = el('div', {});
  keep_current(view, body, () => counts_of(view.model));
  return panel('Counts', 'counts', () => {
    const {job, state, headline, details, counts} = view.model.page;
    return {job, state, headline, details, counts};
  }, body);
}

/** @param {Model} model */
function counts_of(model) {
  const {counts, job} = model.page;
  const total = job.completions ?? Math.max(1, counts.succeeded + counts.running + counts.waiting + counts.failed);
  const parts = [
    ['succeeded', counts.succeeded, 'good'], ['running', counts.running, 'runs'], ['terminating', counts.terminating, 'ends'],
    ['waiting', counts.waiting, 'waits'], ['failed', counts.failed, 'bad'], ['not started', counts.notStarted, 'idle'],
  ].filter(([name, number]) => number !== 0 || name === 'succeeded');
  const waits = counts.waitingFor.map(({reason, count: pods}) => `${count(pods)} ${visible(reason)}`).join(', ');
  return [
    el('div', {class: 'progress', role: 'img', 'aria-label': parts.map(([name, number]) => `${number} ${name}`).join(', ')},
      parts.map(([, number, kind]) => el('span', {class: kind, style: {flexGrow: String(number)}}))),
    el('div', {class: 'figures'},
      el('dl', {class: 'tiles'}, parts.map(([name, number, kind]) =>
        tile(String(name), count(Number(number)), String(kind), name === 'waiting' ? waits : share(Number(number), total)))),
      el('p', {class: 'quiet'}, [pace(model, total), budget(model)].filter(Boolean).join(' ')))];
}

/**
 * In full per cent, but neither all nor nothing by rounding.
 * @param {number} part
 * @param {number} whole
 */
function share(part, whole) {
  const percent = part * 100 / whole;
  return part === 0 ? '' : percent < 1 ? 'under 1 %' : percent > 99 && part < whole ? 'over 99 %' : `${Math.round(percent)} %`;
}

/**
 * @param {string} name
 * @param {string} value
 * @param {string} kind
 * @param {string} more
 */
function tile(name, value, kind, more) {
  return el('div', {class: kind}, el('dt', {}, name), el('dd', {}, value, more && ' ', more && el('small', {}, more)));
}

/**
 * Rate and time left, from the successes of the last quarter of the time so far.
 * @param {Model} model
 * @param {number} total
 */
function pace(model, total) {
  const {page} = model;
  const {attempts, counts} = page;
  if (page.job.ended !== null || counts.succeeded === 0) {
    return page.job.ended === null ? '' : `Took ${duration(page.job.ended - (page.job.started ?? page.job.ended))}.`;
  }
  const window = Math.max(10, (page.now - model.first) / 4);
  let ended = 0;
  for (let i = 0; i < model.attempt_count; ++i) {
    const end = attempts.ended[i];
    if (attempts.counted[i] === 'S' && end !== null && end > page.now - window) {
      ++ended;
    }
  }
  const rate = ended / Math.min(window, Math.max(1, page.now - model.first));
  const left = total - counts.succeeded - counts.failed;
  return ended === 0 ? `No success in the last ${duration(window)}.`
    : `${rate >= 1 ? rate.toFixed(1) + ' a second' : (rate * 60).toFixed(1) + ' a minute'}, about ${duration(left / rate)} left.`;
}

/** What failures are still allowed. @param {Model} model */
function budget(model) {
  const {job, counts} = model.page;
  if (job.ended !== null) {
    return '';
  }
  if (job.maxFailedIndexes !== null) {
    return `${counted(Math.max(0, job.maxFailedIndexes - counts.failed), 'more index', 'more indexes')} may fail (maxFailedIndexes ${count(job.maxFailedIndexes)}).`;
  }
  if (job.backoffLimitPerIndex !== null) {
    return `Each index may fail ${counted(job.backoffLimitPerIndex, 'time')} (backoffLimitPerIndex).`;
  }
  return job.backoffLimit === null ? ''
    : `${counted(Math.max(0, job.backoffLimit - counts.failedPods), 'more pod')} may fail (backoffLimit ${count(job.backoffLimit)}).`;
}

/**
 * @param {View} view
 * @param {Tools} tools
 */
export function causes_panel(view, tools) {
  const body = el('div', {});
  keep_current(view, body, () => {
    const {page} = view.model;
    const contents = [page.causes.length > 0
      ? el('ol', {class: 'causes'}, page.causes.map((cause, place) => cause_card(view, cause, place, tools)))
      : el('p', {class: 'quiet'}, 'No failures.')];
    if (!page.ledger) {
      contents.push(el('p', {class: 'quiet'},
        'This server has no ledger of attempts: only pods that still exist count, without kept logs, memory and processor time.'));
    }
    return contents;
  }, ['cause']);
  return panel('Causes', 'causes', () => view.model.page.causes, body);
}

/**
 * Of those that failed for a cause, the indexes that are not completed since.
 * @param {Model} model
 * @param {import('./model.js').Cause} cause
 */
function open_indexes(model, cause) {
  return list_of(indexes_of(cause.indexes).filter((index) => model.page.cells?.[index] !== 's'));
}

/**
 * @param {View} view
 * @param {import('./model.js').Cause} cause
 * @param {number} place
 * @param {Tools} tools
 */
function cause_card(view, cause, place, tools) {
  const {model} = view;
  const chosen = view.choice.cause === cause.id;
  const nodes = cause.nodes.slice(0, kShownNodes).map((node) =>
    `${node.name} ${count(node.count)}${node.outlier ? ' (far more than its share)' : ''}`);
  if (cause.nodes.length > kShownNodes) {
    nodes.push(`${cause.nodes.length - kShownNodes} more`);
  }
  const times = cause.first === null ? '' : span_of(cause.first, cause.last);
  return el('li', {},
    el('button', {
      type: 'button', class: 'cause', id: `cause-${cause.id}`, 'aria-pressed': String(chosen),
      click: () => view.choose({cause: chosen ? '' : cause.id}),
    },
    el('span', {class: 'key', style: {background: kind_colours(place + 1)[place]}}), el('b', {}, count(cause.count)), ' ', visible(cause.title),
    cause.ignored && el('em', {}, ' ignored')),
    el('p', {class: 'quiet'}, [model.indexed && cause.indexes && `${counted(indexes_of(cause.indexes).length, 'index', 'indexes')}: ${short_list(cause.indexes)}`,
      times, nodes.length > 0 && `on ${nodes.join(', ')}`].filter(Boolean).join('; ')),
    cause.sample_line && el('pre', {class: 'line'}, visible(cause.sample_line)),
    model.page.rerun && chosen && open_indexes(model, cause) !== '' &&
      rerun_line(`${model.page.rerun} --cause ${cause.id}`, open_indexes(model, cause), tools));
}

/** @param {View} view */
export function distributions(view) {
  const place = el('div', {class: 'charts'});
  keep_current(view, place, () => charts(view), ['cause']);
  return panel('Distributions', 'distributions', () => {
    const {model} = view;
    return {
      durations: Array.from({length: model.attempt_count}, (_, i) => model.duration_of(i)),
      memory: model.page.attempts.memory, exit: model.page.attempts.exit,
    };
  }, place);
}

/** @param {View} view */
function charts(view) {
  const {model} = view;
  const {attempts} = model.page;
  const durations = [];
  const memory = [];
  /** @type {Map<string, number>} */
  const ends = new Map();
  for (let i = 0; i < model.attempt_count; ++i) {
    if (!view.has_attempt(i)) {
      continue;
    }
    const ran = model.duration_of(i);
    if (ran !== null && attempts.ended[i] !== null) {
      durations.push(ran);
    }
    const peak = attempts.memory[i];
    if (peak !== null) {
      memory.push(peak);
    }
    if (model.failed(i)) {
      const end = model.end_of(i);
      ends.set(end, (ends.get(end) ?? 0) + 1);
    }
  }
  return [histogram('Duration of attempts', durations, duration), histogram('Peak memory of attempts', memory, bytes), bars('How attempts failed', ends)];
}

/**
 * @param {string} title
 * @param {number[]} values
 * @param {(value: number) => string} text
 */
function histogram(title, values, text) {
  if (values.length === 0) {
    return el('figure', {}, el('figcaption', {}, title), el('p', {class: 'quiet'}, 'Not known.'));
  }
  const sorted = Float64Array.from(values).sort();
  const low = sorted[0];
  const high = sorted[sorted.length - 1];
  const bins = new Array(kBins).fill(0);
  for (const value of sorted) {
    ++bins[Math.min(kBins - 1, Math.floor((value - low) / (high - low || 1) * kBins))];
  }
  const [p50, p90, p99] = quantiles(sorted, [0.5, 0.9, 0.99]);
  const most = Math.max(...bins);
  return el('figure', {}, el('figcaption', {}, title),
    el('div', {class: 'bins', role: 'img', 'aria-label': `${title}: median ${text(p50)}, longest ${text(high)}`},
      bins.map((number, i) => el('span', {
        title: `${text(low + (high - low) * i / kBins)} to ${text(low + (high - low) * (i + 1) / kBins)}: ${count(number)}`,
        style: {height: `${number === 0 ? 0 : Math.max(2, number / most * 100)}%`},
      }))),
    el('div', {class: 'ends'}, el('span', {}, text(low)), el('span', {}, text(high))),
    el('p', {class: 'quiet'}, `half at most ${text(p50)}, 90 % ${text(p90)}, 99 % ${text(p99)}; ${count(values.length)} known`));
}

/**
 * @param {string} title
 * @param {Map<string, number>} numbers
 */
function bars(title, numbers) {
  const sorted = [...numbers].sort((a, b) => b[1] - a[1]);
  const shown = sorted.slice(0, 8);
  const rest = sorted.slice(8).reduce((sum, [, number]) => sum + number, 0);
  if (rest > 0) {
    shown.push(['others', rest]);
  }
  const most = shown[0]?.[1] ?? 1;
  return el('figure', {}, el('figcaption', {}, title),
    shown.length === 0 ? el('p', {class: 'quiet'}, 'No failures.') :
      el('table', {class: 'bars'}, el('tbody', {}, shown.map(([name, number]) => el('tr', {},
        el('th', {scope: 'row'}, visible(name)),
        el('td', {}, el('span', {class: 'fails', style: {width: `${number / most * 100}%`}})), el('td', {class: 'number'}, count(number)))))));
}

/** @param {View} view */
export function policy_panel(view) {
  const body = el('div', {});
  keep_current(view, body, () => policy_of(view.model));
  return panel('Failure policy', 'policy', () => ({rules: view.model.page.rules, findings: view.model.page.findings}), body);
}

/** @param {Model} model */
function policy_of(model) {
  const {rules, findings} = model.page;
  const table = rules.length === 0 ? el('p', {class: 'quiet'}, 'The Job has no failure policy: every failure counts towards its limits.')
    : el('table', {}, el('thead', {}, el('tr', {}, ['Rule', 'When', 'Action', 'Matches', 'Effect'].map((name) => el('th', {scope: 'col'}, name)))),
      el('tbody', {}, rules.map((rule) => el('tr', {},
        el('th', {scope: 'row'}, rule.name ? `${visible(rule.name)} (${rule.rule})` : rule.rule), el('td', {}, visible(rule.when)),
        el('td', {}, rule.action), el('td', {}, count(rule.matches)), el('td', {}, rule.effect || 'none yet')))));
  const list = el('ul', {class: 'findings'}, findings.map((finding) => el('li', {class: finding.severity},
      el('b', {}, `${finding.severity}: `), visible(finding.what), ' ', visible(finding.why), ' ', el('em', {}, visible(finding.fix)),
      el('small', {}, ` ${finding.id}, ${visible(finding.path)}`))));
  return [el('div', {class: 'policy'}, el('div', {class: 'wide'}, table), findings.length > 0 ? list : el('p', {class: 'quiet'}, 'Policy lint has no findings.'))];
}
