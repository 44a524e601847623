// How the page looks: as it did, in both themes and at both widths, and to readers who see fewer colours.

import assert from 'node:assert/strict';
import {existsSync, mkdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {after, before, describe, test} from 'node:test';

import {launch, report_of, temporary_folder} from './browser.js';
import {sample_page} from './sample_page.js';

const expected = 'tests/web/expected';
const pictures = process.env.WINDLASS_PICTURES ?? 'build/web/pictures';
const kShrunk = 4;  // small pictures do not tell one rendering of a letter from another
const kClear = 48;  // of 255: a difference that a reader sees
const kMostDifferent = 0.02;

/** Runs in a browser: a picture made smaller, and the share of it that clearly differs from another one. */
async function compare([now, then, shrunk, clear]) {
  const pixels_of = async (address, size) => {
    const image = new Image();
    image.src = address;
    await image.decode();
    const canvas = document.createElement('canvas');
    [canvas.width, canvas.height] = size ?? [Math.round(image.width / shrunk), Math.round(image.height / shrunk)];
    const context = canvas.getContext('2d');
    context.imageSmoothingQuality = 'high';
    context.drawImage(image, 0, 0, canvas.width, canvas.height);
    return {canvas, image, data: context.getImageData(0, 0, canvas.width, canvas.height).data};
  };
  const a = await pixels_of(now);
  const small = a.canvas.toDataURL('image/webp', 0.75);
  if (then === '') {
    return {small, different: 1, heights: [a.canvas.height, 0]};
  }
  const b = await pixels_of(then, [a.canvas.width, a.canvas.height]);
  let different = 0;
  for (let i = 0; i < a.data.length; i += 4) {
    different += [0, 1, 2].some((part) => Math.abs(a.data[i + part] - b.data[i + part]) > clear) ? 4 : 0;
  }
  return {small, different: different / a.data.length, heights: [a.canvas.height, b.image.height]};
}

describe('look', () => {
  let folder, browser, report;
  before(async () => {
    mkdirSync(pictures, {recursive: true});
    folder = temporary_folder();
    browser = await launch();
    report = report_of(folder, sample_page(400), 'small');
  });
  after(async () => {
    await browser?.close();
    rmSync(folder, {recursive: true});
  });

  async function open(options, choice = '') {
    const page = await browser.newPage({timezoneId: 'UTC', locale: 'en-US', ...options});
    await page.goto(report + choice);
    await page.waitForSelector('#policy');
    // Observers of sizes draw before the second frame.
    await page.evaluate(() => new Promise((done) => { requestAnimationFrame(() => requestAnimationFrame(done)); }));
    return page;
  }
  const address_of = (type, bytes) => `data:image/${type};base64,${bytes.toString('base64')}`;

  for (const colorScheme of ['light', 'dark']) {
    for (const [name, width, choice] of [['wide', 1280, ''], ['narrow', 360, ''], ['index', 1280, '#cell=24&pair=1,2&colour=cause&group=node']]) {
      test(`${name}, ${colorScheme}`, async () => {
        const page = await open({viewport: {width, height: 900}, colorScheme}, choice);
        const picture = await page.screenshot({fullPage: true, animations: 'disabled'});
        await page.close();
        const file = join(expected, `${name}-${colorScheme}.webp`);
        const blank = await browser.newPage();
        const before = existsSync(file) ? address_of('webp', readFileSync(file)) : '';
        const {small, different, heights} = await blank.evaluate(compare, [address_of('png', picture), before, kShrunk, kClear]);
        await blank.close();
        if (process.env.WINDLASS_NEW_LOOK) {
          writeFileSync(file, Buffer.from(small.split(',')[1], 'base64'));
          return;
        }
        if (different > kMostDifferent || Math.abs(heights[0] - heights[1]) > heights[0] * kMostDifferent) {
          writeFileSync(join(pictures, `${name}-${colorScheme}.png`), picture);
          assert.fail(`${(different * 100).toFixed(1)} % of the page looks different, and it is ${heights[0]} instead of ${heights[1]} high: ` +
            `compare ${pictures}/${name}-${colorScheme}.png with ${file}. If it is right: WINDLASS_NEW_LOOK=1 tests/web/run`);
        }
      });
    }
  }

  test('a change of the theme repaints the map', async () => {
    const page = await open({viewport: {width: 1280, height: 900}, colorScheme: 'light'});
    const map = page.locator('#map .map canvas');
    const light = await map.evaluate((canvas) => canvas.toDataURL());
    await page.click('button[aria-label^="Change between"]');
    assert.notEqual(await map.evaluate((canvas) => canvas.toDataURL()), light);
    await page.close();
  });

  // Machado, Oliveira and Fernandes, "A Physiologically-based Model for Simulation of Color Vision Deficiency", 2009.
  const visions = {
    all: [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
    'no red': [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    'no green': [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
    'no blue': [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.3039]],
  };
  /** Place of a colour in CIELAB, as such a reader sees it. */
  function place_of(colour, vision) {
    const linear = [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16) / 255).map((part) => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
    const [r, g, b] = vision.map((row) => Math.min(1, Math.max(0, row[0] * linear[0] + row[1] * linear[1] + row[2] * linear[2])));
    const curve = (value) => value > 0.008856 ? Math.cbrt(value) : 7.787 * value + 16 / 116;
    const [x, y, z] = [(0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.95047, 0.2126 * r + 0.7152 * g + 0.0722 * b,
      (0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.08883].map(curve);
    return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
  }
  test('states have colours that differ for the colour-blind', async () => {
    for (const colorScheme of ['light', 'dark']) {
      const page = await open({colorScheme});
      const states = ['good', 'runs', 'waits', 'backoff', 'ends', 'fails', 'stopped'];
      const colours = await page.evaluate((names) => names.map((name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim()), states);
      await page.close();
      for (const [vision, matrix] of Object.entries(visions)) {
        const places = colours.map((colour) => place_of(colour, matrix));
        places.forEach((one, i) => places.slice(0, i).forEach((other, j) => {
          const distance = Math.hypot(...one.map((value, axis) => value - other[axis]));
          assert.ok(distance >= 20, `${colorScheme}, ${vision}: ${states[i]} and ${states[j]} are ${distance.toFixed(0)} apart`);
        }));
      }
    }
  });
});
