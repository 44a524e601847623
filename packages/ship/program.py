"""The program that is shipped: the objects of the release build, linked again with static libraries, so that it
needs only glibc; stripped, with the symbols apart."""

import hashlib
import json
import re
import shlex
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import List

from command import Failure, run
from release import ROOT, Release

# Replaced by a digest of the stripped program, so that the place of the clone, which is in the symbols, has no
# part in it.
NO_BUILD_ID = b"windlass build-id..."
# Debian has only shared ones: one is headers that can be compiled, of the other there is the source package.
COMPILED = ("fmt", "simdjson")
ALLOWED = {"libc.so.6", "libm.so.6", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"}


@dataclass(frozen=True)
class Program:
    stripped: bytes
    debug: bytes
    build_id: str
    archives: List[Path]  # of Debian, that are in it


def make(release: Release, build: Path) -> Program:
    made = build / "package"
    made.mkdir(exist_ok=True)
    words, archives = static_link(build, made)
    run(*words, cwd=build)
    whole = made / release.name
    needed = set(re.findall(r"NEEDED.*\[(.*)\]", run("readelf", "-d", str(whole))))
    if not needed <= ALLOWED:
        raise Failure(f"{whole} needs {', '.join(sorted(needed - ALLOWED))}")
    stripped, debug = made / "stripped", made / "debug"
    run("strip", "--strip-all", "-o", str(stripped), str(whole))
    run("objcopy", "--only-keep-debug", "--compress-debug-sections=zlib", str(whole), str(debug))
    build_id = hashlib.sha1(stripped.read_bytes()).digest()
    return Program(
        with_build_id(stripped, build_id), with_build_id(debug, build_id), build_id.hex(), archives)


def with_build_id(file: Path, build_id: bytes) -> bytes:
    data = file.read_bytes()
    if data.count(NO_BUILD_ID) != 1:
        raise Failure(f"{file}: expected one place for the build ID, found {data.count(NO_BUILD_ID)}")
    return data.replace(NO_BUILD_ID, build_id)


def static_link(build: Path, made: Path):
    """The command that links the release's `windlass`, with an archive for each shared library."""
    command = run("ninja", "-C", str(build), "-t", "commands", "windlass").splitlines()[-1]
    match = re.fullmatch(r": && (.*) && :", command)
    if match is None:
        raise Failure(f"unknown form of the link command: {command}")
    words: List[str] = []
    archives: List[Path] = []
    for word in shlex.split(match.group(1)):
        library = re.fullmatch(r"(/.*/lib(\w+))\.so[.\d]*", word)
        if library is None:
            if re.fullmatch(r"/.*\.a", word):
                archives.append(Path(word))
            words.append(word)
        elif library.group(2) in COMPILED:
            words.append(str(compiled(library.group(2), build, made)))
        elif library.group(2) == "jemalloc":
            # Nothing calls it by name, and only this archive can be in a program at any address.
            archive = f"{library.group(1)}_pic.a"
            words += ["-Wl,--whole-archive", archive, "-Wl,--no-whole-archive"]
            archives.append(Path(archive))
        else:
            words.append(f"{library.group(1)}.a")
            archives.append(Path(words[-1]))
    words[words.index("-o") + 1] = str(made / "windlass")
    words += ["-static-libstdc++", "-static-libgcc", f"-Wl,--build-id=0x{NO_BUILD_ID.hex()}"]
    for name in ("libstdc++.a", "libgcc.a"):
        archives.append(Path(run(words[0], f"-print-file-name={name}").strip()))
    missing = [str(archive) for archive in archives if not archive.exists()]
    if missing:
        raise Failure(f"no static library {', '.join(missing)}")
    return words, archives


def compiled(name: str, build: Path, made: Path) -> Path:
    """The object file of a library that has no archive, compiled as hard as the rest."""
    source = ROOT / "packages/ship/fmt.cc" if name == "fmt" else simdjson_source(made)
    commands = json.loads((build / "compile_commands.json").read_text())
    main = next(entry for entry in commands if entry["file"].endswith("/src/cli/main.cc"))
    words = shlex.split(main["command"])
    kept = [word for word in words if re.match(r"-O|-g|-f|-std=|-D_|-DSIMDJSON", word)]
    compiler = [word for word in words if re.search(r"(g|clang)\+\+[-\d]*$", word)][0]
    target = made / f"{name}.o"
    run(compiler, *kept, "-c", source.name, "-o", str(target), cwd=source.parent)
    return target


def simdjson_source(made: Path) -> Path:
    """Its one file, from Debian's source package of the version that the release was compiled with."""
    version = run("dpkg-query", "-W", "-f=${source:Version}", "libsimdjson-dev").strip()
    kept = made / f"simdjson-{version}" / "simdjson.cpp"
    if kept.exists():
        return kept
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        found = fetch_source(work, "simdjson", version)
        header = found / "singleheader/simdjson.h"
        if header.read_bytes() != Path("/usr/include/simdjson.h").read_bytes():
            raise Failure(f"the source of simdjson {version} is not that of /usr/include/simdjson.h")
        kept.parent.mkdir(exist_ok=True)
        shutil.copy(header, kept.parent)
        partial = kept.with_suffix(".partial")
        shutil.copy(found / "singleheader/simdjson.cpp", partial)
        partial.rename(kept)
    return kept


def fetch_source(work: Path, package: str, version: str) -> Path:
    """`apt-get source` with the mirrors of this machine, without a change to its configuration."""
    mirrors = run(
        "apt-get", "indextargets", "--format", "$(REPO_URI) $(SUITE) $(COMPONENT)", "Created-By: Packages", "Origin: Debian")
    key = "signed-by=/usr/share/keyrings/debian-archive-keyring.gpg"
    lines = sorted({f"deb-src [{key}] {mirror}\n" for mirror in mirrors.splitlines()})
    (work / "sources.list").write_text("".join(lines))
    (work / "lists/partial").mkdir(parents=True)
    options = ["-q", "-o", f"Dir::Etc::SourceList={work}/sources.list", "-o", "Dir::Etc::SourceParts=/dev/null",
               "-o", f"Dir::State::Lists={work}/lists", "-o", f"Dir::Cache={work}", "-o", "APT::Sandbox::User="]
    try:
        run("apt-get", *options, "update")
        run("apt-get", *options, "source", f"{package}={version}", cwd=work)
    except Failure as failure:
        raise Failure(f"cannot get Debian's source package {package} {version}: {failure}") from failure
    return next(path for path in work.iterdir() if path.is_dir() and path.name.startswith(f"{package}-"))
