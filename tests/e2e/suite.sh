#!/bin/bash
# Real pods on a cluster of three nodes, driven with kubectl as a user would: the KEPs' own
# scenarios, and every row of KEP-3329's table that needs a real process (disruption.md R).
#
#   tests/e2e/suite.sh path/to/windlass [path/to/kubectl]
#
# Ends with 77, which ctest shows as skipped, where there is no kubectl, or no namespaces.
set -u
exec </dev/null
windlass=$(realpath "$1")
here=$(realpath "$(dirname "$0")")
# shellcheck source=/dev/null
source "$here/../skips.sh"
kubectl=${2:-$(command -v kubectl)} || skip_suite windlass_e2e_test "no kubectl on PATH"
# shellcheck source=/dev/null
source "$here/../checks.sh"
# shellcheck source=/dev/null
source "$here/pods.sh"

use_host_root
# The program itself knows best what it can have here.
if "$windlass" run <(printf '%s' '{"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"probe"},"spec":{"template":
  {"spec":{"restartPolicy":"Never","containers":[{"name":"c","image":"none","command":["true"]}]}}}}') 2>&1 |
  grep 'plain process groups'; then
  skip_suite windlass_e2e_test "no PID namespaces: SIGTERM would end processes that must ignore it"
fi

for part in "$here"/steps/*.sh; do
  # shellcheck source=/dev/null
  source "$part"
done
finish_suite
