"""windlass.run(): `windlass run -o json`, with its report as objects."""

import json
import os
import subprocess
from dataclasses import dataclass, field
from typing import Any, Dict, List, Mapping, Optional, Sequence, Union

from ._program import WindlassError, find_program

API_VERSION = "windlass.dev/v1"

Manifest = Union[str, "os.PathLike[str]", Mapping[str, Any], Sequence[Mapping[str, Any]]]


@dataclass(frozen=True)
class Cause:
    """Failures that have one cause."""

    title: str  # exit 1 `bad input`
    failures: int
    end: str  # ExitCode, OOMKilled, ...
    container: Optional[str]
    exit_code: Optional[int]
    line: Optional[str]  # the last line of the log, without numbers, paths and times
    indexes: Optional[str]  # 3,7-9


@dataclass(frozen=True)
class JobResult:
    namespace: str
    name: str
    verdict: str  # Complete, Failed, Unfinished
    reason: Optional[str]
    message: Optional[str]
    seconds: Optional[float]
    succeeded: int  # pods
    failed: int
    ignored: int
    succeeded_indexes: Optional[str]  # 0-5,7; None unless the Job is Indexed
    failed_indexes: Optional[str]
    remaining_indexes: Optional[str]
    causes: List[Cause]
    job: Dict[str, Any] = field(repr=False)  # the whole Job at its end

    @property
    def complete(self) -> bool:
        return self.verdict == "Complete"


@dataclass(frozen=True)
class RunResult:
    verdict: str  # Complete, Failed, TimedOut, Interrupted
    exit_code: int
    seconds: float
    jobs: List[JobResult]
    log: str = field(repr=False)  # what the command wrote on standard error

    @property
    def complete(self) -> bool:
        return self.verdict == "Complete"

    def job(self, name: str) -> JobResult:
        for job in self.jobs:
            if job.name == name:
                return job
        raise KeyError(name)


def run(
    manifest: Manifest,
    *,
    timeout: Optional[str] = None,
    backoff_base: Optional[str] = None,
    args: Sequence[str] = (),
    program: Optional[str] = None,
) -> RunResult:
    """Run the Jobs of a manifest on this machine and wait for their verdicts.

    `manifest` is a file or folder (a str without a line feed, or a path), a text in YAML or JSON, an
    object, or a list of objects. Durations are as on the command line: "90s". `args` are further flags of
    `windlass run`.

    A Job that fails is a result. An invalid manifest is a WindlassError.
    """
    command = [find_program(program), "run", "-o", "json", "--no-record"]
    if timeout is not None:
        command += ["--timeout", timeout]
    if backoff_base is not None:
        command += ["--backoff-base", backoff_base]
    path, text = _source(manifest)
    command += [*args, "-f", path]
    done = subprocess.run(
        command,
        input=text,
        stdin=subprocess.DEVNULL if text is None else None,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        errors="replace",
        check=False,
    )
    if not done.stdout.strip():
        raise WindlassError(done.stderr.strip() or f"windlass run ended with {done.returncode}")
    return _result(json.loads(done.stdout), done.stderr)


def _source(manifest: Manifest):
    """What follows -f, and what goes to standard input."""
    if isinstance(manifest, os.PathLike):
        return os.fspath(manifest), None
    if isinstance(manifest, str):
        return ("-", manifest) if "\n" in manifest or manifest.startswith("{") else (manifest, None)
    if isinstance(manifest, Mapping):
        return "-", json.dumps(manifest)
    # JSON is YAML, of which a file may have several documents.
    return "-", "\n---\n".join(json.dumps(one) for one in manifest)


def _result(report: Dict[str, Any], log: str) -> RunResult:
    if report.get("apiVersion") != API_VERSION:
        raise WindlassError(f"a report of version {report.get('apiVersion')!r}: update this package")
    return RunResult(
        verdict=report["verdict"],
        exit_code=report["exitCode"],
        seconds=report["seconds"],
        jobs=[_job(job) for job in report["jobs"]],
        log=log,
    )


def _job(job: Dict[str, Any]) -> JobResult:
    pods = job["pods"]
    indexes = job.get("indexes", {})
    return JobResult(
        namespace=job["namespace"],
        name=job["name"],
        verdict=job["verdict"],
        reason=job.get("reason"),
        message=job.get("message"),
        seconds=job.get("seconds"),
        succeeded=pods["succeeded"],
        failed=pods["failed"],
        ignored=pods["ignored"],
        succeeded_indexes=indexes.get("succeeded"),
        failed_indexes=indexes.get("failed"),
        remaining_indexes=indexes.get("remaining"),
        causes=[
            Cause(
                title=cause["title"],
                failures=cause["failures"],
                end=cause["end"],
                container=cause.get("container"),
                exit_code=cause.get("exitCode"),
                line=cause.get("line"),
                indexes=cause.get("indexes"),
            )
            for cause in job["causes"]
        ],
        job=job["job"],
    )
