// Run Kubernetes Jobs without a cluster: `windlass run` and `windlass up --ephemeral` as functions.

import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const API_VERSION = "windlass.dev/v1";

// In the packages of a release.
const BUNDLED = fileURLToPath(new URL("bin/windlass", import.meta.url));

/** The program is missing, or it refused what it was asked for. The message is its own. */
export class WindlassError extends Error {
  name = "WindlassError";
}

/** `program`, $WINDLASS, that of the package, or `windlass` on PATH. */
function findProgram(program) {
  return program ?? process.env.WINDLASS ?? (existsSync(BUNDLED) ? BUNDLED : "windlass");
}

/** @param {string | undefined} program */
function start(program, args, input) {
  const child = spawn(findProgram(program), args, {
    stdio: [input, "pipe", "pipe"],
  });
  child.stdout.setEncoding("utf8");
  child.stderr.setEncoding("utf8");
  let errors = "";
  child.stderr.on("data", (text) => (errors += text));
  const ended = new Promise((resolve, reject) => {
    child.on("error", (error) =>
      reject(
        new WindlassError(
          `cannot start windlass (${error.message}): put it on PATH, or name it in $WINDLASS`,
        ),
      ),
    );
    child.on("close", (code) => resolve({ code, errors }));
  });
  return { child, ended };
}

/** What follows -f, and what goes to standard input. */
function sourceOf(manifest) {
  if (typeof manifest === "string") {
    const isText = manifest.includes("\n") || manifest.startsWith("{");
    return isText ? { path: "-", text: manifest } : { path: manifest };
  }
  // JSON is YAML, of which a file may have several documents.
  const objects = Array.isArray(manifest) ? manifest : [manifest];
  return { path: "-", text: objects.map((one) => JSON.stringify(one)).join("\n---\n") };
}

/**
 * Runs the Jobs of a manifest on this machine, and answers with the report of the run when all have
 * ended (docs/reference/run-json.md). A Job that fails is a result; an invalid manifest is a
 * WindlassError.
 *
 * @param {string | object | object[]} manifest a file or folder, a text in YAML or JSON, or objects
 * @param {{timeout?: string, backoffBase?: string, args?: string[], program?: string}} [options]
 *   durations as on the command line: "90s"; `args` are further flags of `windlass run`
 */
export async function run(manifest, { timeout, backoffBase, args = [], program } = {}) {
  const { path, text } = sourceOf(manifest);
  const words = ["run", "-o", "json", "--no-record"];
  if (timeout !== undefined) words.push("--timeout", timeout);
  if (backoffBase !== undefined) words.push("--backoff-base", backoffBase);
  const { child, ended } = start(program, [...words, ...args, "-f", path], text === undefined ? "ignore" : "pipe");
  let output = "";
  child.stdout.on("data", (part) => (output += part));
  child.stdin?.on("error", () => {}); // it ended without reading: its own words say why
  child.stdin?.end(text);
  const { code, errors } = await ended;
  if (output.trim() === "") {
    throw new WindlassError(errors.trim() || `windlass run ended with ${code}`);
  }
  const report = JSON.parse(output);
  if (report.apiVersion !== API_VERSION) {
    throw new WindlassError(`a report of version ${report.apiVersion}: update this package`);
  }
  return report;
}

/**
 * Starts an API server that runs Jobs, for the time of a test. Pods run nothing and end as their
 * annotations say; with `hollowNodes: 0` their containers are processes of this machine. Back-offs
 * are `timeScale` times shorter. `stop()` ends it; it also ends with this process, however that ends.
 *
 * @param {{hollowNodes?: number, timeScale?: number, args?: string[], program?: string}} [options]
 *   `args` are further flags of `windlass up`
 * @returns {Promise<{kubeconfig: string, server: string, pid: number, version: string, stop: () => Promise<void>}>}
 */
export async function startCluster({ hollowNodes = 1, timeScale = 100, args = [], program } = {}) {
  const words = ["up", "--ephemeral", "--time-scale", String(timeScale)];
  if (hollowNodes > 0) words.push("--hollow-nodes", String(hollowNodes));
  const { child, ended } = start(program, [...words, ...args], "pipe");
  const line = new Promise((resolve) => {
    let output = "";
    child.stdout.on("data", (part) => {
      output += part;
      if (output.includes("\n")) resolve(output);
    });
  });
  const first = await Promise.race([line, ended]);
  if (typeof first !== "string") {
    throw new WindlassError(first.errors.trim() || `windlass up ended with ${first.code}`);
  }
  const { kubeconfig, server, pid, version } = JSON.parse(first);
  const stop = async () => {
    child.stdin.end();
    await ended;
  };
  return { kubeconfig, server, pid, version, stop };
}
