"""Other programs: what they print, or why they failed."""

import os
import subprocess
from pathlib import Path
from typing import Mapping, Optional


class Failure(Exception):
    """The text is for the user."""


def run(*words: str, cwd: Optional[Path] = None, env: Optional[Mapping[str, str]] = None) -> str:
    done = subprocess.run(
        words, cwd=cwd, env={**os.environ, **(env or {})}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        raise Failure(f"{' '.join(words[:4])} ... failed:\n{done.stdout}{done.stderr}")
    return done.stdout
