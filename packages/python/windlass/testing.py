"""API servers that run Jobs, for the time of a test: `windlass up --ephemeral`."""

import contextlib
import json
import subprocess
import threading
from dataclasses import dataclass
from typing import Iterator, Optional, Sequence

from ._program import WindlassError, find_program

# Far above what a start takes on a loaded machine.
START_SECONDS = 60.0


@dataclass(frozen=True)
class Cluster:
    kubeconfig: str  # a file
    server: str  # https://127.0.0.1:40123
    pid: int
    version: str


@contextlib.contextmanager
def cluster(
    *,
    hollow_nodes: int = 1,
    time_scale: float = 100,
    args: Sequence[str] = (),
    program: Optional[str] = None,
) -> Iterator[Cluster]:
    """Start an API server, and stop it at the end of the block.

    Pods run nothing and end as their annotations say; `hollow_nodes=0` runs their containers as processes of
    this machine. Back-offs are `time_scale` times shorter. `args` are further flags of `windlass up`. The
    server also ends when this process does, however that happens.
    """
    command = [find_program(program), "up", "--ephemeral", "--time-scale", str(time_scale)]
    if hollow_nodes:
        command += ["--hollow-nodes", str(hollow_nodes)]
    process = subprocess.Popen(
        [*command, *args],
        stdin=subprocess.PIPE,  # closed with this process: the sign to end
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        errors="replace",
    )
    errors = _Reader(process.stderr)
    try:
        yield _ready(process, errors)
    finally:
        process.stdin.close()
        try:
            process.wait(START_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        errors.join()
        process.stdout.close()


class _Reader(threading.Thread):
    """Keeps the pipe of standard error empty, and the text for an error."""

    def __init__(self, stream):
        super().__init__(daemon=True)
        self._stream = stream
        self.text = ""
        self.start()

    def run(self):
        with self._stream:
            for line in self._stream:
                self.text += line


def _ready(process, errors) -> Cluster:
    watchdog = threading.Timer(START_SECONDS, process.kill)
    watchdog.start()
    line = process.stdout.readline()
    watchdog.cancel()
    if not line:
        process.wait()
        errors.join()
        raise WindlassError(errors.text.strip() or f"windlass up ended with {process.returncode}")
    ready = json.loads(line)
    return Cluster(ready["kubeconfig"], ready["server"], ready["pid"], ready["version"])
