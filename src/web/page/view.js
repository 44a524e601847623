// @ts-check
// What the reader has chosen. All of it is in the address, so that a link shows the same.

/**
 * @typedef {object} Choice
 * @property {string} colour
 * @property {number} shown class of the colouring; -1: all
 * @property {string} cause id; '': all
 * @property {number} cell that is open; -1: none
 * @property {string} pair of its attempts that are compared, as `1,3`; '': all
 * @property {string} group of the timeline: cell or node
 * @property {number} time that the map shows, 0 to 1000 of the Job's life; -1: the end
 */

/** @type {Choice} */
const kDefaults = {colour: 'state', shown: -1, cause: '', cell: -1, pair: '', group: 'cell', time: -1};

/**
 * @param {string} text the query of an address
 * @returns {Choice}
 */
export function read_choice(text) {
  const query = new URLSearchParams(text);
  /** @type {any} */
  const choice = {...kDefaults};
  for (const [key, value] of Object.entries(kDefaults)) {
    const given = query.get(key);
    if (given !== null) {
      choice[key] = typeof value === 'number' ? (/^\d{1,9}$/.test(given) ? Number(given) : value) : given.slice(0, 200);
    }
  }
  return choice;
}

/**
 * The address keeps what differs from the defaults.
 * @param {Choice} choice
 */
export function write_choice(choice) {
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(choice)) {
    if (value !== /** @type {any} */ (kDefaults)[key]) {
      query.set(key, String(value));
    }
  }
  return query.toString();
}

/** Panels that follow the choice. */
export class View {
  /**
   * @param {import('./model.js').Model} model
   * @param {Choice} choice
   * @param {(choice: Choice) => void} on_change
   */
  constructor(model, choice, on_change) {
    this.model = model;
    this.choice = choice;
    this.on_change = on_change;
    /** @type {((what: Set<string>) => void)[]} */
    this.followers = [];
    /** @type {Set<number>} cells that the last update changed */
    this.changed = new Set();
  }

  /** @param {(what: Set<string>) => void} follower */
  follow(follower) {
    this.followers.push(follower);
  }

  /**
   * There is news: followers hear of `data`.
   * @param {import('./model.js').Model} model
   * @param {Set<number>} changed cells
   */
  update(model, changed) {
    this.model = model;
    this.changed = changed;
    this.tell('data');
  }

  /** @param {string} what has changed */
  tell(what) {
    for (const follower of this.followers) {
      follower(new Set([what]));
    }
  }

  /** @param {Partial<Choice>} change */
  choose(change) {
    const what = new Set(Object.keys(change));
    Object.assign(this.choice, change);
    this.on_change(this.choice);
    for (const follower of this.followers) {
      follower(what);
    }
  }

  /** The moment that the map shows; null: now. */
  get moment() {
    const {model, choice} = this;
    return choice.time < 0 ? null : model.first + (model.last - model.first) * choice.time / 1000;
  }

  /**
   * Whether an attempt is among the chosen causes.
   * @param {number} attempt
   */
  has_attempt(attempt) {
    const {cause} = this.choice;
    return cause === '' || this.model.page.causes[this.model.page.attempts.cause[attempt]]?.id === cause;
  }

  /**
   * @param {number} cell
   */
  has_cell(cell) {
    if (this.choice.cause === '') {
      return true;
    }
    for (let i = this.model.newest[cell]; i >= 0; i = this.model.previous[i]) {
      if (this.has_attempt(i)) {
        return true;
      }
    }
    return false;
  }
}
