"""The Debian package: debhelper's tools over the files of the tarball, with units and maintainer scripts."""

import shutil
import tempfile
import time
from email.utils import formatdate
from pathlib import Path

from archives import File, Link, Tree
from command import run
from release import ROOT, Release

COPYRIGHT = """\
Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: windlass

Files: *
Copyright: {year} The Windlass authors
License: Apache-2.0
 On Debian systems, the full text of the Apache License, Version 2.0, is in
 /usr/share/common-licenses/Apache-2.0.
Comment:
 The program contains libraries of Debian. Their copyrights and licenses are in
 /usr/share/doc/windlass/licenses, and their versions in
 /usr/share/doc/windlass/sbom.spdx.json.
"""
STEPS = (
    ("dh_installdocs",), ("dh_installchangelogs",), ("dh_lintian",), ("dh_installsysusers",),
    ("dh_installsystemd", "--no-enable", "--no-start"), ("dh_installsystemduser", "--no-enable"), ("dh_link",),
    ("dh_compress",), ("dh_fixperms",), ("dh_installdeb",), ("dh_shlibdeps",), ("dh_gencontrol",), ("dh_md5sums",),
)


def write(output: Path, release: Release, tree: Tree) -> None:
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder) / release.name
        write_sources(work, release)
        write_tree(work / "debian/windlass", tree, release)
        environment = {"SOURCE_DATE_EPOCH": str(release.epoch)}
        for step in STEPS:
            run(*step, cwd=work, env=environment)
        run("dh_builddeb", f"--destdir={output}", cwd=work, env=environment)


def write_sources(work: Path, release: Release) -> None:
    debian = work / "debian"
    shutil.copytree(ROOT / "packages/debian", debian)
    for unit in ("service", "user.service"):
        kind = "user" if unit.startswith("user") else "system"
        shutil.copy(ROOT / f"deploy/systemd/{kind}/windlass.service", debian / f"windlass.{unit}")
    shutil.copy(ROOT / "deploy/systemd/windlass.sysusers", debian / "windlass.sysusers")
    (debian / "copyright").write_text(COPYRIGHT.format(year=time.gmtime(release.epoch).tm_year))
    (debian / "changelog").write_text(
        f"windlass ({release.version}-1) unstable; urgency=medium\n\n  * Release of commit {release.commit[:12]}.\n\n"
        f" -- Windlass maintainers <maintainers@windlass.dev>  {formatdate(release.epoch)}\n")


def write_tree(root: Path, tree: Tree, release: Release) -> None:
    documents = f"share/doc/{release.name}"
    # Debian has them elsewhere: the text in common-licenses, the units in the package itself.
    left_out = (f"{documents}/LICENSE", f"{documents}/licenses/windlass", f"{documents}/systemd/")
    default = (ROOT / "packages/debian/windlass.default").read_bytes()
    paths = {f"usr/{path}": entry for path, entry in tree.items() if not path.startswith(left_out)}
    paths["etc/default/windlass"] = File(default)
    for path, entry in paths.items():
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(entry, Link):
            target.symlink_to(entry.target)
        else:
            target.write_bytes(entry.data)
            target.chmod(entry.mode)
