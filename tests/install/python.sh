#!/bin/bash
# The tests of packages/python with the real program and the official client of Kubernetes.
#
#   tests/install/python.sh path/to/windlass
set -u
exec </dev/null
WINDLASS=$(realpath "$1")
here=$(realpath "$(dirname "$0")")
# shellcheck source=/dev/null
source "$here/../skips.sh"
# Debian's own, which has Debian's packages.
/usr/bin/python3 -c 'import pytest, kubernetes' 2>/dev/null ||
  skip_suite windlass_python_test "no pytest or no kubernetes client for /usr/bin/python3"
cd "$here/../../packages/python" || exit 1
unset KUBECONFIG
export WINDLASS PYTHONDONTWRITEBYTECODE=1
exec /usr/bin/python3 -m pytest -q -p no:cacheprovider tests
