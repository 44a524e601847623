// @ts-check
// A document of one Job as src/web/job_page.cc writes it, made up: any number of indexes, four
// planted causes, and names and log lines that would do harm as markup.

/** A generator of numbers from a seed. @param {number} seed */
function numbers(seed) {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

export const kHostile = '<img src=x onerror="window.harmed=1"><script>window.harmed=1</script>\u202egnp.exe\u001b[31m';

/**
 * @param {number} count of indexes
 * @param {number} [seed]
 */
export function sample_page(count, seed = 7) {
  const random = numbers(seed);
  const start = 1_700_000_000;
  const causes = [
    {id: 'oom', title: 'OOMKilled', exit: 137, signal: 9, reason: 'OOMKilled', rule: -1, share: 0.02, line: 'Killed'},
    {id: 'json', title: 'exit 42 `record N is no JSON`', exit: 42, signal: 0, reason: 'Error', rule: 0, share: 0.015, line: 'record 17 is no JSON'},
    {id: 'evicted', title: 'evicted by preemption', exit: null, signal: 0, reason: 'Preempted', rule: 1, share: 0.01, line: ''},
    {id: 'hostile', title: `exit 3 \`${kHostile}\``, exit: 3, signal: 0, reason: 'Error', rule: -1, share: 0.001, line: kHostile},
  ];
  /** @type {any} */
  const attempts = {index: [], number: [], pod: [], uid: [], node: [], created: [], started: [], ended: [], phase: '', exit: [],
    signal: [], reason: [], rule: [], counted: '', cause: [], memory: [], cpu: []};
  const reasons = ['Error', 'OOMKilled', 'Preempted', 'Completed'];
  const sets = causes.map(() => /** @type {number[]} */ ([]));
  /** @type {Record<string, string>} */
  const logs = {};
  const letters = new Array(count).fill('s');
  for (let index = 0; index < count; ++index) {
    let at = start + index / count * 3600 * random();
    for (let number = 1; ; ++number) {
      const draw = random();
      let sum = 0;
      const cause = number > 3 ? -1 : causes.findIndex((each) => draw < (sum += each.share));
      const running = cause < 0 && random() < 0.005;
      const ran = 20 + 100 * random() * random() + (cause === 0 ? 60 : 0);
      attempts.index.push(index);
      attempts.number.push(number);
      attempts.pod.push(`sample-${index}-${number}`);
      attempts.uid.push(`uid-${index}-${number}`);
      attempts.node.push(cause === 1 && random() < 0.7 ? 2 : Math.floor(random() * 8));
      attempts.created.push(at);
      attempts.started.push(at + random() * 3);
      attempts.ended.push(running ? null : at + ran);
      attempts.phase += running ? 'R' : cause < 0 ? 'S' : 'F';
      attempts.exit.push(running ? null : cause < 0 ? 0 : causes[cause].exit);
      attempts.signal.push(cause < 0 ? 0 : causes[cause].signal);
      attempts.reason.push(running ? -1 : cause < 0 ? 3 : reasons.indexOf(causes[cause].reason));
      attempts.rule.push(cause < 0 ? -1 : causes[cause].rule);
      attempts.counted += running ? '-' : cause < 0 ? 'S' : cause === 2 ? 'I' : 'F';
      attempts.cause.push(cause);
      attempts.memory.push(running ? null : Math.round((200 + 1800 * random() * random()) * 2 ** 20));
      attempts.cpu.push(running ? null : ran * 0.8);
      if (cause < 0) {
        letters[index] = running ? 'r' : 's';
        break;
      }
      sets[cause].push(index);
      logs[attempts.pod.length - 1] = `reading /data/part-${index}\n${causes[cause].line}\n`;
      if (cause === 1) {
        letters[index] = 'f';
        break;
      }
      at += ran + 10 * number;
    }
  }
  // As the program sorts causes: the most frequent first.
  const order = causes.map((_, i) => i).sort((a, b) => sets[b].length - sets[a].length);
  attempts.cause = attempts.cause.map((/** @type {number} */ cause) => cause < 0 ? -1 : order.indexOf(cause));
  const number_of = (/** @type {string} */ letter) => letters.filter((each) => each === letter).length;
  return {
    version: 1, now: start + 4000,
    job: {namespace: 'default', name: 'sample', uid: '0b5a8f3e', indexed: true, completions: count, parallelism: 100, created: start,
      started: start, ended: start + 3900, backoffLimit: null, backoffLimitPerIndex: 3, maxFailedIndexes: null},
    state: 'Failed', headline: 'Failed: index 5 ended with exit code 42 (container main); rule Input says FailIndex',
    details: ['Job has failed indexes', `Pod sample-5-1 on node node-3: ${kHostile}`],
    counts: {succeeded: number_of('s'), running: number_of('r'), waiting: 0, failed: number_of('f'), notStarted: 0, terminating: 0,
      failedPods: attempts.counted.split('F').length - 1, ignoredPods: sets[2].length, waitingFor: []},
    cells: letters.join(''),
    rules: [{rule: 0, name: 'Input', action: 'FailIndex', when: 'exit code in 42', matches: sets[1].length, effect: `failed ${sets[1].length} indexes`},
      {rule: 1, name: '', action: 'Ignore', when: 'condition DisruptionTarget', matches: sets[2].length, effect: `${sets[2].length} failures do not count`}],
    findings: [{severity: 'warning', id: 'endless-retries', path: 'spec.backoffLimitPerIndex', what: 'An index may run four times.', why: 'It costs.', fix: 'Lower it.'}],
    causes: order.map((i) => [causes[i], i]).map((/** @type {any} */ [cause, i]) => ({id: cause.id, title: cause.title, count: sets[i].length, ignored: i === 2,
      indexes: sets[i].slice(0, 20).join(','), first: start + 60, last: start + 3600,
      nodes: [{name: 'node-3', count: Math.ceil(sets[i].length * 0.7), outlier: i === 1}, {name: 'node-1', count: Math.floor(sets[i].length * 0.3), outlier: false}],
      sample_pod: 'sample-5-1', sample_line: cause.line})),
    names: {nodes: Array.from({length: 8}, (_, i) => `node-${i + 1}`), reasons}, attempts, logs, ledger: true,
    rerun: 'windlass rerun job/sample -n default',
  };
}
