"""Everything that is shipped, from a finished release build: `./dev package`.

    python3 packages/ship BUILD OUTPUT

The same commit gives the same bytes: files in order, with the time of the commit, and no owner.
"""

import hashlib
import shutil
import sys
from pathlib import Path

import archives
import bill
import debian
import image
import languages
import program
from command import Failure
from release import Release
from tree import installed_tree


def main(build: Path, output: Path) -> None:
    release = Release.of(build)
    shutil.rmtree(output, ignore_errors=True)
    output.mkdir(parents=True)

    binary = program.make(release, build)
    parts = bill.linked_parts(binary.archives)
    sbom = bill.document(release, binary.stripped, parts)
    tree = installed_tree(build, release, binary.stripped)
    licences = bill.licences(parts)
    documents = f"share/doc/{release.name}"
    complete = {
        **tree,
        **archives.below(f"{documents}/licenses", licences),
        f"{documents}/sbom.spdx.json": archives.File(sbom),
    }

    archives.write_tar_gz(output / f"{release.stem}.tar.gz", archives.below(release.stem, complete), release.epoch)
    debug = archives.below(f"lib/debug/.build-id/{binary.build_id[:2]}", {
        f"{binary.build_id[2:]}.debug": archives.File(binary.debug)})
    archives.write_tar_gz(output / f"{release.stem}-debug.tar.gz", debug, release.epoch)
    (output / f"{release.stem}.spdx.json").write_bytes(sbom)
    image.write(output, release, binary.stripped, licences)
    debian.write(output, release, complete)
    languages.write_wheel(output, release, binary.stripped, licences)
    languages.write_npm(output, release, binary.stripped, licences)
    languages.write_krew(output, release)
    write_checksums(output)
    for file in sorted(output.iterdir()):
        print(f"{file.stat().st_size:>10}  {file}")


def write_checksums(output: Path) -> None:
    """For `sha256sum -c`."""
    lines = [f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}\n" for file in sorted(output.iterdir())]
    (output / "SHA256SUMS").write_text("".join(lines))


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: python3 packages/ship BUILD OUTPUT")
    try:
        main(Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve())
    except Failure as failure:
        sys.exit(f"package: {failure}")
