// What the tests and the benchmark need: Chromium, pages that must have no errors, and a `windlass up`.

import assert from 'node:assert/strict';
import {execFileSync, spawn} from 'node:child_process';
import {once} from 'node:events';
import {mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {Agent, request} from 'node:https';
import {createRequire} from 'node:module';
import {tmpdir} from 'node:os';
import {join} from 'node:path';

export const windlass = process.env.WINDLASS ?? 'build/release/windlass';
const {chromium} = createRequire(`${process.cwd()}/build/web/`)('playwright-core');
const flags = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
  '--disable-component-update', '--disable-sync'];

export function launch() {
  return chromium.launch({executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: flags});
}

/**
 * Fails the test for whatever goes wrong in the page.
 * @param {RegExp} may_load addresses of requests
 * @param {RegExp} [may_say] errors on the console
 */
export function watch(t, page, may_load, may_say = /^$/) {
  const problems = [];
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('console', (message) => message.type() === 'error' && !may_say.test(message.text()) && problems.push(message.text()));
  page.on('request', (request) => may_load.test(request.url()) || problems.push(`loads ${request.url()}`));
  t.after(async () => {
    assert.equal(await page.evaluate('window.harmed'), undefined);
    await page.close();
    assert.deepEqual(problems, []);
  });
}

export function temporary_folder() {
  return mkdtempSync(join(tmpdir(), 'windlass-web-'));
}

/** The address of a report about a document. */
export function report_of(folder, document, name) {
  writeFileSync(join(folder, `${name}.json`), JSON.stringify(document));
  const html = execFileSync(windlass, ['report', '--from', join(folder, `${name}.json`)], {maxBuffer: 2 ** 30});
  writeFileSync(join(folder, `${name}.html`), html);
  return `file://${folder}/${name}.html`;
}

/** The first line that a process writes that matches. */
async function line_of(stream, pattern) {
  let text = '';
  for await (const chunk of stream) {
    text += chunk;
    const match = text.match(pattern);
    if (match) {
      stream.resume();
      return match;
    }
  }
  throw new Error(`ended without ${pattern}: ${text}`);
}

/** A `windlass up` with a data directory of its own. */
export class Server {
  namespace = 'default';  // of what kubectl makes

  /** @param {...string} further flags of `windlass up` */
  async start(...further) {
    this.folder = temporary_folder();
    this.data = join(this.folder, 'data');
    this.process = spawn(windlass, ['up', '--data-dir', this.data, '--listen', '127.0.0.1:0', ...further], {stdio: ['ignore', 'ignore', 'pipe']});
    [, this.address] = await line_of(this.process.stderr, /ready at (https:\S+),/);
    return this;
  }

  async stop() {
    this.process.kill('SIGINT');
    await once(this.process, 'exit');
    execFileSync(windlass, ['down', '--data-dir', this.data], {stdio: 'ignore'});
    rmSync(this.folder, {recursive: true});
  }

  environment(user = 'admin') {
    return {...process.env, KUBECONFIG: join(this.data, user === 'admin' ? 'kubeconfig' : `${user}.kubeconfig`)};
  }

  /** The address of a one-time login. */
  login(user = 'admin') {
    return execFileSync(windlass, ['dashboard'], {env: this.environment(user), encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit']}).trim();
  }

  kubectl(arguments_, input = '') {
    return execFileSync('kubectl', ['-n', this.namespace, ...arguments_], {env: this.environment(), input, encoding: 'utf8', stdio: ['pipe', 'pipe', 'inherit']});
  }

  /** A connection for many requests, each of which would take kubectl a process. */
  connect() {
    const config = JSON.parse(this.kubectl(['config', 'view', '--raw', '-o', 'json']));
    const agent = new Agent({keepAlive: true, maxSockets: 16, ca: Buffer.from(config.clusters[0].cluster['certificate-authority-data'], 'base64')});
    const authorization = `Bearer ${config.users[0].user.token}`;
    const send = (method, path, object, type = 'application/json') => new Promise((resolve, reject) => {
      const call = request(this.address + path, {method, agent, headers: {authorization, 'content-type': type}}, (answer) => {
        answer.resume();
        answer.on('end', () => answer.statusCode < 300 ? resolve() : reject(new Error(`${method} ${path}: ${answer.statusCode}`)));
      });
      call.on('error', reject);
      call.end(JSON.stringify(object));
    });
    return {send, close: () => agent.destroy()};
  }

  /** Makes many objects at once. */
  async create_all(path, objects) {
    const {send, close} = this.connect();
    await Promise.all(objects.map((object) => send('POST', path, object)));
    close();
  }

  /** An Indexed Job of hollow nodes, whose pods take that long. */
  create_hollow_job(name, completions, parallelism, annotations, more = {}) {
    this.kubectl(['create', '-f', '-'], JSON.stringify({
      apiVersion: 'batch/v1', kind: 'Job', metadata: {name},
      spec: {
        completionMode: 'Indexed', completions, parallelism, backoffLimitPerIndex: 0, ...more,
        template: {metadata: {annotations}, spec: {restartPolicy: 'Never', containers: [{name: 'main', image: 'none'}]}},
      },
    }));
  }

  /** An Indexed Job that runs a script of the shell for each index. */
  create_job(name, completions, script, more = {}, container = {}) {
    this.kubectl(['create', '-f', '-'], JSON.stringify({
      apiVersion: 'batch/v1', kind: 'Job', metadata: {name},
      spec: {
        completionMode: 'Indexed', completions, parallelism: 8, backoffLimitPerIndex: 0, ...more,
        template: {spec: {restartPolicy: 'Never', terminationGracePeriodSeconds: 1,
          containers: [{name: 'main', image: 'host', command: ['/bin/sh', '-c', script], ...container}]}},
      },
    }));
  }

  /** `windlass dashboard` that serves the page itself. */
  async serve_page() {
    const child = spawn(windlass, ['dashboard', '--kubeconfig', this.environment().KUBECONFIG], {stdio: ['ignore', 'pipe', 'inherit']});
    const [address] = await line_of(child.stdout, /http:\S+/);
    return {address, stop: async () => {
      child.kill('SIGINT');
      await once(child, 'exit');
    }};
  }
}

/** `windlass run --dashboard` of an Indexed Job. */
export async function run_with_page(completions, script) {
  const folder = temporary_folder();
  writeFileSync(join(folder, 'job.json'), JSON.stringify({
    apiVersion: 'batch/v1', kind: 'Job', metadata: {name: 'run'},
    spec: {completionMode: 'Indexed', completions, parallelism: 4, backoffLimitPerIndex: 0,
      template: {spec: {restartPolicy: 'Never', containers: [{name: 'main', image: 'host', command: ['/bin/sh', '-c', script]}]}}},
  }));
  const child = spawn(windlass, ['run', join(folder, 'job.json'), '--dashboard'],
    {stdio: ['ignore', 'pipe', 'pipe'], env: {...process.env, XDG_STATE_HOME: folder}});
  const ended = once(child, 'exit');
  let output = '';
  child.stdout.on('data', (text) => { output += text; });
  const [address] = await line_of(child.stderr, /http:\S+/);
  return {address, end: async () => {
    const [code] = await ended;
    rmSync(folder, {recursive: true});
    return {code, output};
  }};
}
