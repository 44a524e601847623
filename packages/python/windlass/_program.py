"""Where the program is."""

import os
import shutil


class WindlassError(Exception):
    """The program is missing, or it refused what it was asked for. The text is its own."""


def find_program(program=None):
    """`program`, $WINDLASS, or `windlass` on PATH."""
    wanted = program or os.environ.get("WINDLASS") or "windlass"
    found = shutil.which(wanted)
    if found is None:
        raise WindlassError(
            f"cannot find the program {wanted!r}: put windlass on PATH, or name it in $WINDLASS"
        )
    return found
