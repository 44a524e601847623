// The page in a real browser, opened from disk as `windlass report` writes it.

import assert from 'node:assert/strict';
import {readdirSync, readFileSync, rmSync} from 'node:fs';
import {join} from 'node:path';
import {after, before, describe, test} from 'node:test';

import {launch, report_of, temporary_folder, watch} from './browser.js';
import {sample_page} from './sample_page.js';

describe('report', () => {
  let folder, browser, small, large;
  before(async () => {
    folder = temporary_folder();
    browser = await launch();
    small = report_of(folder, sample_page(400), 'small');
    large = report_of(folder, sample_page(100_000), 'large');
  });
  after(async () => {
    await browser?.close();
    rmSync(folder, {recursive: true});
  });

  /** Opens the report, and fails the test for whatever goes wrong in it. */
  async function open(t, address, options = {}) {
    const page = await browser.newPage({viewport: {width: 1280, height: 900}, ...options});
    watch(t, page, /^(file|data|blob):/);
    await page.goto(address);
    await page.waitForSelector('#policy');
    return page;
  }

  test('shows the verdict first, then counts, causes and the failure policy', async (t) => {
    const page = await open(t, small);
    assert.match(await page.textContent('#verdict .headline'), /Failed: index 5 ended with exit code 42/);
    assert.equal(await page.locator('#content section').first().getAttribute('id'), 'verdict');
    assert.match(await page.textContent('#counts'), /succeeded\s*\d+/);
    assert.equal(await page.locator('.causes li').count(), 4);
    assert.match(await page.textContent('#policy'), /Input \(0\)\s*exit code in 42\s*FailIndex/);
    assert.match(await page.textContent('#policy'), /endless-retries/);
  });

  test('shows markup and control characters of names and logs as text', async (t) => {
    const page = await open(t, small);
    const text = await page.textContent('#verdict');
    assert.match(text, /<img src=x onerror=/);
    assert.doesNotMatch(text, /[\u202e\u001b]/);
    assert.equal(await page.locator('#content img').count(), 0);
  });

  test('a cause filters the map, and the address keeps the choice', async (t) => {
    const page = await open(t, small);
    const shown = () => page.locator('.legend button').allTextContents();
    const all = await shown();
    await page.locator('.cause').nth(1).click();
    assert.notDeepEqual(await shown(), all);
    assert.equal(await page.locator('.cause').nth(1).getAttribute('aria-pressed'), 'true');
    const address = page.url();
    assert.match(address, /#.*cause=/);
    const again = await open(t, address);
    assert.equal(await again.locator('.cause').nth(1).getAttribute('aria-pressed'), 'true');
    assert.deepEqual(await again.locator('.legend button').allTextContents(), await shown());
  });

  test('the legend counts and filters every way to colour', async (t) => {
    const page = await open(t, small);
    for (const colour of ['state', 'cause', 'rule', 'exit', 'node', 'attempts', 'duration', 'memory']) {
      await page.selectOption('#map select', colour);
      const entries = page.locator('.legend button');
      assert.ok(await entries.count() > 0, colour);
      await entries.first().click();
      assert.equal(await entries.first().getAttribute('aria-pressed'), 'true', colour);
    }
    await page.selectOption('#map select', 'state');
    const counts = await page.locator('.legend button').allTextContents();
    assert.equal(counts.reduce((sum, text) => sum + Number(text.match(/([\d,]+)$/)[1].replace(',', '')), 0), 400);
  });

  test('the keyboard alone reaches an index and its log', async (t) => {
    const page = await open(t, small);
    const failed = sample_page(400).cells.indexOf('f');
    await page.focus('#map .map canvas');
    for (let i = 0; i < failed; ++i) {
      await page.keyboard.press('ArrowRight');
    }
    assert.match(await page.textContent('#said'), new RegExp(`^Index ${failed}, failed`));
    await page.keyboard.press('Enter');
    assert.match(await page.textContent('#attempts h3'), new RegExp(`Index ${failed}:`));
    assert.match(await page.textContent('#attempts pre.log'), new RegExp(`reading /data/part-${failed}`));
    await page.fill('#attempts input[type=search]', 'reading');
    assert.equal(await page.locator('#attempts mark').first().textContent(), 'reading');
  });

  test('compares the attempts of an index', async (t) => {
    const {attempts} = sample_page(400);
    const index = attempts.index[attempts.number.indexOf(2)];
    const page = await open(t, `${small}#cell=${index}`);
    const rows = page.locator('#attempts .facts tr');
    assert.equal(await rows.first().locator('td').count(), attempts.index.filter((each) => each === index).length);
    assert.ok(await page.locator('#attempts .facts tr.differs').count() > 0);
  });

  test('compares two attempts and their logs', async (t) => {
    const document = sample_page(400);
    const {attempts, logs} = document;
    const places = attempts.index.flatMap((index, place) => index === 24 ? [place] : []);
    logs[places[0]] = 'reading 1\nout of memory\n';
    logs[places[1]] = 'reading 2\ndone\n';
    const page = await open(t, report_of(folder, document, 'pair'));
    await page.evaluate(() => { location.hash = 'cell=24'; });
    await page.click('#compare');
    assert.match(page.url(), /pair=1%2C2/);
    assert.equal(await page.getAttribute('#compare', 'aria-pressed'), 'true');
    await page.waitForFunction(() => document.querySelectorAll('mark.own').length === 2);
    assert.deepEqual(await page.locator('mark.own').allTextContents(), ['done', 'out of memory']);
    await page.click('#compare');
    assert.equal(await page.locator('mark.own').count(), 0);
  });

  test('hostile causes are text in the legend, too', async (t) => {
    const page = await open(t, `${small}#colour=cause`);
    const legend = await page.textContent('#map .legend');
    assert.match(legend, /<img src=x onerror=/);
    assert.doesNotMatch(legend, /[\u202e\u001b]/);
  });

  test('what ran side by side on a node has lines of its own', async (t) => {
    const page = await open(t, `${small}#group=node`);
    const [download] = await Promise.all([page.waitForEvent('download'), page.click('#timeline .heading button')]);
    const rows = JSON.parse(readFileSync(await download.path(), 'utf8'));
    assert.ok(rows.length > 8, `${rows.length} lines`);
    assert.equal(rows.filter((row) => row.name !== '').length, 8);
    assert.equal(rows.reduce((sum, row) => sum + row.attempts.length, 0), sample_page(400).attempts.pod.length);
  });

  test('100,000 indexes are drawn and answer to the mouse', async (t) => {
    const page = await open(t, large);
    const box = await page.locator('#map .map canvas').boundingBox();
    assert.ok(box.width * box.height >= 100_000);
    await page.mouse.move(box.x + 3, box.y + 3);
    await page.waitForSelector('#map .hint:not([hidden])');
    assert.match(await page.textContent('#map .hint'), /^Index \d+/);
  });

  test('fits 360 pixels, in both themes', async (t) => {
    for (const colorScheme of ['light', 'dark']) {
      const page = await open(t, small, {viewport: {width: 360, height: 740}, colorScheme});
      assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 360);
      const paper = await page.evaluate('getComputedStyle(document.body).backgroundColor');
      assert.equal(paper === 'rgb(255, 255, 255)', colorScheme === 'light');
    }
  });

  test('the timeline zooms, pans and opens an attempt', async (t) => {
    const page = await open(t, small);
    const canvas = page.locator('#timeline canvas');
    const picture = () => canvas.evaluate((element) => element.toDataURL());
    const whole = await picture();
    await page.click('#timeline button[aria-label="Zoom in"]');
    assert.notEqual(await picture(), whole);
    await page.click('#timeline button[title="Show all of the time"]');
    assert.equal(await picture(), whole);
    await page.selectOption('#timeline select', 'node');
    assert.notEqual(await picture(), whole);
  });

  test('the slider shows an earlier moment', async (t) => {
    const page = await open(t, small);
    await page.locator('#map input[type=range]').fill('5');
    const entries = await page.locator('#map .legend button').allTextContents();
    assert.ok(entries.some((text) => text.startsWith('not started')), entries.join());
  });

  test('every panel gives its data as JSON', async (t) => {
    const page = await open(t, small);
    for (const button of await page.locator('.heading button').all()) {
      if (await button.isVisible()) {
        const [download] = await Promise.all([page.waitForEvent('download'), button.click()]);
        JSON.parse(readFileSync(await download.path(), 'utf8'));
      }
    }
  });
});

describe('modules', () => {
  const folder = 'src/web/page';
  const files = readdirSync(folder).filter((name) => name.endsWith('.js'));

  test('can stand one after the other in a report', () => {
    const names = new Map();
    for (const file of files) {
      for (const line of readFileSync(join(folder, file), 'utf8').split('\n')) {
        assert.ok(!line.startsWith('import') || /^import \{[^}]+\} from '\.\/\w+\.js';$/.test(line), `${file}: ${line}`);
        assert.ok(!/^export \{|^export default/.test(line), `${file}: ${line}`);
        const name = line.match(/^(?:export )?(?:async )?(?:const|let|class|function) (\w+)/)?.[1];
        assert.ok(!name || !names.has(name), `${name} is in ${file} and in ${names.get(name)}`);
        names.set(name, file);
      }
    }
  });

  test('are loaded at once, not one after the other', () => {
    const page = readFileSync(join(folder, 'page.html'), 'utf8');
    const named = [...page.matchAll(/(?:href|src)="(\w+\.js)"/g)].map(([, name]) => name);
    assert.deepEqual(named.sort(), files.filter((name) => name !== 'report.js').sort());
  });

  test('weigh less than 200 KB', () => {
    const size = readdirSync(folder).reduce((sum, name) => sum + readFileSync(join(folder, name)).length, 0);
    assert.ok(size < 200_000, `${size} bytes`);
  });
});
