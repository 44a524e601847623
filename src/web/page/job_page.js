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
 * @param {(attempt: number) => Promise<string>} read_log
 */
export function job_page(page, choice, on_choice, read_log) {
  const model = new Model(page);
  const view = new View(model, choice, on_choice);
  return el('article', {class: 'job'},
    el('h1', {}, el('span', {class: 'quiet'}, `Job ${visible(page.job.namespace)} / `), visible(page.job.name)),
    verdict(model), counts_panel(model),
    model.cell_count > 0 && index_map(view), detail(view, read_log),
    causes_panel(view), model.attempt_count > 0 && timeline(view), model.attempt_count > 0 && distributions(view), policy_panel(model),
    el('p', {class: 'quiet'}, `State of ${moment(page.now)}. Job UID ${page.job.uid}.`));
}
