"""Where the program is."""

import os
import shutil
import sys

# In the wheels of a release.
BUNDLED = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin", "windlass")


class WindlassError(Exception):
    """The program is missing, or it refused what it was asked for. The text is its own."""


def find_program(program=None):
    """`program`, $WINDLASS, that of the wheel, or `windlass` on PATH."""
    wanted = program or os.environ.get("WINDLASS")
    if not wanted:
        wanted = BUNDLED if os.path.exists(BUNDLED) else "windlass"
    found = shutil.which(wanted)
    if found is None:
        raise WindlassError(
            f"cannot find the program {wanted!r}: put windlass on PATH, or name it in $WINDLASS"
        )
    return found


def main():
    """The command `windlass` of an environment with the wheel."""
    os.execv(BUNDLED, ["windlass", *sys.argv[1:]])
