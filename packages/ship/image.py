"""The image: an OCI archive with the program, glibc and certificate authorities, made of tar and JSON."""

import hashlib
import json
import time
from pathlib import Path
from typing import Mapping

from archives import File, Folder, Link, Tree, below, compressed, tar
from release import Release

USER = 65532
TITLE = "Kubernetes Jobs with exact control over pod failures"


def write(output: Path, release: Release, binary: bytes, licences: Tree) -> None:
    layers = [tar(base_files(), release.epoch), tar(program_files(release, binary, licences), release.epoch)]
    created = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(release.epoch))
    labels = {
        "org.opencontainers.image.title": release.name,
        "org.opencontainers.image.description": TITLE,
        "org.opencontainers.image.licenses": "Apache-2.0",
        "org.opencontainers.image.revision": release.commit,
        "org.opencontainers.image.version": release.version,
        "org.opencontainers.image.created": created,
    }
    config = {
        "created": created,
        "architecture": release.arch,
        "os": "linux",
        "config": {
            "User": f"{USER}:{USER}",
            "Env": ["PATH=/usr/bin", "SSL_CERT_FILE=/etc/ssl/certs/ca-certificates.crt"],
            "Entrypoint": ["/usr/bin/windlass"],
            "WorkingDir": "/",
            "Labels": labels,
        },
        "rootfs": {"type": "layers", "diff_ids": [digest(layer) for layer in layers]},
        "history": [{"created": created, "created_by": name} for name in ("glibc and certificates", "windlass")],
    }
    blobs: Tree = {}
    manifest = {
        "schemaVersion": 2,
        "mediaType": "application/vnd.oci.image.manifest.v1+json",
        "config": stored(blobs, "application/vnd.oci.image.config.v1+json", encoded(config)),
        "layers": [
            stored(blobs, "application/vnd.oci.image.layer.v1.tar+gzip", compressed(layer)) for layer in layers],
        "annotations": labels,
    }
    described = stored(blobs, manifest["mediaType"], encoded(manifest))
    described["platform"] = {"architecture": release.arch, "os": "linux"}
    described["annotations"] = {
        "org.opencontainers.image.ref.name": release.version,
        "io.containerd.image.name": f"docker.io/library/{release.name}:{release.version}",
    }
    index = {
        "schemaVersion": 2,
        "mediaType": "application/vnd.oci.image.index.v1+json",
        "manifests": [described],
    }
    archive = {
        "oci-layout": File(encoded({"imageLayoutVersion": "1.0.0"})),
        "index.json": File(encoded(index)),
        **blobs,
    }
    (output / f"{release.stem}-oci.tar").write_bytes(tar(archive, release.epoch))


def base_files() -> Tree:
    """Of Debian: the C library, which reads these files of /etc, and the authorities."""
    machine = "x86_64-linux-gnu" if Path("/lib64/ld-linux-x86-64.so.2").exists() else "aarch64-linux-gnu"
    folder = Path("/usr/lib") / machine
    loader = next(folder.glob("ld-linux-*.so.*"))
    tree: Tree = {
        f"usr/lib/{machine}/{name}": File((folder / name).read_bytes(), executable=True)
        for name in ("libc.so.6", "libm.so.6", loader.name)}
    tree["lib"] = Link("usr/lib")
    if machine.startswith("x86_64"):
        tree["lib64"] = Link("usr/lib64")
        tree[f"usr/lib64/{loader.name}"] = Link(f"../lib/{machine}/{loader.name}")
    else:
        tree[f"usr/lib/{loader.name}"] = Link(f"{machine}/{loader.name}")
    tree["etc/passwd"] = File(
        f"root:x:0:0:root:/root:/sbin/nologin\nwindlass:x:{USER}:{USER}:windlass:/nonexistent:/sbin/nologin\n".encode())
    tree["etc/group"] = File(f"root:x:0:\nwindlass:x:{USER}:\n".encode())
    tree["etc/nsswitch.conf"] = File(b"passwd: files\ngroup: files\nhosts: files dns\n")
    tree["etc/ssl/certs/ca-certificates.crt"] = File(Path("/etc/ssl/certs/ca-certificates.crt").read_bytes())
    tree["tmp"] = Folder(0o1777)
    for package in ("libc6", "ca-certificates"):
        tree[f"usr/share/doc/{package}/copyright"] = File(Path(f"/usr/share/doc/{package}/copyright").read_bytes())
    return tree


def program_files(release: Release, binary: bytes, licences: Tree) -> Tree:
    return {
        f"usr/bin/{release.name}": File(binary, executable=True),
        **below(f"usr/share/doc/{release.name}/licenses", licences),
    }


def stored(blobs: Tree, media_type: str, data: bytes) -> dict:
    """Its descriptor; the blob is among the others from now on."""
    name = digest(data)
    blobs[f"blobs/{name.replace(':', '/')}"] = File(data)
    return {"mediaType": media_type, "digest": name, "size": len(data)}


def digest(data: bytes) -> str:
    return f"sha256:{hashlib.sha256(data).hexdigest()}"


def encoded(value: Mapping) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()
