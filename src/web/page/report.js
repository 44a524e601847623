// @ts-check
// A report: one file with its data inside, which needs no server and no network.

import {el} from './dom.js';
import {job_page} from './job_page.js';
import {read_choice, write_choice} from './view.js';
import {start_theme} from './theme.js';

const page = JSON.parse(document.getElementById('data')?.textContent ?? '');
const show_report = () => {
  const content = document.getElementById('content');
  const on_choice = (/** @type {import('./view.js').Choice} */ choice) => history.replaceState(null, '', `#${write_choice(choice)}`);
  content?.replaceChildren(job_page(page, read_choice(location.hash.slice(1)), on_choice, {
    follows: false,
    rerun: null,
    read_log: async ({place}) => {
      const text = page.logs[place];
      if (text === undefined) {
        throw new Error('it is not part of this report');
      }
      return {text};
    },
  }).element);
};
document.getElementById('top')?.append(el('span', {class: 'brand'}, 'Windlass report'), start_theme());
document.title = `${page.job.name}: ${page.state}`;
show_report();
addEventListener('hashchange', show_report);
