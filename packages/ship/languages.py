"""The packages for Python and Node.js, with the program inside, and the manifest of kubectl's plugin manager."""

import base64
import hashlib
import json
import os
import re
from pathlib import Path

from archives import File, Tree, below, write_tar_gz, write_zip
from release import ROOT, Release

SUMMARY = "Run Kubernetes Jobs without a cluster, and test what makes them"


def write_wheel(output: Path, release: Release, binary: bytes, licences: Tree) -> None:
    source = ROOT / "packages/python"
    tag = f"py3-none-manylinux_2_36_{release.machine}"
    info = f"{release.name}-{release.version}.dist-info"
    requires = re.search(r'requires-python = "(.*)"', (source / "pyproject.toml").read_text()).group(1)
    files: Tree = {
        f"windlass/{path.name}": File(path.read_bytes()) for path in sorted((source / "windlass").glob("*.py"))}
    files["windlass/bin/windlass"] = File(binary, executable=True)
    files[f"{info}/METADATA"] = File((
        f"Metadata-Version: 2.1\nName: {release.name}\nVersion: {release.version}\nSummary: {SUMMARY}\n"
        f"License: Apache-2.0\nRequires-Python: {requires}\nDescription-Content-Type: text/markdown\n\n"
        f"{(source / 'README.md').read_text()}").encode())
    files[f"{info}/WHEEL"] = File(
        f"Wheel-Version: 1.0\nGenerator: windlass-package\nRoot-Is-Purelib: false\nTag: {tag}\n".encode())
    files[f"{info}/entry_points.txt"] = File(
        b"[console_scripts]\nwindlass = windlass._program:main\n\n[pytest11]\nwindlass = windlass.pytest_plugin\n")
    files.update(below(f"{info}/licenses", licences))
    record = "".join(
        f"{name},sha256={base64.urlsafe_b64encode(hashlib.sha256(entry.data).digest()).rstrip(b'=').decode()},"
        f"{len(entry.data)}\n"
        for name, entry in files.items())
    files[f"{info}/RECORD"] = File(f"{record}{info}/RECORD,,\n".encode())
    write_zip(output / f"{release.name}-{release.version}-{tag}.whl", files, release.epoch)


def write_npm(output: Path, release: Release, binary: bytes, licences: Tree) -> None:
    source = ROOT / "packages/node"
    package = json.loads((source / "package.json").read_text())
    package["version"] = release.version
    package["files"] += ["bin", "licenses"]
    package["bin"] = {release.name: f"bin/{release.name}"}
    package["os"], package["libc"] = ["linux"], ["glibc"]
    package["cpu"] = [{"amd64": "x64"}.get(release.arch, release.arch)]
    tree: Tree = {
        "package.json": File(json.dumps(package, indent=2).encode() + b"\n"),
        "index.js": File((source / "index.js").read_bytes()),
        "README.md": File((source / "README.md").read_bytes()),
        f"bin/{release.name}": File(binary, executable=True),
        **below("licenses", licences),
    }
    write_tar_gz(output / f"{release.name}-{release.version}-npm-linux-{release.arch}.tgz",
                 below("package", tree), release.epoch)


def write_krew(output: Path, release: Release) -> None:
    """krew links the binary as kubectl-windlass itself. $WINDLASS_RELEASE_URL is the folder of the tarball."""
    address = os.environ.get("WINDLASS_RELEASE_URL", f"https://example.com/windlass/v{release.version}")
    tarball = output / f"{release.stem}.tar.gz"
    digest = hashlib.sha256(tarball.read_bytes()).hexdigest()
    (output / "windlass.krew.yaml").write_text(f"""\
apiVersion: krew.googlecontainertools.github.com/v1alpha2
kind: Plugin
metadata:
  name: {release.name}
spec:
  version: v{release.version}
  shortDescription: Explain, report and rerun Jobs
  description: |
    Says why a Job failed or what it waits for, shows it as a report, and
    runs failed indexes again. Also runs Jobs on this machine.
  platforms:
    - selector: {{matchLabels: {{os: linux, arch: {release.arch}}}}}
      uri: {address}/{tarball.name}
      sha256: {digest}
      files:
        - {{from: {release.stem}/bin/{release.name}, to: .}}
        - {{from: {release.stem}/share/doc/{release.name}/LICENSE, to: .}}
      bin: {release.name}
""")
