// @ts-check
// One Job as it goes on.

import {Follower, get_data, post_data, Refusal} from './connection.js';
import {el} from './dom.js';
import {job_page} from './job_page.js';
import {LivePage} from './merge.js';
import {Model} from './model.js';
import {visible} from './text.js';
import {read_choice, write_choice} from './view.js';

/** @param {string} ns @param {string} name */
export function job_address(ns, name) {
  return `#/job/${encodeURIComponent(ns)}/${encodeURIComponent(name)}`;
}

export class JobScreen {
  /**
   * @param {string} ns
   * @param {string} name
   * @param {string} query
   * @param {(health: import('./connection.js').Health) => void} on_health
   */
  constructor(ns, name, query, on_health) {
    this.ns = ns;
    this.name = name;
    this.choice = read_choice(query);
    this.live = new LivePage();
    /** @type {import('./view.js').View | null} */
    this.view = null;
    this.held = false;
    this.waits = false;
    this.may_rerun = get_data('rights', {namespace: ns}).then((rights) => rights.rerun, () => false);
    this.element = el('div', {}, el('p', {class: 'quiet'}, `Reading Job ${visible(ns)}/${visible(name)}.`));
    // Nothing is replaced between the two halves of a click.
    this.element.addEventListener('pointerdown', () => { this.held = true; });
    this.release = () => setTimeout(() => {
      this.held = false;
      this.show();
    });
    addEventListener('pointerup', this.release);
    addEventListener('pointercancel', this.release);
    this.follower = new Follower('job', {namespace: ns, name}, (answer) => this.take(answer), (health) => {
      on_health(health);
      if (health.state === 'refused' && this.view === null) {
        this.element.replaceChildren(el('p', {}, 'There is nothing to show. ', el('a', {href: '#/'}, 'All Jobs')));
      }
    });
  }

  stop() {
    this.follower.stop();
    removeEventListener('pointerup', this.release);
    removeEventListener('pointercancel', this.release);
  }

  /**
   * Another address of the same Job.
   * @param {string} query
   */
  route(query) {
    const choice = read_choice(query);
    if (this.view !== null && write_choice(choice) !== write_choice(this.view.choice)) {
      this.view.choose(choice);
    }
    return true;
  }

  /** @param {any} answer */
  async take(answer) {
    this.live.take(answer);
    const may_rerun = await this.may_rerun;
    if (this.view === null) {
      this.open(may_rerun);
    } else {
      this.waits = true;
      this.show();
    }
  }

  show() {
    if (!this.waits || this.held || this.view === null || this.live.page === null) {
      return;
    }
    this.waits = false;
    this.view.update(new Model(this.live.page), this.live.changed);
  }

  /** @param {boolean} may_rerun */
  open(may_rerun) {
    const page = /** @type {import('./model.js').JobPage} */ (this.live.page);
    const address = job_address(this.ns, this.name);
    const {element, view} = job_page(page, this.choice, (choice) => {
      const query = write_choice(choice);
      history.replaceState(null, '', query === '' ? address : `${address}?${query}`);
    }, {
      follows: true,
      read_log: (attempt) => this.read_log(attempt),
      rerun: may_rerun ? async (indexes) => {
        const {job} = await post_data('rerun', {namespace: this.ns, name: this.name, indexes});
        return {name: job, address: job_address(this.ns, job)};
      } : null,
    });
    this.view = view;
    this.element.replaceChildren(element);
  }

  /**
   * Of the pod or, once that is gone, of the ledger.
   * @param {import('./panels.js').AttemptName} attempt
   */
  async read_log({uid, pod, container}) {
    try {
      return await get_data('log', {namespace: this.ns, pod, container});
    } catch (error) {
      if (!(error instanceof Refusal) || [401, 403].includes(error.status)) {
        throw error;
      }
      return get_data('kept-log', {namespace: this.ns, uid});
    }
  }
}
