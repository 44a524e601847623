// @ts-check
// A report: one file with its data inside, which needs no server and no network.

import {el} from './dom.js';
import {job_page} from './job_page.js';
import {read_choice, write_choice} from './view.js';
import {start_theme} from './theme.js';

const page = JSON.parse(document.getElementById('data')?.textContent ?? '');
const show_report = () => {
  const content = document.getElementById('content');
  content?.replaceChildren(job_page(page, read_choice(location.hash.slice(1)),
    (choice) => history.replaceState(null, '', `#${write_choice(choice)}`),
    async (attempt) => {
      const log = page.logs[attempt];
      if (log === undefined) {
        throw new Error('it is not part of this report');
      }
      return log;
    }));
};
document.getElementById('top')?.append(el('span', {class: 'brand'}, 'Windlass report'), start_theme());
document.title = `${page.job.name}: ${page.state}`;
show_report();
addEventListener('hashchange', show_report);
