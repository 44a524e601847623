// @ts-check
// The live page: login, the two screens, and how it is with the connection.

import {log_in, log_out} from './connection.js';
import {el, say} from './dom.js';
import {JobScreen} from './job_screen.js';
import {OverviewScreen} from './overview.js';
import {start_theme} from './theme.js';
import {visible} from './text.js';

/** @typedef {{element: Element, route: (query: string) => boolean, stop: () => void}} Screen */

const content = /** @type {HTMLElement} */ (document.getElementById('content'));
const notice = /** @type {HTMLElement} */ (document.getElementById('notice'));
const link_state = el('span', {class: 'link-state'});

/** @type {Screen | null} */
let screen = null;

/**
 * Says what is wrong, and the way back.
 * @param {string} kind
 * @param {...(Node | string)} message
 */
function show_notice(kind, ...message) {
  notice.hidden = message.length === 0;
  notice.className = kind;
  notice.replaceChildren(...message);
}

/** @param {import('./connection.js').Health} health */
function show_health(health) {
  document.body.dataset.health = health.state;
  if (health.state === 'live') {
    link_state.textContent = 'Live';
    show_notice('');
  } else if (health.state === 'lost') {
    link_state.textContent = 'No connection';
    show_notice('lost', `The connection to the server is lost. This is how it was; trying again in ${health.seconds} s.`);
  } else if (health.refusal.status === 401) {
    link_state.textContent = 'Logged out';
    show_notice('expired', 'You are not logged in, or the login has expired. Make a new one with ', el('code', {}, 'windlass dashboard'),
      ' and open the address that it prints. What you see here stays until then.');
  } else if (health.refusal.status === 410) {
    link_state.textContent = 'Ended';
    show_notice('ended', `${visible(health.refusal.message)}.`);
  } else {
    link_state.textContent = 'Refused';
    show_notice('refused', `${visible(health.refusal.message)}.`.replace(/\.\.$/, '.'));
  }
}

/** `#/job/NAMESPACE/NAME?choices` or `#/?filters` */
function show_screen() {
  const [path, query = ''] = location.hash.slice(1).split(/\?(.*)/s);
  const parts = path.split('/').map(decodeURIComponent);
  const name = parts[1] === 'job' && parts.length === 4 ? `${parts[2]}/${parts[3]}` : '';
  if (screen !== null && content.dataset.screen === name && screen.route(query)) {
    return;
  }
  screen?.stop();
  content.dataset.screen = name;
  screen = name === '' ? new OverviewScreen(query, show_health) : new JobScreen(parts[2], parts[3], query, show_health);
  content.replaceChildren(screen.element);
  document.title = name === '' ? 'Windlass' : parts[3];
  scrollTo(0, 0);
}

async function start() {
  document.getElementById('top')?.append(
    el('a', {class: 'brand', href: '#/'}, 'Windlass'), link_state, start_theme(),
    el('button', {type: 'button', class: 'plain', click: async () => {
      await log_out().catch(() => undefined);
      location.reload();
    }}, 'Log out'));
  const token = location.hash.match(/^#login=([0-9a-f]+)$/)?.[1];
  if (token) {
    history.replaceState(null, '', '#/');  // it is of no use to others, nor in the history
    try {
      await log_in(token);
      say('Logged in');
    } catch (error) {
      content.replaceChildren();
      show_notice('expired', `${error instanceof Error ? visible(error.message) : error}.`);
      return;
    }
  }
  addEventListener('hashchange', show_screen);
  show_screen();
}

start();
