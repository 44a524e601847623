"""Archives that depend on nothing but their content: files in order, without owners, at one time."""

import gzip
import io
import tarfile
import time
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Dict, Mapping


@dataclass(frozen=True)
class File:
    data: bytes
    executable: bool = False

    @property
    def mode(self) -> int:
        return 0o755 if self.executable else 0o644


@dataclass(frozen=True)
class Link:
    target: str


@dataclass(frozen=True)
class Folder:
    mode: int = 0o755


Tree = Dict[str, "File | Link | Folder"]


def below(folder: str, tree: Mapping) -> Tree:
    return {f"{folder}/{path}": entry for path, entry in tree.items()}


def with_folders(tree: Mapping) -> Tree:
    """The folders that hold its files, too."""
    complete = dict(tree)
    for path in tree:
        for parent in Path(path).parents:
            if str(parent) != ".":
                complete.setdefault(str(parent), Folder())
    return complete


def tar(tree: Mapping, epoch: int) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.GNU_FORMAT) as archive:
        for path, entry in sorted(with_folders(tree).items()):
            info = tarfile.TarInfo(path)
            info.mtime = epoch
            if isinstance(entry, Folder):
                info.type, info.mode = tarfile.DIRTYPE, entry.mode
                archive.addfile(info)
            elif isinstance(entry, Link):
                info.type, info.mode, info.linkname = tarfile.SYMTYPE, 0o777, entry.target
                archive.addfile(info)
            else:
                info.mode, info.size = entry.mode, len(entry.data)
                archive.addfile(info, io.BytesIO(entry.data))
    return buffer.getvalue()


def compressed(data: bytes) -> bytes:
    return gzip.compress(data, compresslevel=9, mtime=0)


def write_tar_gz(path: Path, tree: Mapping, epoch: int) -> None:
    path.write_bytes(compressed(tar(tree, epoch)))


def write_zip(path: Path, tree: Mapping, epoch: int) -> None:
    # The format knows no time before 1980.
    moment = max(time.gmtime(epoch)[:6], (1980, 1, 1, 0, 0, 0))
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, entry in tree.items():  # in the order given: a wheel has its RECORD last
            info = zipfile.ZipInfo(name, moment)
            info.create_system = 3  # Unix, for the mode
            info.external_attr = (0o100000 | entry.mode) << 16
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, entry.data)
