"""What `cmake --install` installs, with the program that is shipped."""

import tempfile
from pathlib import Path

from archives import File, Link, Tree
from command import run
from release import ROOT, Release


def installed_tree(build: Path, release: Release, binary: bytes) -> Tree:
    with tempfile.TemporaryDirectory() as folder:
        run("cmake", "--install", str(build), "--prefix", folder)
        tree = read_tree(Path(folder))
    tree[f"bin/{release.name}"] = File(binary, executable=True)
    for unit in sorted((ROOT / "deploy/systemd").rglob("windlass.*")):
        kind = unit.parent.name  # system, user
        tree[f"share/doc/{release.name}/systemd/{kind}/{unit.name}"] = File(unit.read_bytes())
    return tree


def read_tree(root: Path) -> Tree:
    tree: Tree = {}
    for path in sorted(root.rglob("*")):
        name = str(path.relative_to(root))
        if path.is_symlink():
            tree[name] = Link(str(path.readlink()))
        elif path.is_file():
            tree[name] = File(path.read_bytes(), executable=bool(path.stat().st_mode & 0o100))
    return tree
