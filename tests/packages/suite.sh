#!/bin/bash
# What `./dev package` makes: twice the same; installed, run, upgraded and purged on machines that never saw the
# source (Debian 12 and 13, by debootstrap); the packages of Python and Node.js; the image.
#
#   tests/packages/suite.sh path/to/build
set -u
exec </dev/null
build=$(realpath "$1")
here=$(realpath "$(dirname "$0")")
# shellcheck source=/dev/null
source "$here/../skips.sh"
for program in debootstrap lintian dh_builddeb skopeo npm node apt-get python3; do
  command -v "$program" >/dev/null || skip_suite windlass_packages_test "no $program on PATH"
done
python3 -c 'import ensurepip' 2>/dev/null || skip_suite windlass_packages_test "no ensurepip for python3"
[ "$(id -u)" -eq 0 ] || skip_suite windlass_packages_test "debootstrap needs root"
# shellcheck source=/dev/null
source "$here/../checks.sh"
cd "$here/../.." || exit 1

mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Origin: Debian' 'Codename: bookworm' | head -1)
# machine NAME CODENAME: a minimal Debian.
machine() {
  debootstrap --variant=minbase "$2" "$work/$1" "$mirror" >"$work/$1.log" 2>&1 || tail -5 "$work/$1.log"
}
machine debian12 bookworm &
machine debian13 trixie &

out=$work/out
check 'the packages are made' '\.whl.*\.deb' python3 packages/ship "$build" "$out"
check 'again they are the same' '\.whl.*\.deb' python3 packages/ship "$build" "$work/again"
check 'again they are the same: to the byte' '^$' diff -r "$out" "$work/again"
stem=$(basename "$out"/*-oci.tar -oci.tar)
deb=$(echo "$out"/*.deb)
checksums() { (cd "$out" && sha256sum -c SHA256SUMS); }
check 'checksums' '!FAILED' checksums
check 'lintian finds nothing' '^$' lintian --allow-root --tag-display-limit 0 "$deb"

bill() {
  python3 - "$out/$stem.spdx.json" <<'PYTHON'
import json, sys
bill = json.load(open(sys.argv[1]))
names = {package["SPDXID"] for package in bill["packages"]}
assert all(link["relatedSpdxElement"] in names for link in bill["relationships"])
print(*sorted(package["name"] for package in bill["packages"]))
PYTHON
}
check 'the bill names what is linked' 'glibc.*libseccomp.*nghttp2.*openssl.*protobuf.*simdjson.*sqlite3.*windlass' bill

# The program alone.
mkdir "$work/tar"
tar xzf "$out/$stem.tar.gz" -C "$work/tar" --strip-components=1
windlass=$work/tar/bin/windlass
check 'needs glibc alone' '^(libm|libc|ld-linux-x86-64)\.so\.[0-9]+ (libm|libc|ld-linux-x86-64)\.so\.[0-9]+ (libm|libc|ld-linux-x86-64)\.so\.[0-9]+$' \
  eval "readelf -d $windlass | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p' | paste -sd ' '"
check 'has no symbols' 'no symbols' nm "$windlass"
check 'has no path of the clone' '^0$' eval "grep -c '$PWD' $windlass"
check 'has its licences' 'OpenSSL|Apache' cat "$work/tar/share/doc/windlass/licenses/libssl-dev"
build_id=$(readelf -n "$windlass" | sed -n 's/.*Build ID: //p')
check 'its symbols have its name' "lib/debug/.build-id/${build_id:0:2}/${build_id:2}.debug" tar tzf "$out/$stem-debug.tar.gz"

# The image.
check 'skopeo reads the image' '"Architecture": "amd64".*"LayersData"|"org.opencontainers.image.version"' \
  skopeo inspect "oci-archive:$out/$stem-oci.tar"
check 'windlass loads it' 'image .* loaded' "$windlass" image load --image-dir "$work/images" --name self:1 "$out/$stem-oci.tar"
cat >"$work/self.yaml" <<'YAML'
apiVersion: batch/v1
kind: Job
metadata: {name: self}
spec:
  backoffLimit: 0
  template:
    spec:
      restartPolicy: Never
      securityContext: {runAsNonRoot: true}
      containers: [{name: main, image: "self:1", args: [version]}]
YAML
check 'it runs, not as root' 'main\] windlass v' "$windlass" run --timeout 2m --logs --image-dir "$work/images" --no-record "$work/self.yaml"

# A project of Python, and one of Node.js, with nothing but the package.
python3 -m venv "$work/venv"
check 'pip installs the wheel' 'Successfully installed windlass' "$work/venv/bin/pip" install --no-index "$out"/*.whl
check 'its command' '^windlass v' "$work/venv/bin/windlass" --version
python_project() {
  env -u WINDLASS PATH=/usr/bin:/bin "$work/venv/bin/python" - <<'PYTHON'
import windlass, windlass.testing
job = {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "a"}, "spec": {"template": {"spec": {
    "restartPolicy": "Never", "containers": [{"name": "m", "image": "host", "command": ["true"]}]}}}}
with windlass.testing.cluster() as cluster:
    print(windlass.run(job).verdict, cluster.version)
PYTHON
}
check 'its module' '^Complete v' python_project
mkdir "$work/project"
echo '{"private": true, "type": "module"}' >"$work/project/package.json"
node_project() {
  (cd "$work/project" && npm install --offline --no-audit --no-fund "$out"/*.tgz && npx --offline windlass --version &&
    env -u WINDLASS node -e 'import("windlass").then(async (w) => { const c = await w.startCluster(); console.log("cluster", c.version); await c.stop(); })') 2>&1
}
check 'npm installs the package, with command and module' 'added 1 package.*windlass v.*cluster v' node_project

# Machines that never saw the source.
cat >"$work/host.yaml" <<'YAML'
apiVersion: batch/v1
kind: Job
metadata: {name: first}
spec:
  template:
    spec:
      restartPolicy: Never
      containers: [{name: main, image: host, command: [sh, -c, cat /etc/debian_version]}]
YAML
mkdir -p "$work/newer"
dpkg-deb -R "$deb" "$work/newer/tree"
sed -i 's/^\(Version: .*\)/\1+1/' "$work/newer/tree/DEBIAN/control"
echo '# changed' >>"$work/newer/tree/etc/default/windlass"
dpkg-deb --root-owner-group -b "$work/newer/tree" "$work/newer/windlass.deb" >/dev/null
wait
on() { "$here/enter" "$work/$1" bash -c "$2" 2>&1; }
for name in debian12 debian13; do
  release=12
  [ "$name" = debian12 ] || release=13
  cp "$out/$stem.tar.gz" "$deb" "$work/host.yaml" "$work/newer/windlass.deb" "$work/$name/srv/"
  check "$name: one archive, one command" "\[first-.* main\] $release.*first Complete" \
    on "$name" "tar xzf /srv/$stem.tar.gz -C /opt && /opt/$stem/bin/windlass run --timeout 2m --logs /srv/host.yaml"
  check "$name: the package installs" 'Setting up windlass' \
    on "$name" "apt-get -qq update && apt-get install -y --no-install-recommends systemd-standalone-sysusers /srv/$(basename "$deb") && rm -rf /opt/windlass*"
  check "$name: it runs" "main\] $release.*first Complete" on "$name" 'windlass run --timeout 2m --logs /srv/host.yaml'
  check "$name: its user" '^windlass:' on "$name" 'getent passwd windlass'
  check "$name: its units" 'windlass.service.*windlass.service' on "$name" 'ls /lib/systemd/system/windlass.service /usr/lib/systemd/user/windlass.service'
  check "$name: they are not enabled" '^$' on "$name" 'find /etc/systemd -name "windlass*"'
  # A server with a pod outlives the upgrade, and ends with the package.
  cat >"$work/$name/srv/life" <<'SCRIPT'
set -e
echo 'WINDLASS_UP_FLAGS=--nodes=1' >>/etc/default/windlass
mkdir -m 0700 /var/lib/windlass
windlass up --data-dir /var/lib/windlass --listen 127.0.0.1:0 >/srv/up 2>&1 &
server=$!
until grep -q '^export KUBECONFIG' /srv/up; do kill -0 $server; sleep 0.1; done
dpkg --force-confdef --force-confold -i /srv/windlass.deb
grep WINDLASS_UP_FLAGS=--nodes=1 /etc/default/windlass
kill -0 $server && echo "the server runs on"
apt-get remove -y windlass
wait $server || true
ls -d /var/lib/windlass /etc/default/windlass
apt-get purge -y windlass
ls -d /var/lib/windlass /etc/default/windlass /usr/bin/windlass || true
SCRIPT
  check "$name: upgrade, removal, purge" 'over \(.*WINDLASS_UP_FLAGS=--nodes=1.the server runs on.*Removing windlass.*/var/lib/windlass.*Purging configuration.*cannot access ./var/lib/windlass.*cannot access ./etc/default/windlass.*cannot access ./usr/bin/windlass' \
    on "$name" 'bash /srv/life'
done
finish_suite
