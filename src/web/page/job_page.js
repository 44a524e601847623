// @ts-check
// One Job, from the verdict to the last detail.

import {detail} from './detail.js';
import {el} from './dom.js';
import {index_map} from './map.js';
import {Model} from './model.js';
import {causes_panel, counts_panel, distributions, policy_panel, verdict} from './panels.js';
import {moment, visible} from './text.js';
import {timeline} from './timeline.js';
import {View} from './view.js';

/**
 * @param {import('./model.js').JobPage} page
 * @param {import('./view.js').Choice} choice
 * @param {(choice: import('./view.js').Choice) => void} on_choice
 * @param {import('./panels.js').Tools} tools
 */
export function job_page(page, choice, on_choice, tools) {
  const view = new View(new Model(page), choice, on_choice);
  const {job} = page;
  const state = el('p', {class: 'quiet'}, `State of ${moment(page.now)}. Job UID ${job.uid}.`);
  view.follow((what) => {
    if (what.has('data')) {
      state.textContent = `State of ${moment(view.model.page.now)}. Job UID ${job.uid}.`;
    }
  });
  const element = el('article', {class: 'job'},
    el('h1', {}, el('span', {class: 'quiet'}, `Job ${visible(job.namespace)} / `), visible(job.name)),
    verdict(view, tools), counts_panel(view),
    el('div', {class: 'beside'}, index_map(view), causes_panel(view, tools)), detail(view, tools),
    timeline(view), distributions(view), policy_panel(view), state);
  const repaint = () => element.isConnected ? view.tell('theme') : removeEventListener('windlass-theme', repaint);
  addEventListener('windlass-theme', repaint);
  return {element, view};
}
