// The figures of docs/reference/performance.md about the page. Prints one line per figure.

import {readFileSync} from 'node:fs';

import {launch, Server} from '../../tests/web/browser.js';

const [indexes, minutes] = process.argv.slice(2).map(Number);
const kPatience = {timeout: 1_200_000};
const is_large = indexes > 20_000;  // one run has to do
const say = (figure, value) => console.log(`${figure.padEnd(66)} ${value}`);
const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];

/** Seconds of processor time that a process has used. */
function processor_seconds(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

/** Megabytes that belong to a process alone. */
function private_megabytes(pid) {
  const sizes = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8').matchAll(/^Private_\w+:\s+(\d+) kB/gm);
  return [...sizes].reduce((sum, [, size]) => sum + Number(size), 0) / 1024;
}

const server = await new Server().start('--hollow-nodes', '200');
const browser = await launch();
const context = await browser.newContext({ignoreHTTPSErrors: true, viewport: {width: 1280, height: 900}});

/** The heap of the page after everything unused is gone, and its process. */
async function memory_of(page) {
  const session = await context.newCDPSession(page);
  await session.send('HeapProfiler.collectGarbage');
  const {usedSize} = await session.send('Runtime.getHeapUsage');
  await session.detach();
  const whole = await browser.newBrowserCDPSession();
  const {processInfo} = await whole.send('SystemInfo.getProcessInfo');
  await whole.detach();
  const tabs = processInfo.filter(({type}) => type === 'renderer').map(({id}) => private_megabytes(id));
  return {heap: usedSize / 2 ** 20, tab: Math.max(...tabs)};
}

const job_address = (name) => `${server.address}/ui/#/job/default/${name}`;
const is_drawn = (total) => {
  const text = document.querySelector('#map .legend')?.textContent ?? '';
  const sum = [...text.matchAll(/ ([\d,]+)(?=\D*$|[^\d,])/g)].reduce((all, [, number]) => all + Number(number.replaceAll(',', '')), 0);
  return sum >= total && document.querySelector('#map canvas:not(.swatch)').width > 300 && performance.now();
};

async function first_picture(name, total) {
  const times = [];
  for (let i = 0; i < 5; ++i) {
    const page = await context.newPage();
    await page.goto(job_address(name));
    const time = await page.waitForFunction(is_drawn, total, {...kPatience, polling: 'raf'});
    times.push(await time.jsonValue());
    await page.close();
  }
  return median(times);
}

/** A Job from its creation to its end; a page looks on, or not. */
async function run_job(name, page) {
  if (page) {
    await page.goto(`${server.address}/ui/#/`);
    await page.waitForSelector('#jobs');
  }
  const used = processor_seconds(server.process.pid);
  const began = Date.now();
  server.create_hollow_job(name, indexes, Math.min(indexes, 5000), {'windlass.dev/hollow-duration': '1s'});
  if (page) {
    await page.goto(job_address(name));
    await page.waitForSelector('#map canvas', kPatience);
    await page.evaluate(() => {
      window.frames_drawn = [];
      const frame = (time) => {
        window.frames_drawn.push(time);
        window.frame = requestAnimationFrame(frame);
      };
      requestAnimationFrame(frame);
    });
  }
  server.kubectl(['wait', '--for=condition=Complete', `job/${name}`, '--timeout=1200s']);
  const seconds = (Date.now() - began) / 1000;
  const result = {rate: indexes / seconds, processor: (processor_seconds(server.process.pid) - used) / indexes * 1e6};
  if (page) {
    const frames = await page.evaluate(() => { cancelAnimationFrame(window.frame); return window.frames_drawn; });
    const gaps = frames.slice(1).map((time, i) => time - frames[i]).sort((a, b) => a - b);
    result.frames = gaps.length / (frames.at(-1) - frames[0]) * 1000;
    result.late = gaps[Math.floor(gaps.length * 0.99)];
  }
  return result;
}

try {
  const page = await context.newPage();
  await page.goto(server.login());
  await page.waitForSelector('#jobs');

  const alone = [];
  const watched = [];
  for (let i = 0; i < (is_large ? 1 : 3); ++i) {
    if (!is_large) {
      alone.push(await run_job(`alone-${i}`, null));
    }
    watched.push(await run_job(`watched-${i}`, page));
  }
  const best = (runs, key) => Math.min(...runs.map((run) => run[key]));
  if (!is_large) {
    say('pods per second without a page, with a page', `${Math.max(...alone.map(({rate}) => rate)).toFixed(0)}, ${Math.max(...watched.map(({rate}) => rate)).toFixed(0)}`);
    say('processor time of the server per pod without, with a page', `${best(alone, 'processor').toFixed(0)} µs, ${best(watched, 'processor').toFixed(0)} µs`);
  }
  say('frames per second of the page meanwhile', Math.max(...watched.map(({frames}) => frames)).toFixed(0));
  say('99 % of its frames come within', `${best(watched, 'late').toFixed(0)} ms`);

  const fresh = await browser.newContext({ignoreHTTPSErrors: true});
  const first = await fresh.newPage();
  await first.goto(server.login());
  await first.waitForSelector('#jobs');
  const weight = await first.evaluate(() => performance.getEntries().filter(({entryType, name}) => entryType === 'navigation' || (entryType === 'resource' && !name.includes('/data/')))
    .reduce((sum, {encodedBodySize}) => sum + encodedBodySize, 0));
  await fresh.close();
  say('page weight', `${(weight / 1000).toFixed(0)} KB`);
  say(`first picture of ${indexes} indexes, median of 5`, `${(await first_picture('watched-0', indexes)).toFixed(0)} ms`);

  await page.close();
  const tab = await context.newPage();
  await tab.goto(job_address('watched-0'));
  await tab.waitForFunction(is_drawn, indexes, kPatience);
  const {heap, tab: tab_size} = await memory_of(tab);
  say(`memory of the tab at ${indexes} indexes: heap, process`, `${heap.toFixed(0)} MB, ${tab_size.toFixed(0)} MB`);

  // The document stays as large as it is, and is sent anew all the time.
  const {send, close} = server.connect();
  const sizes = [heap.toFixed(1)];
  for (let minute = 0; minute < minutes; ++minute) {
    for (const end = Date.now() + 60_000; Date.now() < end;) {
      await send('PATCH', '/apis/batch/v1/namespaces/default/jobs/watched-0', {metadata: {annotations: {now: String(Date.now())}}}, 'application/merge-patch+json');
      await new Promise((done) => { setTimeout(done, 100); });
    }
    sizes.push((await memory_of(tab)).heap.toFixed(1));
  }
  close();
  say('heap of a tab that gets news twice a second, minute by minute', `${sizes.join(', ')} MB`);

  const jobs = Array.from({length: 5000}, (_, i) => ({
    apiVersion: 'batch/v1', kind: 'Job', metadata: {name: `nightly-${i}`},
    spec: {suspend: true, template: {spec: {restartPolicy: 'Never', containers: [{name: 'main', image: 'none'}]}}},
  }));
  await server.create_all('/apis/batch/v1/namespaces/default/jobs', jobs);
  await tab.goto(`${server.address}/ui/#/`);
  await tab.waitForFunction(() => document.querySelector('#state-Suspended')?.textContent.includes('5,000'), null, kPatience);
  const searches = [];
  for (const text of ['nightly-1', 'nightly-12', 'nightly-123', 'nightly', '']) {
    searches.push(await tab.evaluate(async (wanted) => {
      const search = document.querySelector('#search');
      search.value = wanted;
      const began = performance.now();
      search.dispatchEvent(new Event('input'));
      await new Promise((done) => { requestAnimationFrame(() => setTimeout(done)); });
      return performance.now() - began;
    }, text));
  }
  say('a search among 5,000 Jobs, from the key to the picture, median of 5', `${median(searches).toFixed(0)} ms`);
} finally {
  await browser.close();
  await server.stop();
}
