"""What a release is called, and of which commit and time it is."""

import os
import platform
import re
from dataclasses import dataclass
from pathlib import Path

from command import Failure, run

ROOT = Path(__file__).resolve().parents[2]
# Debian's name of the machine, and those of others.
MACHINES = {"x86_64": "amd64", "aarch64": "arm64"}


@dataclass(frozen=True)
class Release:
    version: str
    commit: str
    epoch: int  # seconds: the time of every file
    machine: str  # x86_64
    name: str = "windlass"

    @property
    def arch(self) -> str:
        return MACHINES[self.machine]

    @property
    def stem(self) -> str:
        return f"{self.name}-{self.version}-linux-{self.arch}"

    @staticmethod
    def of(build: Path) -> "Release":
        cache = (build / "CMakeCache.txt").read_text()
        version = re.search(r"^CMAKE_PROJECT_VERSION:STATIC=(.*)$", cache, re.M).group(1)
        if not re.search(r"^CMAKE_BUILD_TYPE:\w+=Release$", cache, re.M):
            raise Failure(f"{build} is not a release build")
        commit = run("git", "rev-parse", "HEAD", cwd=ROOT).strip()
        built = run(str(build / "windlass"), "--version")
        if f"commit {commit[:12]}" not in built:
            raise Failure(f"{build}/windlass is not of commit {commit[:12]} ({built.strip()}): ./dev build windlass")
        if run("git", "status", "--porcelain", "--untracked-files=no", cwd=ROOT).strip():
            print(f"note: the tree has changes: these packages are not exactly of commit {commit[:12]}")
        epoch = os.environ.get("SOURCE_DATE_EPOCH") or run("git", "log", "-1", "--format=%ct", cwd=ROOT)
        return Release(version, commit, int(epoch), platform.machine())
