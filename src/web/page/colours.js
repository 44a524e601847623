// @ts-check
// What a cell's colour can stand for. Each way sorts cells into named classes, in the order of a
// legend; the palettes can be told apart with any kind of colour vision, in both themes.

import {kStates} from './model.js';
import {bytes, count, duration} from './text.js';

/** @typedef {import('./model.js').Model} Model */

/**
 * @typedef {object} Colouring
 * @property {string[]} names of the classes
 * @property {string[]} colours
 * @property {string[]} marks drawn over the colour where a cell is large enough: '', dot, bar, cross
 * @property {Int16Array} classes of the cells; -1: none
 */

// Okabe and Ito's colours, which are distinct for the colour-blind, and further ones behind them.
const kKinds = ['#0072b2', '#e69f00', '#cc79a7', '#009e73', '#d55e00', '#56b4e9', '#b8a800', '#8b5fbf',
  '#7a7a7a', '#a65628', '#1b7f79', '#c44e8a'];
// Of style.css: each theme has its own.
const kStateColours = {s: '--good', r: '--runs', w: '--waits', b: '--backoff', t: '--ends', f: '--fails', x: '--stopped', n: '--unstarted'};
// From little to much: dark to bright, as viridis has it.
const kScale = ['#440154', '#443a83', '#31688e', '#21908d', '#35b779', '#8fd744', '#fde725'];
const kMaxKinds = kKinds.length;
export const kNone = '#8a94a340';

/**
 * @param {number} number of classes
 * @returns {string[]}
 */
export function kind_colours(number) {
  return Array.from({length: number}, (_, i) => kKinds[i % kKinds.length]);
}

/**
 * White or black, whichever is seen on a colour.
 * @param {string} colour #rrggbb
 */
export function ink_on(colour) {
  const [red, green, blue] = [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));
  return 0.3 * red + 0.59 * green + 0.11 * blue > 140 ? '#000000b0' : '#ffffffe0';
}

/**
 * Classes of a text per cell, the most frequent first; the rest is one class.
 * @param {Model} model
 * @param {(cell: number) => string | null} text_of
 * @returns {Colouring}
 */
function by_text(model, text_of) {
  /** @type {Map<string, number>} */
  const found = new Map();
  /** @type {(string|null)[]} */
  const texts = new Array(model.cell_count);
  for (let cell = 0; cell < model.cell_count; ++cell) {
    const text = text_of(cell);
    texts[cell] = text;
    if (text !== null) {
      found.set(text, (found.get(text) ?? 0) + 1);
    }
  }
  const names = [...found].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).map(([name]) => name);
  if (names.length > kMaxKinds) {
    names.length = kMaxKinds - 1;
  }
  const others = found.size > names.length ? names.length : -1;
  const places = new Map(names.map((name, place) => [name, place]));
  const classes = new Int16Array(model.cell_count);
  for (let cell = 0; cell < model.cell_count; ++cell) {
    const text = texts[cell];
    classes[cell] = text === null ? -1 : places.get(text) ?? others;
  }
  if (others >= 0) {
    names.push('others');
  }
  return {names, colours: kind_colours(names.length), marks: names.map(() => ''), classes};
}

/**
 * Classes of a number per cell, with about equally many cells each.
 * @param {Model} model
 * @param {(cell: number) => number | null} value_of
 * @param {(value: number) => string} text
 * @returns {Colouring}
 */
function by_number(model, value_of, text) {
  /** @type {(number|null)[]} */
  const values = Array.from({length: model.cell_count}, (_, cell) => value_of(cell));
  const sorted = Float64Array.from(values.filter((value) => value !== null)).sort();
  /** @type {number[]} upper bounds, included */
  const bounds = [];
  for (let i = 1; i <= kScale.length && sorted.length > 0; ++i) {
    const bound = sorted[Math.ceil(i * sorted.length / kScale.length) - 1];
    if (bounds.length === 0 || bound > bounds[bounds.length - 1]) {
      bounds.push(bound);
    }
  }
  const names = bounds.map((bound, i) => {
    const low = i === 0 ? sorted[0] : bounds[i - 1];
    return text(low) === text(bound) ? text(bound) : `${i === 0 ? '' : 'over '}${text(low)} to ${text(bound)}`;
  });
  const classes = new Int16Array(model.cell_count);
  for (let cell = 0; cell < model.cell_count; ++cell) {
    const value = values[cell];
    classes[cell] = value === null ? -1 : bounds.findIndex((bound) => value <= bound);
  }
  const step = bounds.length > 1 ? (kScale.length - 1) / (bounds.length - 1) : 0;
  return {names, colours: bounds.map((_, i) => kScale[Math.round(i * step)]), marks: names.map(() => ''), classes};
}

/**
 * @param {Model} model
 * @param {(cell: number) => string} state_of
 * @returns {Colouring}
 */
export function by_state(model, state_of) {
  const places = new Map(kStates.map((state, i) => [/** @type {string} */ (state.letter), i]));
  const style = getComputedStyle(document.documentElement);
  const classes = new Int16Array(model.cell_count);
  for (let cell = 0; cell < model.cell_count; ++cell) {
    classes[cell] = places.get(state_of(cell)) ?? -1;
  }
  return {
    names: kStates.map((state) => state.name),
    colours: kStates.map((state) => style.getPropertyValue(kStateColours[state.letter]).trim() || kNone),
    marks: kStates.map((state) => state.mark),
    classes,
  };
}

/**
 * The newest failure of a cell, or -1.
 * @param {Model} model
 * @param {number} cell
 */
function last_failure(model, cell) {
  let attempt = model.newest[cell];
  while (attempt >= 0 && !model.failed(attempt)) {
    attempt = model.previous[attempt];
  }
  return attempt;
}

/**
 * @param {(model: Model, failure: number) => string | null} text_of
 * @returns {(model: Model) => Colouring}
 */
function of_failures(text_of) {
  return (model) => by_text(model, (cell) => {
    const failure = last_failure(model, cell);
    return failure < 0 ? null : text_of(model, failure);
  });
}

/** @type {Record<string, {name: string, make: (model: Model) => Colouring}>} */
export const kColourings = {
  state: {name: 'state', make: (model) => by_state(model, (cell) => model.state_of(cell))},
  cause: {
    name: 'cause of the last failure',
    make: of_failures((model, failure) => model.page.causes[model.page.attempts.cause[failure]]?.title ?? null),
  },
  rule: {
    name: 'rule of the last failure',
    make: of_failures((model, failure) => model.rule_name(model.page.attempts.rule[failure])),
  },
  exit: {
    name: 'exit code of the last failure',
    make: of_failures((model, failure) => {
      const code = model.page.attempts.exit[failure];
      return code === null ? 'no exit code' : `exit code ${code}`;
    }),
  },
  node: {
    name: 'node of the last attempt',
    make: (model) => by_text(model, (cell) => {
      const attempt = model.newest[cell];
      return attempt < 0 ? null : model.node_of(attempt) || 'no node';
    }),
  },
  attempts: {
    name: 'number of attempts',
    make: (model) => by_number(model, (cell) => model.tries[cell] || null, (value) => count(value)),
  },
  duration: {
    name: 'duration of the last attempt',
    make: (model) => by_number(model, (cell) => {
      const attempt = model.newest[cell];
      return attempt < 0 ? null : model.duration_of(attempt);
    }, duration),
  },
  memory: {
    name: 'peak memory of the last attempt',
    make: (model) => by_number(model, (cell) => {
      const attempt = model.newest[cell];
      return attempt < 0 ? null : model.page.attempts.memory[attempt];
    }, bytes),
  },
};


