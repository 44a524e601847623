// The live page in a real browser, as `windlass up` and `windlass dashboard` serve it.

import assert from 'node:assert/strict';
import {mkdirSync} from 'node:fs';
import {after, before, describe, test} from 'node:test';

import {launch, run_with_page, Server, watch} from './browser.js';
import {kHostile} from './sample_page.js';

const pictures = process.env.WINDLASS_PICTURES ?? 'build/web/pictures';
const deadline = {timeout: 60_000};
// Two causes, and indexes that succeed.
const script = 'i=$JOB_COMPLETION_INDEX; echo reading part $i; sleep 0.$((i % 5)); ' +
  'case $((i % 9)) in 4) echo "record $i is no JSON"; exit 42;; 7) echo out of disk; exit 3;; esac; echo done';
const policy = {podFailurePolicy: {rules: [{action: 'FailIndex', name: 'BadInput', onExitCodes: {operator: 'In', values: [42]}}]}};

describe('live page', () => {
  let server, browser;
  before(async () => {
    mkdirSync(pictures, {recursive: true});
    server = await new Server().start('--nodes', '3', '--backoff-base', '100ms');
    browser = await launch();
    server.create_job('sweep', 240, script, {parallelism: 16, ...policy});
  });
  after(async () => {
    await browser?.close();
    await server?.stop();
  });

  /** A browser that is logged in, or not. */
  async function open(t, address, options = {}, may_say = /^$/) {
    const context = await browser.newContext({ignoreHTTPSErrors: true, viewport: {width: 1280, height: 900}, ...options});
    const page = await context.newPage();
    watch(t, page, new RegExp(`^(${new URL(address).origin}/|blob:)`), may_say);
    t.after(() => context.close());
    await page.goto(address);
    return page;
  }
  async function open_job(t, name, options, user = 'admin', may_say = undefined) {
    const page = await open(t, server.login(user), options, may_say);
    await page.waitForSelector('.jobs li', deadline);
    await page.goto(`${server.address}/ui/#/job/default/${name}`);
    await page.waitForSelector('#counts', deadline);
    return page;
  }
  const failed_job = async (t, options, user, may_say) => {
    const page = await open_job(t, 'sweep', options, user, may_say);
    await page.waitForSelector('#verdict.bad', deadline);
    await page.waitForFunction(() => document.querySelectorAll('.causes li').length === 2, null, deadline);
    return page;
  };

  test('a login works once', async (t) => {
    const address = server.login();
    const page = await open(t, address);
    await page.waitForSelector('.jobs li', deadline);
    assert.doesNotMatch(page.url(), /login/);
    const again = await open(t, address, {}, /401/);
    await again.waitForSelector('#notice.expired');
    assert.match(await again.textContent('#notice'), /used before.*windlass dashboard/);
    const stranger = await open(t, `${server.address}/ui/`, {}, /401/);
    await stranger.waitForSelector('#notice.expired');
    assert.equal(await stranger.locator('.jobs li').count(), 0);
  });

  test('a Job is followed from its creation to its verdict', async (t) => {
    const page = await open(t, server.login());
    await page.waitForSelector('.jobs li', deadline);
    server.create_job('fresh', 12, 'sleep 1; [ $JOB_COMPLETION_INDEX != 3 ]');
    await page.click('a:has-text("fresh")', deadline);
    await page.waitForSelector('#verdict.open', deadline);
    await page.waitForSelector('.legend :text("running")', deadline);
    await page.waitForSelector('#verdict.bad', deadline);
    assert.match(await page.textContent('#verdict'), /index 3 ended with exit code 1/);
    await page.waitForFunction(() => document.querySelector('#map .legend').textContent.includes('failed 1'), null, deadline);
    assert.match(await page.textContent('#map .legend'), /succeeded 11\s*failed 1/);
    assert.equal(await page.textContent('.link-state'), 'Live');
  });

  test('the overview filters and searches, and the address keeps it', async (t) => {
    const page = await open(t, server.login());
    await page.waitForSelector('a:has-text("sweep")', deadline);
    await page.fill('#search', 'swee');
    assert.equal(await page.locator('.jobs li').count(), 1);
    assert.match(page.url(), /text=swee/);
    await page.fill('#search', 'no such job');
    assert.match(await page.textContent('#jobs'), /No Job matches/);
    await page.fill('#search', '');
    await page.click('#state-Failed', deadline);
    assert.match(page.url(), /state=Failed/);
    await page.reload();
    await page.waitForSelector('.jobs li', deadline);
    assert.equal(await page.getAttribute('#state-Failed', 'aria-pressed'), 'true');
    assert.ok((await page.locator('.jobs li').allTextContents()).every((text) => text.includes('Failed')));
  });

  test('a cause filters the map, and is run again', async (t) => {
    const page = await failed_job(t);
    await page.locator('.cause', {hasText: 'no JSON'}).click();
    assert.match(page.url(), /cause=/);
    assert.match(await page.textContent('#map .legend'), /^failed 27$/);
    const card = page.locator('.causes li', {hasText: 'no JSON'});
    assert.match(await card.locator('.command').textContent(), /windlass rerun job\/sweep -n default --cause \w+/);
    await card.locator('.rerun').scrollIntoViewIfNeeded();
    await page.screenshot({path: `${pictures}/dashboard-cause.png`});
    await card.getByRole('button', {name: 'Run these 27 again'}).click();
    await card.getByRole('button', {name: 'Create it'}).click();
    await card.locator('a').click(deadline);
    await page.waitForSelector('h1:has-text("sweep-rerun")', deadline);
    await page.waitForSelector('#verdict.bad', deadline);
    assert.match(await page.textContent('#counts'), /failed\s*27/);
  });

  test('a viewer sees all of it and changes nothing', async (t) => {
    const page = await failed_job(t, {}, 'viewer', /403/);
    assert.match(await page.textContent('.next'), /windlass rerun job\/sweep/);
    assert.equal(await page.getByRole('button', {name: /again/}).count(), 0);
    const answer = await page.evaluate(async () => (await fetch('data/rerun', {method: 'POST',
      headers: {'X-Windlass-Key': localStorage.getItem('windlass-key'), 'Content-Type': 'application/json'},
      body: JSON.stringify({namespace: 'default', name: 'sweep', indexes: '1'})})).status);
    assert.equal(answer, 403);
  });

  test('a log is followed while its pod runs', async (t) => {
    server.create_job('talker', 1, 'i=0; while [ $i -lt 300 ]; do i=$((i + 1)); echo line $i; sleep 0.2; done');
    const page = await open_job(t, 'talker');
    await page.waitForSelector('#map .legend :text("running")', deadline);
    await page.focus('#map .map canvas');
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => /line 3/.test(document.querySelector('pre.log')?.textContent), null, deadline);
    const lines = await page.evaluate('document.querySelector("pre.log").textContent.length');
    await page.waitForFunction((before) => document.querySelector('pre.log').textContent.length > before, lines, deadline);
    await page.fill('#attempts input[type=search]', 'line 2');
    assert.ok(await page.locator('#attempts mark').count() > 0);
    const [download] = await Promise.all([page.waitForEvent('download'), page.click('#attempts button:has-text("Download")')]);
    assert.match(download.suggestedFilename(), /^talker-0-.*\.log$/);
  });

  test('a lost connection is said, and found again', async (t) => {
    const page = await open(t, server.login(), {}, /Failed to load resource: net::/);
    await page.waitForSelector('.jobs li', deadline);
    await page.context().setOffline(true);
    await page.waitForSelector('#notice.lost', deadline);
    assert.match(await page.textContent('#notice'), /connection to the server is lost/);
    assert.ok(await page.locator('.jobs li').count() > 0);
    await page.context().setOffline(false);
    await page.waitForFunction(() => document.body.dataset.health === 'live' && document.querySelector('#notice').hidden, null, deadline);
  });

  test('an expired session is said, with the way back', async (t) => {
    const page = await open(t, server.login(), {}, /401/);
    await page.waitForSelector('.jobs li', deadline);
    await page.context().clearCookies();
    await page.waitForSelector('#notice.expired', deadline);
    assert.match(await page.textContent('#notice'), /windlass dashboard/);
    assert.ok(await page.locator('.jobs li').count() > 0);
    await page.goto(server.login());
    await page.reload();
    await page.waitForSelector('[data-health=live] .jobs li', deadline);
  });

  test('harmful log lines are text', async (t) => {
    const encoded = Buffer.from(kHostile).toString('base64');
    server.create_job('hostile', 1, `echo ${encoded} | base64 -d; echo; head -c 1000000 /dev/zero | tr '\\0' x; echo; exit 1`);
    const page = await open_job(t, 'hostile');
    await page.waitForSelector('#verdict.bad', deadline);
    await page.focus('#map .map canvas');
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => /more characters/.test(document.querySelector('pre.log')?.textContent), null, deadline);
    const log = await page.textContent('pre.log');
    assert.match(log, /<img src=x onerror=/);
    assert.doesNotMatch(log, /[\u202e\u001b]/);
    assert.equal(await page.locator('#content img').count(), 0);
  });

  test('the keyboard alone leads from the overview to a log', async (t) => {
    const page = await open(t, server.login());
    await page.waitForSelector('#job-default-sweep', deadline);
    const focus = async (selector) => {
      for (let i = 0; i < 60; ++i) {
        await page.keyboard.press('Tab');
        if (await page.evaluate((wanted) => document.activeElement?.matches(wanted), selector)) {
          return;
        }
      }
      assert.fail(`Tab does not reach ${selector}`);
    };
    await focus('#job-default-sweep');
    await page.keyboard.press('Enter');
    await page.waitForSelector('#verdict.bad', deadline);
    await focus('#map .map canvas');
    for (let i = 0; i < 4; ++i) {
      await page.keyboard.press('ArrowRight');
    }
    assert.match(await page.textContent('#said'), /^Index 4, failed/);
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => /record 4 is no JSON/.test(document.querySelector('pre.log')?.textContent), null, deadline);
    await focus('#attempts input[type=search]');
  });

  test('fits 360 pixels, in both themes', async (t) => {
    for (const colorScheme of ['light', 'dark']) {
      const page = await failed_job(t, {viewport: {width: 360, height: 740}, colorScheme});
      assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 360);
      await page.screenshot({path: `${pictures}/narrow-${colorScheme}.png`});
      await page.click('.brand');
      await page.waitForSelector('.jobs li', deadline);
      assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 360);
      await page.screenshot({path: `${pictures}/narrow-overview-${colorScheme}.png`});
    }
  });

  test('the same page for the cluster of a kubeconfig', async (t) => {
    const own = await server.serve_page();
    t.after(() => own.stop());
    const page = await open(t, own.address, {}, /Failed to load resource: net::/);
    await page.click('#job-default-sweep', deadline);
    await page.waitForSelector('#verdict.bad', deadline);
    await page.waitForFunction(() => document.querySelectorAll('.causes li').length === 2, null, deadline);
    assert.ok(await page.getByRole('button', {name: 'Run these 53 again'}).count() === 1);
    await page.focus('#map .map canvas');
    for (let i = 0; i < 4; ++i) {
      await page.keyboard.press('ArrowRight');
    }
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => /record 4 is no JSON/.test(document.querySelector('pre.log')?.textContent), null, deadline);
  });

  test('a drain under a live Job is no failure, and shows', async (t) => {
    server.create_job('drained', 9, 'trap "exit 0" USR1; while [ ! -e /proc/1/none ]; do sleep 0.1; done', {parallelism: 9,
      podFailurePolicy: {rules: [{action: 'Ignore', onPodConditions: [{type: 'DisruptionTarget'}]}]}});
    const page = await open_job(t, 'drained');
    await page.waitForSelector('#map .legend :text("running 9")', deadline);
    const node = server.kubectl(['get', 'pods', '-l', 'job-name=drained', '-o', 'jsonpath={.items[0].spec.nodeName}']);
    server.kubectl(['drain', node]);
    await page.waitForFunction(() => /Ignore\s*[1-9]/.test(document.querySelector('#policy').textContent), null, deadline);
    await page.waitForSelector('#map .legend :text("running 9")', deadline);
    assert.match(await page.textContent('#policy'), /failures? do(es)? not count/);
    assert.match(await page.textContent('.causes'), /ignored/);
    assert.equal(await page.locator('#map .legend :text("failed")').count(), 0);
    await page.click('.brand');
    await page.waitForSelector(`.nodes li:has-text("${node}"):has-text("cordoned")`, deadline);
    server.kubectl(['uncordon', node]);
    server.kubectl(['delete', 'job', 'drained']);
    await page.waitForSelector(`.nodes li:has-text("${node}"):not(:has-text("cordoned"))`, deadline);
  });

  test('the overview tells the causes of failures, their rules and nodes', async (t) => {
    const page = await open(t, server.login());
    const row = page.locator('.jobs li', {has: page.locator('#job-default-sweep')});
    await row.locator('.job-cause', {hasText: 'no JSON'}).waitFor(deadline);
    assert.match(await row.textContent(), /27 exit 42 `record N is no JSON`/);
    assert.match(await page.locator('.nodes').textContent(), /\d+ % of failures/);
    await page.selectOption('#jobs select[aria-label^="Rule"]', 'BadInput');
    assert.match(page.url(), /rule=BadInput/);
    assert.equal(await page.locator('.jobs li', {hasText: 'fresh'}).count(), 0);
    assert.ok(await row.count() === 1);
    await page.fill('#search', 'out of disk');
    assert.ok(await row.count() === 1);
  });

  test('a run shows its page while it lasts', async (t) => {
    const run = await run_with_page(6, 'echo part $JOB_COMPLETION_INDEX; sleep 3; [ $JOB_COMPLETION_INDEX != 4 ]');
    const page = await open(t, run.address, {}, /410|ERR_/);
    await page.click('#job-default-run', deadline);
    await page.waitForSelector('#map .legend :text("running")', deadline);
    await page.waitForSelector('#verdict.bad', deadline);
    assert.match(await page.textContent('#verdict'), /index 4 ended with exit code 1/);
    await page.waitForSelector('#notice.ended', deadline);
    assert.match(await page.textContent('#notice'), /^The run has ended\. This is how it was\.$/);
    assert.match(await page.textContent('#map .legend'), /succeeded 5\s*failed 1/);
    assert.equal(await page.locator('.rerun').count(), 0);
    const {code, output} = await run.end();
    assert.equal(code, 1);
    assert.match(output, /job\.batch\/run Failed/);
  });

  // What docs/guide/dashboard.md tells: it failed, why, and the 37 that ran out of memory run again.
  test('pictures for the guide', async (t) => {
    const viewport = {width: 1180, height: 720};
    server.kubectl(['create', 'namespace', 'photos']);
    server.namespace = 'photos';
    t.after(() => { server.namespace = 'default'; });
    server.create_job('thumbnails', 402, 'i=$JOB_COMPLETION_INDEX; echo "scaling photos $((i * 25)) to $((i * 25 + 24))"; ' +
      '[ $((i % 11)) != 5 ] || [ "$BATCH" = small ] || exec tail /dev/zero; [ $((i % 80)) != 17 ] || { echo "photo $i.jpg is damaged"; exit 42; }; ' +
      'sleep 0.0$((i % 7)); echo done', {parallelism: 24, backoffLimitPerIndex: 1, ...policy}, {
      resources: {limits: {memory: '24Mi'}},
      env: [{name: 'BATCH', valueFrom: {configMapKeyRef: {name: 'thumbnails', key: 'batch', optional: true}}}]});
    server.create_job('nightly-report', 30, 'true');
    server.create_job('training', 40, 'sleep 0.$((JOB_COMPLETION_INDEX % 3)); [ $JOB_COMPLETION_INDEX -lt 15 ] || sleep 300');
    const page = await open(t, server.login(), {viewport});
    await page.goto(`${server.address}/ui/#/?ns=photos`);
    await page.waitForSelector('.jobs li:has-text("thumbnails") .job-words:has-text("Failed:")', deadline);
    await page.waitForSelector('.jobs li:has-text("training"):has-text("15 of 40, 8 running")', deadline);
    await page.waitForSelector('.jobs li:has-text("nightly-report"):has-text("Complete")', deadline);
    await page.locator('.job-cause', {hasText: 'OOMKilled'}).waitFor(deadline);
    await page.screenshot({path: `${pictures}/dashboard-overview.png`});

    await page.click('#job-photos-thumbnails');
    await page.waitForSelector('#verdict.bad', deadline);
    const card = page.locator('.causes li', {hasText: 'OOMKilled'});
    await card.waitFor(deadline);
    await page.reload();  // without marks of what has just changed
    await card.waitFor(deadline);
    await page.screenshot({path: `${pictures}/dashboard-job.png`});

    await card.locator('.cause').click();
    assert.match(await page.textContent('#map .legend'), /failed 37/);
    await page.locator('#map').scrollIntoViewIfNeeded();
    await page.screenshot({path: `${pictures}/dashboard-cause.png`});

    const address = page.url();
    await page.goto(`${address}&cell=5&pair=1,2`);
    await page.waitForFunction(() => document.querySelectorAll('pre.log').length >= 2 &&
      [...document.querySelectorAll('pre.log')].every((log) => /scaling/.test(log.textContent)), null, deadline);
    await page.locator('#attempts').evaluate((element) => element.scrollIntoView());
    await page.screenshot({path: `${pictures}/dashboard-index.png`});

    server.kubectl(['create', 'configmap', 'thumbnails', '--from-literal=batch=small']);
    await page.goto(address);
    await card.getByRole('button', {name: 'Run these 37 again'}).click();
    await card.getByRole('button', {name: 'Create it'}).click();
    await card.locator('a').click(deadline);
    await page.waitForSelector('h1:has-text("thumbnails-rerun")', deadline);
    await page.waitForSelector('#verdict.good', deadline);
    assert.match(await page.textContent('#counts'), /succeeded\s*402/);
    await page.reload();
    await page.waitForSelector('#verdict.good', deadline);
    await page.screenshot({path: `${pictures}/dashboard-rerun.png`});
  });
});

// Pods of hollow nodes end without processes, by thousands.
describe('large page', () => {
  let server, browser;
  before(async () => {
    server = await new Server().start('--hollow-nodes', '40', '--backoff-base', '100ms');
    browser = await launch();
  });
  after(async () => {
    await browser?.close();
    await server?.stop();
  });
  const patient = {timeout: 150_000};

  async function open(t) {
    const context = await browser.newContext({ignoreHTTPSErrors: true, viewport: {width: 1280, height: 900}});
    const page = await context.newPage();
    watch(t, page, new RegExp(`^(${server.address}/|blob:)`));
    t.after(() => context.close());
    await page.goto(server.login());
    return page;
  }

  test('ten thousand indexes are followed to their verdict', async (t) => {
    const page = await open(t);
    await page.waitForSelector('#jobs', deadline);
    server.create_hollow_job('sweep', 10_000, 2000, {'windlass.dev/hollow-duration': '500ms'});
    await page.click('#job-default-sweep', deadline);
    await page.waitForSelector('#map .legend :text("running")', deadline);
    await page.waitForSelector('#verdict.good', patient);
    await page.waitForSelector('#map .legend :text("succeeded 10,000")', deadline);
    const box = await page.locator('#map .map canvas').boundingBox();
    await page.mouse.move(box.x + 3, box.y + 3);
    await page.waitForSelector('#map .hint:not([hidden])');
    assert.match(await page.textContent('#map .hint'), /^Index 0, succeeded, 1 attempt/);
  });

  test('thousands of Jobs are searched and filtered', async (t) => {
    const jobs = Array.from({length: 3000}, (_, i) => ({
      apiVersion: 'batch/v1', kind: 'Job', metadata: {name: `nightly-${i}`},
      spec: {suspend: i % 10 !== 0, template: {metadata: {annotations: {'windlass.dev/hollow-exit-code': String(i % 20 === 0 ? 3 : 0)}},
        spec: {restartPolicy: 'Never', containers: [{name: 'main', image: 'none'}]}}, backoffLimit: 0},
    }));
    await server.create_all('/apis/batch/v1/namespaces/default/jobs', jobs);
    const page = await open(t);
    await page.waitForFunction(() => document.querySelector('#state-Failed')?.textContent.includes('150'), null, patient);
    assert.match(await page.textContent('#state-Suspended'), /suspended 2,700/);
    await page.click('#state-Failed');
    await page.locator('.job-cause', {hasText: 'exit 3'}).first().waitFor(patient);
    await page.click('#state-');
    await page.fill('#search', 'nightly-1234');
    assert.equal(await page.locator('.jobs li').count(), 1);
    await page.fill('#search', '');
    await page.click('button:has-text("Show more")');
    assert.equal(await page.locator('.jobs li').count(), 400);
  });
});
