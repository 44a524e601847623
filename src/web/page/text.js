// @ts-check
// Numbers, times and names as people read them.

/** @param {number} value */
export function count(value) {
  return value.toLocaleString('en-US');
}

/**
 * @param {number} number
 * @param {string} noun
 * @param {string} [plural]
 */
export function counted(number, noun, plural = noun + 's') {
  return `${count(number)} ${number === 1 ? noun : plural}`;
}

/** @param {number | null} seconds */
export function duration(seconds) {
  if (seconds === null || !Number.isFinite(seconds)) {
    return 'unknown';
  }
  if (seconds === 0) {
    return 'under 1 s';  // pods have whole seconds
  }
  if (seconds < 0.0995) {
    return `${Math.round(seconds * 1000)} ms`;
  }
  if (seconds < 60) {
    return `${seconds < 10 ? Math.round(seconds * 10) / 10 : Math.round(seconds)} s`;
  }
  const whole = Math.round(seconds);
  const parts = [[Math.floor(whole / 86400), 'd'], [Math.floor(whole / 3600) % 24, 'h'],
    [Math.floor(whole / 60) % 60, 'min'], [whole % 60, 's']];
  const first = parts.findIndex(([value]) => value !== 0);
  return parts.slice(first, first + 2).filter(([value]) => value !== 0)
    .map(([value, unit]) => `${value} ${unit}`).join(' ');
}

/** @param {number | null} value */
export function bytes(value) {
  if (value === null) {
    return 'unknown';
  }
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];
  let unit = 0;
  let rest = value;
  while (rest >= 1024 && unit < units.length - 1) {
    rest /= 1024;
    ++unit;
  }
  return `${rest < 10 && unit > 0 ? rest.toFixed(1) : Math.round(rest)} ${units[unit]}`;
}

/**
 * In the reader's own time zone.
 * @param {number | null} seconds since 1970
 */
export function moment(seconds) {
  if (seconds === null) {
    return 'unknown';
  }
  return new Date(seconds * 1000).toLocaleString('sv-SE', {
    year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit', second: '2-digit', timeZoneName: 'short'});
}

/**
 * From one moment to another, with what both have in common once.
 * @param {number | null} first
 * @param {number | null} last
 */
export function span_of(first, last) {
  const [from, to] = [moment(first), moment(last)];
  const [day, time, zone] = from.split(' ');
  return from === to ? `at ${from}` : to.startsWith(`${day} `) && to.endsWith(` ${zone}`) ? `${day} ${time} to ${to.slice(day.length + 1)}` : `${from} to ${to}`;
}

/** @param {number} seconds since 1970 */
export function clock(seconds) {
  return new Date(seconds * 1000).toLocaleTimeString('sv-SE');
}

/**
 * A list of indexes, `3,7-9,12`, cut after some parts.
 * @param {string} list
 * @param {number} [most]
 */
export function short_list(list, most = 12) {
  const parts = list.split(',');
  return parts.length <= most ? list : `${parts.slice(0, most).join(',')} and more`;
}

/**
 * Control characters become visible, and those that reorder text lose their effect.
 * @param {string} text
 */
export function visible(text) {
  return text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g,
    (character) => character === '\u001b' ? '␛' :
      character < ' ' ? String.fromCharCode(0x2400 + character.charCodeAt(0)) : '�');
}

/**
 * Log text without the escape sequences of terminals.
 * @param {string} text
 */
export function plain_log(text) {
  return visible(text.replace(/\u001b\[[0-9;?]*[ -/]*[@-~]/g, '').replace(/\r\n/g, '\n'));
}
