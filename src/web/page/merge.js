// @ts-check
// A document about a Job that changes: takes over what the server says is new.

/** @typedef {import('./model.js').JobPage} JobPage */

/**
 * The indexes of a list, `3,7-9`.
 * @param {string} list
 * @returns {number[]}
 */
export function indexes_of(list) {
  /** @type {number[]} */
  const indexes = [];
  for (const part of list === '' ? [] : list.split(',')) {
    const [first, last] = part.split('-').map(Number);
    for (let index = first; index <= (last ?? first); ++index) {
      indexes.push(index);
    }
  }
  return indexes;
}

/**
 * The other way round. Ascending.
 * @param {number[]} indexes
 */
export function list_of(indexes) {
  const parts = [];
  for (let i = 0; i < indexes.length;) {
    let end = i;
    while (indexes[end + 1] === indexes[end] + 1) {
      ++end;
    }
    parts.push(end === i ? `${indexes[i]}` : end === i + 1 ? `${indexes[i]},${indexes[end]}` : `${indexes[i]}-${indexes[end]}`);
    i = end + 1;
  }
  return parts.join(',');
}

/**
 * Places of names in a table, which grows.
 * @param {string[]} names
 */
function name_table(names) {
  const places = new Map(names.map((name, place) => [name, place]));
  return (/** @type {string | undefined} */ name) => {
    if (name === undefined) {
      return -1;
    }
    let place = places.get(name);
    if (place === undefined) {
      place = names.push(name) - 1;
      places.set(name, place);
    }
    return place;
  };
}

export class LivePage {
  constructor() {
    /** @type {JobPage | null} */
    this.page = null;
    /** @type {Map<string, number>} place of an attempt by UID of its pod */
    this.places = new Map();
    /** @type {Set<number>} cells that the last answer changed */
    this.changed = new Set();
  }

  /**
   * @param {{full: boolean, page: JobPage, changes?: {gone: string[], cells: Record<string, string>}}} answer
   * @returns {JobPage}
   */
  take(answer) {
    this.changed = new Set();
    if (answer.full || this.page === null || !answer.changes) {
      this.page = answer.page;
      this.places = new Map(answer.page.attempts.uid.map((uid, place) => [uid, place]));
      return this.page;
    }
    const {attempts, names, cells, logs} = this.page;
    this.rename_causes(answer.page);
    this.page = {...answer.page, attempts, names, logs, cells: this.change_cells(cells, answer.changes.cells)};
    const letters = {phase: attempts.phase.split(''), counted: attempts.counted.split('')};
    this.change_attempts(answer.page, letters);
    this.remove_attempts(answer.changes.gone, letters);
    attempts.phase = letters.phase.join('');
    attempts.counted = letters.counted.join('');
    return this.page;
  }

  /**
   * Causes are sorted by their size, and change places.
   * @param {JobPage} fresh
   */
  rename_causes(fresh) {
    const before = this.page?.causes ?? [];
    const places = new Map(fresh.causes.map((cause, place) => [cause.id, place]));
    const moved = before.map((cause) => places.get(cause.id) ?? -1);
    const column = this.page?.attempts.cause ?? [];
    for (let i = 0; i < column.length; ++i) {
      column[i] = column[i] < 0 ? -1 : moved[column[i]];
    }
  }

  /**
   * @param {string | null} cells
   * @param {Record<string, string>} changes
   */
  change_cells(cells, changes) {
    if (cells === null) {
      return null;
    }
    const letters = cells.split('');
    for (const [letter, list] of Object.entries(changes)) {
      for (const index of indexes_of(list)) {
        letters[index] = letter;
        this.changed.add(index);
      }
    }
    return letters.join('');
  }

  /**
   * @param {JobPage} fresh
   * @param {Record<'phase' | 'counted', string[]>} letters
   */
  change_attempts(fresh, letters) {
    const {attempts, names} = /** @type {JobPage} */ (this.page);
    const node_place = name_table(names.nodes);
    const reason_place = name_table(names.reasons);
    const from = fresh.attempts;
    for (let i = 0; i < from.uid.length; ++i) {
      const uid = from.uid[i];
      const at = this.places.get(uid) ?? attempts.uid.length;
      this.places.set(uid, at);
      for (const name of /** @type {const} */ (['index', 'number', 'pod', 'uid', 'created', 'started', 'ended', 'exit', 'signal', 'rule', 'cause', 'memory', 'cpu'])) {
        /** @type {any[]} */ (attempts[name])[at] = from[name][i];
      }
      attempts.node[at] = node_place(fresh.names.nodes[from.node[i]]);
      attempts.reason[at] = reason_place(fresh.names.reasons[from.reason[i]]);
      letters.phase[at] = from.phase[i];
      letters.counted[at] = from.counted[i];
    }
  }

  /**
   * The last attempt takes the place of one that is gone.
   * @param {string[]} gone
   * @param {Record<'phase' | 'counted', string[]>} letters
   */
  remove_attempts(gone, letters) {
    const {attempts} = /** @type {JobPage} */ (this.page);
    for (const uid of gone) {
      const at = this.places.get(uid);
      if (at === undefined) {
        continue;
      }
      this.places.delete(uid);
      const last = attempts.uid.length - 1;
      if (at !== last) {
        this.places.set(attempts.uid[last], at);
      }
      for (const column of [...Object.values(attempts), letters.phase, letters.counted]) {
        if (Array.isArray(column)) {
          /** @type {any[]} */ (column)[at] = column[last];
          column.pop();
        }
      }
    }
  }
}
