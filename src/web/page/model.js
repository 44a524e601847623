// @ts-check
// The document about one Job, with what every panel derives from it. The server decides verdicts,
// states, causes and sentences; this only counts and looks up.

/**
 * One column per property, one row per attempt. Times are seconds since 1970; null: not known.
 * @typedef {object} AttemptColumns
 * @property {(number|null)[]} index
 * @property {number[]} number
 * @property {string[]} pod
 * @property {string[]} uid of the pod
 * @property {number[]} node place in `names.nodes`; -1 without one
 * @property {(number|null)[]} created
 * @property {(number|null)[]} started
 * @property {(number|null)[]} ended
 * @property {string} phase a letter each: (S)ucceeded, (F)ailed, (R)unning, (P)ending, (U)nknown
 * @property {(number|null)[]} exit
 * @property {number[]} signal 0 without one
 * @property {number[]} reason place in `names.reasons`; -1 without one
 * @property {number[]} rule -1 without one
 * @property {string} counted a letter each: (S)ucceeded, (F)ailed, (I)gnored, (N)one, (-) not yet
 * @property {number[]} cause place in `causes`; -1 without one
 * @property {(number|null)[]} memory peak bytes
 * @property {(number|null)[]} cpu seconds
 */

/**
 * @typedef {object} Cause
 * @property {string} id
 * @property {string} title
 * @property {number} count
 * @property {boolean} ignored
 * @property {string} indexes
 * @property {number|null} first
 * @property {number|null} last
 * @property {{name: string, count: number, outlier: boolean}[]} nodes
 * @property {string} sample_pod
 * @property {string} sample_line
 */

/**
 * @typedef {object} Rule
 * @property {number} rule
 * @property {string} name
 * @property {string} action
 * @property {string} when
 * @property {number} matches
 * @property {string} [effect] what it has done; '' before its first match
 */

/**
 * @typedef {object} Finding
 * @property {string} severity
 * @property {string} id
 * @property {string} path
 * @property {string} what
 * @property {string} why
 * @property {string} fix
 */

/**
 * @typedef {object} JobPage
 * @property {number} version
 * @property {number} now
 * @property {{namespace: string, name: string, uid: string, indexed: boolean, completions: number|null, parallelism: number,
 *   created: number|null, started: number|null, ended: number|null, backoffLimit: number|null,
 *   backoffLimitPerIndex: number|null, maxFailedIndexes: number|null}} job
 * @property {string} state Complete, Failed, Completing, Failing or Unfinished
 * @property {string} headline
 * @property {string[]} details
 * @property {{succeeded: number, running: number, waiting: number, failed: number, notStarted: number, terminating: number,
 *   failedPods: number, ignoredPods: number, waitingFor: {reason: string, count: number}[]}} counts
 * @property {string|null} cells a letter per index, see kStates
 * @property {Rule[]} rules
 * @property {Finding[]} findings
 * @property {Cause[]} causes
 * @property {{nodes: string[], reasons: string[]}} names
 * @property {AttemptColumns} attempts
 * @property {Record<string, string>} logs ends of logs by place of the attempt
 * @property {boolean} ledger whether attempts outlive their pods
 * @property {string|null} rerun how to run indexes again; null where that is not possible
 */

export const kStates = /** @type {const} */ ([
  {letter: 's', name: 'succeeded', mark: ''},
  {letter: 'r', name: 'running', mark: 'dot'},
  {letter: 'w', name: 'waiting', mark: 'bar'},
  {letter: 'b', name: 'back-off', mark: 'bar'},
  {letter: 't', name: 'terminating', mark: 'bar'},
  {letter: 'f', name: 'failed', mark: 'cross'},
  {letter: 'x', name: 'stopped', mark: 'bar'},
  {letter: 'n', name: 'not started', mark: ''},
]);

/** What a reader needs of a document, prepared once. */
export class Model {
  /** @param {JobPage} page */
  constructor(page) {
    /** @type {JobPage} */
    this.page = page;
    const {attempts, job} = page;
    this.attempt_count = attempts.pod.length;
    // Without indexes, every attempt is a cell of its own.
    this.cell_count = page.cells === null ? this.attempt_count : page.cells.length;
    /** @type {Int32Array} the newest attempt of a cell, or -1 */
    this.newest = new Int32Array(this.cell_count).fill(-1);
    /** @type {Int32Array} the attempt before it of the same index, or -1 */
    this.previous = new Int32Array(this.attempt_count).fill(-1);
    this.tries = new Int32Array(this.cell_count);
    for (let i = 0; i < this.attempt_count; ++i) {
      const cell = this.cell_of(i);
      if (cell >= 0 && cell < this.cell_count) {
        this.link(cell, i);
        ++this.tries[cell];
      }
    }
    this.indexed = page.cells !== null;
    this.noun = this.indexed ? 'index' : 'pod';
    this.nouns = this.indexed ? 'indexes' : 'pods';
    let first = job.started ?? job.created ?? page.now;
    let last = job.ended ?? page.now;
    for (let i = 0; i < this.attempt_count; ++i) {
      first = Math.min(first, attempts.created[i] ?? first);
      last = Math.max(last, attempts.ended[i] ?? last);
    }
    this.first = first;
    this.last = Math.max(last, first + 0.001);
  }

  /**
   * Attempts of an index mostly come in their order.
   * @param {number} cell
   * @param {number} attempt
   */
  link(cell, attempt) {
    const {number, created} = this.page.attempts;
    const is_later = (/** @type {number} */ other) => number[other] > number[attempt] ||
      (number[other] === number[attempt] && (created[other] ?? 0) > (created[attempt] ?? 0));
    let later = -1;
    let earlier = this.newest[cell];
    while (earlier >= 0 && is_later(earlier)) {
      later = earlier;
      earlier = this.previous[earlier];
    }
    this.previous[attempt] = earlier;
    if (later < 0) {
      this.newest[cell] = attempt;
    } else {
      this.previous[later] = attempt;
    }
  }

  /**
   * @param {number} attempt
   * @returns {number}
   */
  cell_of(attempt) {
    return this.page.cells === null ? attempt : this.page.attempts.index[attempt] ?? -1;
  }

  /**
   * Oldest first.
   * @param {number} cell
   */
  attempts_of(cell) {
    const found = [];
    for (let i = this.newest[cell]; i >= 0; i = this.previous[i]) {
      found.push(i);
    }
    return found.reverse();
  }

  /** @param {number} cell */
  state_of(cell) {
    if (this.page.cells !== null) {
      return this.page.cells[cell];
    }
    const letters = /** @type {Record<string, string>} */ ({S: 's', F: 'f', R: 'r', P: 'w', U: 'f'});
    return letters[this.page.attempts.phase[cell]] ?? 'n';
  }

  /**
   * The state that a cell had then, as far as its attempts tell.
   * @param {number} cell
   * @param {number} time
   */
  state_at(cell, time) {
    if (time >= this.last) {
      return this.state_of(cell);
    }
    const {created, started, ended, phase, counted} = this.page.attempts;
    let waits = false;
    for (let i = this.newest[cell]; i >= 0; i = this.previous[i]) {
      const end = phase[i] === 'R' || phase[i] === 'P' ? null : ended[i];
      if ((created[i] ?? Infinity) > time) {
        waits = true;
      } else if (end !== null && end <= time) {
        return counted[i] === 'S' || phase[i] === 'S' ? 's' : waits ? 'b' : this.state_of(cell) === 'f' ? 'f' : 'b';
      } else {
        return (started[i] ?? Infinity) <= time ? 'r' : 'w';
      }
    }
    return 'n';
  }

  /**
   * Seconds from the start of the attempt to its end, or until now.
   * @param {number} attempt
   */
  duration_of(attempt) {
    const {started, ended, phase} = this.page.attempts;
    const start = started[attempt];
    const end = phase[attempt] === 'R' ? this.page.now : ended[attempt];
    return start === null || end === null ? null : Math.max(0, end - start);
  }

  /** @param {number} attempt */
  is_active(attempt) {
    return 'RP'.includes(this.page.attempts.phase[attempt]);
  }

  /** @param {number} attempt */
  failed(attempt) {
    return 'FU'.includes(this.page.attempts.phase[attempt]);
  }

  /** @param {number} attempt */
  node_of(attempt) {
    return this.page.names.nodes[this.page.attempts.node[attempt]] ?? '';
  }

  /** @param {number} attempt */
  reason_of(attempt) {
    return this.page.names.reasons[this.page.attempts.reason[attempt]] ?? '';
  }

  /** @param {number} rule */
  rule_name(rule) {
    const found = this.page.rules.find((each) => each.rule === rule);
    return rule < 0 ? 'no rule' : found?.name ? `${found.name} (rule ${rule})` : `rule ${rule}`;
  }

  /** @param {number} attempt how it ended, in a few words */
  end_of(attempt) {
    const {exit, signal, phase} = this.page.attempts;
    if (phase[attempt] === 'R') {
      return 'running';
    }
    if (phase[attempt] === 'P') {
      return this.reason_of(attempt) || 'pending';
    }
    const code = exit[attempt];
    const reason = this.reason_of(attempt);
    const end = code === null ? '' : signal[attempt] ? `exit code ${code} (signal ${signal[attempt]})` : `exit code ${code}`;
    return [reason === 'Error' || reason === 'Completed' ? '' : reason, end].filter(Boolean).join(', ') ||
      (phase[attempt] === 'S' ? 'succeeded' : 'failed');
  }
}

/**
 * Values at these shares of the sorted values.
 * @param {ArrayLike<number>} sorted
 * @param {number[]} shares
 */
export function quantiles(sorted, shares) {
  return shares.map((share) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]);
}
