#!/bin/bash
# The suite with the kubectl on PATH and, where that is another one, with Debian's kubernetes-client.
#
#   tests/kubectl/run.sh path/to/windlass [path/to/kubectl...]      the named ones instead
#
# Ends with 77, which ctest shows as skipped, where there is no kubectl.
set -u
here=$(dirname "$0")
windlass=$1
shift
# shellcheck source=/dev/null
source "$here/../skips.sh"

# Those to try, each version once.
candidates=("$@")
if [ $# -eq 0 ]; then
  candidates=("$(command -v kubectl)")
  dpkg -L kubernetes-client 2>/dev/null | grep -qx /usr/bin/kubectl && candidates+=(/usr/bin/kubectl)
fi
failed=0 ran=0 seen=' '
for kubectl in "${candidates[@]}"; do
  [ -x "$kubectl" ] || continue
  version=$("$kubectl" version --client -o json | sed -n 's/.*"gitVersion": "\(.*\)".*/\1/p' | head -1)
  [[ $seen == *" $version "* ]] && continue
  seen+="$version "
  ran=$((ran + 1))
  "$here/suite.sh" "$windlass" "$kubectl" || failed=1
done
[ "$ran" -gt 0 ] || skip_suite windlass_kubectl_test "no kubectl on PATH"
exit "$failed"
