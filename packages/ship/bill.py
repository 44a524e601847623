"""What is in the program: a bill of materials (SPDX 2.3), and the licences of all of it."""

import hashlib
import json
import re
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Iterable, List

from archives import File, Tree
from command import Failure, run
from release import ROOT, Release

# As SPDX names them; the whole texts are beside the program. Of each package, what applies to its library.
LICENCES = {
    "libarchive-dev": "BSD-2-Clause",
    "libbz2-dev": "bzip2-1.0.6",
    "libc6-dev": "LGPL-2.1-or-later",
    "libcli11-dev": "BSD-3-Clause",
    "libexpected-dev": "CC0-1.0",
    "libfmt-dev": "MIT",
    "libgcc-12-dev": "GPL-3.0-or-later WITH GCC-exception-3.1",
    "libjemalloc-dev": "BSD-2-Clause",
    "liblzma-dev": "LicenseRef-public-domain",
    "libnghttp2-dev": "MIT",
    "libprotobuf-dev": "BSD-3-Clause",
    "libseccomp-dev": "LGPL-2.1-only",
    "libsimdjson-dev": "Apache-2.0",
    "libsqlite3-dev": "blessing",
    "libssl-dev": "Apache-2.0",
    "libstdc++-12-dev": "GPL-3.0-or-later WITH GCC-exception-3.1",
    "libyaml-dev": "MIT",
    "libzstd-dev": "BSD-3-Clause",
    "zlib1g-dev": "Zlib",
}
# Not in the link command: headers only, compiled here, and the glibc of the supervisor, a static program inside.
OTHERS = ("libcli11-dev", "libexpected-dev", "libfmt-dev", "libsimdjson-dev", "libc6-dev")


@dataclass(frozen=True)
class Part:
    package: str
    version: str
    source: str
    licence: str


def linked_parts(archives: Iterable[Path]) -> List[Part]:
    packages = set(OTHERS)
    for archive in archives:
        owner = run("dpkg-query", "-S", str(archive.resolve()))
        packages.add(re.match(r"[^:,]+", owner).group(0))
    unknown = sorted(packages - LICENCES.keys())
    if unknown:
        raise Failure(f"packages/ship/bill.py does not know the licence of {', '.join(unknown)}")
    return [part(package) for package in sorted(packages)]


def part(package: str) -> Part:
    version, source = run(
        "dpkg-query", "-W", "-f=${Version} ${source:Package}\n", package).splitlines()[0].split()
    return Part(package, version, source, LICENCES[package])


def licences(parts: Iterable[Part]) -> Tree:
    tree: Tree = {"windlass": File((ROOT / "LICENSE").read_bytes())}
    for one in parts:
        tree[one.package] = File(Path(f"/usr/share/doc/{one.package}/copyright").read_bytes())
    return tree


def document(release: Release, binary: bytes, parts: Iterable[Part]) -> bytes:
    main = {
        "SPDXID": "SPDXRef-windlass",
        "name": release.name,
        "versionInfo": release.version,
        "downloadLocation": "NOASSERTION",
        "filesAnalyzed": False,
        "licenseConcluded": "Apache-2.0",
        "licenseDeclared": "Apache-2.0",
        "copyrightText": "NOASSERTION",
        "primaryPackagePurpose": "APPLICATION",
        "sourceInfo": f"commit {release.commit}",
        "checksums": [{"algorithm": "SHA256", "checksumValue": hashlib.sha256(binary).hexdigest()}],
    }
    linked = [
        {
            "SPDXID": f"SPDXRef-{re.sub('[^A-Za-z0-9.-]', '-', one.package)}",
            "name": one.source,
            "versionInfo": one.version,
            "downloadLocation": "NOASSERTION",
            "filesAnalyzed": False,
            "licenseConcluded": one.licence,
            "licenseDeclared": one.licence,
            "copyrightText": "NOASSERTION",
            "supplier": "Organization: Debian",
            "externalRefs": [{
                "referenceCategory": "PACKAGE-MANAGER",
                "referenceType": "purl",
                "referenceLocator": f"pkg:deb/debian/{one.package.replace('+', '%2B')}@{one.version.replace('+', '%2B')}"
                                    f"?arch={release.arch}&distro=debian-12",
            }],
        }
        for one in parts
    ]
    content = {
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": release.stem,
        "documentNamespace": f"https://windlass.dev/spdx/{release.stem}-{release.commit}",
        "creationInfo": {
            "created": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(release.epoch)),
            "creators": ["Tool: windlass-package"],
        },
        "hasExtractedLicensingInfos": [{
            "licenseId": "LicenseRef-public-domain",
            "name": "Public domain",
            "extractedText": Path("/usr/share/doc/liblzma-dev/copyright").read_text(),
        }],
        "packages": [main, *linked],
        "relationships": [
            {"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES", "relatedSpdxElement": main["SPDXID"]},
            *({"spdxElementId": main["SPDXID"], "relationshipType": "STATIC_LINK", "relatedSpdxElement": one["SPDXID"]}
              for one in linked),
        ],
    }
    return json.dumps(content, indent=1, sort_keys=True).encode() + b"\n"
