// Against the real program, with kubectl as the client.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";

import { run, startCluster, WindlassError } from "../index.js";

const job = (name, command, spec = {}) => ({
  apiVersion: "batch/v1",
  kind: "Job",
  metadata: { name },
  spec: {
    ...spec,
    template: {
      spec: {
        restartPolicy: "Never",
        containers: [{ name: "main", image: "host", command: ["/bin/sh", "-c", command] }],
      },
    },
  },
});

test("run answers with verdicts and causes", async () => {
  const report = await run([job("good", "true"), job("bad", "echo no input; exit 3", { backoffLimit: 0 })]);
  assert.equal(report.verdict, "Failed");
  const [good, bad] = report.jobs;
  assert.equal(good.verdict, "Complete");
  assert.equal(bad.reason, "BackoffLimitExceeded");
  assert.deepEqual(bad.causes.map((cause) => [cause.exitCode, cause.line]), [[3, "no input"]]);
});

test("run takes a file", async () => {
  const folder = mkdtempSync(join(tmpdir(), "windlass-node-"));
  writeFileSync(join(folder, "job.json"), JSON.stringify(job("filed", "true")));
  assert.equal((await run(join(folder, "job.json"))).verdict, "Complete");
  rmSync(folder, { recursive: true });
});

test("what cannot run is an error", async () => {
  await assert.rejects(run(job("bad", "true", { parallelism: -1 })), (error) =>
    error instanceof WindlassError && error.message.includes("spec.parallelism"));
  await assert.rejects(run(job("x", "true"), { program: "/nowhere/windlass" }), /put it on PATH/);
  await assert.rejects(startCluster({ args: ["--zork"] }), /unknown flag: --zork/);
});

test("a cluster runs Jobs, and leaves nothing", async () => {
  const cluster = await startCluster();
  const kubectl = (input, ...args) =>
    execFileSync("kubectl", ["--kubeconfig", cluster.kubeconfig, ...args], { input, encoding: "utf8" });
  kubectl(JSON.stringify(job("first", "true")), "create", "-f", "-");
  kubectl("", "wait", "--for=condition=complete", "job/first", "--timeout=60s");
  await cluster.stop();
  assert.equal(existsSync(dirname(cluster.kubeconfig)), false);
  assert.throws(() => process.kill(cluster.pid, 0));
});

test("a cluster ends with a killed test", async () => {
  const script = `
    import { startCluster } from ${JSON.stringify(new URL("../index.js", import.meta.url).href)};
    console.log(JSON.stringify(await startCluster()));
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script]);
  const [line] = await once(child.stdout, "data");
  const { kubeconfig } = JSON.parse(line);
  child.kill("SIGKILL");
  await once(child, "close");
  // Its folder goes last.
  const deadline = Date.now() + 60_000;
  while (existsSync(kubeconfig)) {
    assert.ok(Date.now() < deadline, "the server runs on");
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
});
