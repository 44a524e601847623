#!/bin/bash
# The tests of packages/node with the real program.
#
#   tests/install/node.sh path/to/windlass
set -u
exec </dev/null
WINDLASS=$(realpath "$1")
here=$(realpath "$(dirname "$0")")
# shellcheck source=/dev/null
source "$here/../skips.sh"
for program in node kubectl; do
  command -v "$program" >/dev/null || skip_suite windlass_node_package_test "no $program on PATH"
done
cd "$here/../../packages/node" || exit 1
unset KUBECONFIG
export WINDLASS
exec node --test test
