// @ts-check
// The way to the server: requests with the session of this page, and documents that are asked for
// again as soon as they have changed.

const kKeyName = 'windlass-key';
const kLongestPause = 15;  // seconds between attempts to reach a server that is gone

/** An answer that is no data. */
export class Refusal extends Error {
  /**
   * @param {number} status of HTTP
   * @param {string} message
   */
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

function session_key() {
  try {
    return localStorage.getItem(kKeyName) ?? '';
  } catch {
    return '';
  }
}

/**
 * @param {string} what
 * @param {RequestInit} options
 */
async function request(what, options) {
  const response = await fetch(`data/${what}`, {
    cache: 'no-store', credentials: 'same-origin', ...options, headers: {'X-Windlass-Key': session_key(), 'Content-Type': 'application/json'},
  });
  const answer = await response.json().catch(() => null);
  if (!response.ok || answer === null) {
    throw new Refusal(response.status, answer?.message || `the server answered ${response.status}`);
  }
  return answer;
}

/**
 * @param {string} what
 * @param {Record<string, string>} query
 * @param {AbortSignal} [signal]
 */
export function get_data(what, query, signal) {
  return request(`${what}?${new URLSearchParams(query)}`, {signal});
}

/**
 * @param {string} what
 * @param {Record<string, string>} body
 */
export function post_data(what, body) {
  return request(what, {method: 'POST', body: JSON.stringify(body)});
}

/**
 * Makes this page's session from a one-time token.
 * @param {string} token
 */
export async function log_in(token) {
  const answer = await post_data('login', {token});
  localStorage.setItem(kKeyName, answer.key);
}

export async function log_out() {
  await post_data('logout', {});
  localStorage.removeItem(kKeyName);
}

/**
 * How it is with the server.
 * @typedef {{state: 'live'} | {state: 'lost', seconds: number} | {state: 'refused', refusal: Refusal}} Health
 */

/** A document, from its first answer on to every change. */
export class Follower {
  /**
   * @param {string} what
   * @param {Record<string, string>} query
   * @param {(answer: any) => void} on_answer
   * @param {(health: Health) => void} on_health
   */
  constructor(what, query, on_answer, on_health) {
    this.what = what;
    this.query = query;
    this.on_answer = on_answer;
    this.on_health = on_health;
    this.abort = new AbortController();
    this.since = '';
    this.run();
  }

  stop() {
    this.abort.abort();
  }

  async run() {
    let pause = 0;
    while (!this.abort.signal.aborted) {
      // Without a network the answer may never come, nor an error.
      const request_abort = new AbortController();
      const cut = () => request_abort.abort();
      addEventListener('offline', cut);
      this.abort.signal.addEventListener('abort', cut);
      try {
        const answer = await get_data(this.what, {...this.query, since: this.since, watch: '1'}, request_abort.signal);
        if (this.abort.signal.aborted) {
          return;
        }
        pause = 0;
        this.since = answer.since;
        this.on_health({state: 'live'});
        this.on_answer(answer);
      } catch (error) {
        if (this.abort.signal.aborted) {
          return;
        }
        if (error instanceof Refusal && [400, 401, 403, 404, 410, 421].includes(error.status)) {
          this.on_health({state: 'refused', refusal: error});
          if (error.status === 401 || error.status === 410) {
            return;
          }
          pause = kLongestPause;
        } else {
          pause = Math.min(kLongestPause, pause * 2 || 1);
          this.on_health({state: 'lost', seconds: pause});
        }
        await this.rest(pause);
      } finally {
        removeEventListener('offline', cut);
        this.abort.signal.removeEventListener('abort', cut);
      }
    }
  }

  /**
   * Until the time is over, or the network is back.
   * @param {number} seconds
   */
  rest(seconds) {
    return new Promise((resolve) => {
      const timer = setTimeout(done, seconds * 1000);
      const {signal} = this.abort;
      function done() {
        clearTimeout(timer);
        removeEventListener('online', done);
        signal.removeEventListener('abort', done);
        resolve(undefined);
      }
      addEventListener('online', done);
      signal.addEventListener('abort', done);
    });
  }
}
