"""Against the real program, and with the official client of Kubernetes."""

import os
import select
import signal
import subprocess
import sys
import textwrap

import kubernetes
import pytest

import windlass
import windlass.testing


def job(name, command, **spec):
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": name},
        "spec": {
            **spec,
            "template": {
                "spec": {
                    "restartPolicy": "Never",
                    "containers": [{"name": "main", "image": "host", "command": ["/bin/sh", "-c", command]}],
                }
            },
        },
    }


def test_run_answers_with_verdicts():
    result = windlass.run([job("good", "true"), job("bad", "echo no input; exit 3", backoffLimit=0)])
    assert (result.verdict, result.exit_code, result.complete) == ("Failed", 1, False)
    good, bad = result.job("good"), result.job("bad")
    assert good.complete and good.succeeded == 1 and good.causes == []
    assert (bad.verdict, bad.reason, bad.failed) == ("Failed", "BackoffLimitExceeded", 1)
    assert [(c.failures, c.exit_code, c.line) for c in bad.causes] == [(1, 3, "no input")]
    assert bad.job["status"]["failed"] == 1


def test_run_knows_indexes():
    spec = {"completionMode": "Indexed", "completions": 3, "parallelism": 3, "backoffLimitPerIndex": 0}
    only = windlass.run(job("indexed", "exit $JOB_COMPLETION_INDEX", **spec)).jobs[0]
    assert (only.succeeded_indexes, only.failed_indexes, only.remaining_indexes) == ("0", "1,2", "")


def test_run_takes_files_and_text(tmp_path):
    text = 'apiVersion: batch/v1\nkind: Job\nmetadata: {name: t}\nspec:\n  template:\n    spec:\n' \
        '      restartPolicy: Never\n      containers: [{name: m, image: host, command: ["true"]}]\n'
    file = tmp_path / "job.yaml"
    file.write_text(text)
    for manifest in (text, file, str(file)):
        assert windlass.run(manifest).complete


def test_run_times_out():
    result = windlass.run(job("slow", "sleep 1000"), timeout="1s")
    assert (result.verdict, result.exit_code) == ("TimedOut", 124)
    assert result.jobs[0].verdict == "Unfinished"


def test_what_cannot_run_is_an_error(tmp_path):
    with pytest.raises(windlass.WindlassError, match="spec.parallelism"):
        windlass.run(job("bad", "true", parallelism=-1))
    with pytest.raises(windlass.WindlassError, match="cannot find the program"):
        windlass.run(job("x", "true"), program=str(tmp_path / "windlass"))


def batch(kubeconfig):
    kubernetes.config.load_kube_config(kubeconfig)
    return kubernetes.client.BatchV1Api()


def finished(api, name):
    for event in kubernetes.watch.Watch().stream(
        api.list_namespaced_job, "default", field_selector=f"metadata.name={name}", timeout_seconds=60
    ):
        for condition in event["object"].status.conditions or []:
            if condition.type in ("Complete", "Failed") and condition.status == "True":
                return condition.type
    raise AssertionError(f"job {name} did not finish")


def test_the_fixture_is_a_cluster_of_its_own(windlass_cluster):
    assert os.environ["KUBECONFIG"] == windlass_cluster.kubeconfig
    api = batch(windlass_cluster.kubeconfig)
    assert api.list_namespaced_job("default").items == []
    api.create_namespaced_job("default", job("first", "true"))
    assert finished(api, "first") == "Complete"


def test_pods_end_as_annotations_say_and_retries_are_quick(windlass_server):
    api = batch(windlass_server.kubeconfig)
    failing = job("failing", "true", backoffLimit=2)
    failing["spec"]["template"]["metadata"] = {
        "annotations": {"windlass.dev/hollow-exit-code": "3", "windlass.dev/hollow-duration": "1ms"}
    }
    api.create_namespaced_job("default", failing)
    assert finished(api, "failing") == "Failed"
    assert api.read_namespaced_job("failing", "default").status.failed == 3


def test_nothing_is_left():
    with windlass.testing.cluster() as cluster:
        folder = os.path.dirname(cluster.kubeconfig)
        assert os.path.isdir(folder)
    assert not os.path.exists(folder)
    with pytest.raises(ProcessLookupError):
        os.kill(cluster.pid, 0)


def test_a_server_ends_with_a_killed_test():
    script = textwrap.dedent(
        """
        import windlass.testing
        with windlass.testing.cluster() as cluster:
            print(cluster.pid, flush=True)
            input()
        """
    )
    with subprocess.Popen(
        [sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as test:
        server = os.pidfd_open(int(test.stdout.readline()))
        test.send_signal(signal.SIGKILL)
        test.wait()
    poll = select.poll()
    poll.register(server, select.POLLIN)
    assert poll.poll(60_000), "the server runs on"
    os.close(server)


def test_a_server_that_cannot_start_says_why():
    with pytest.raises(windlass.WindlassError, match="unknown flag: --zork"):
        with windlass.testing.cluster(args=["--zork"]):
            pass
