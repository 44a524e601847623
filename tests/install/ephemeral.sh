#!/bin/bash
# `windlass up --ephemeral` with real pods: it ends with its parent however that ends, and nothing is
# left of it, neither processes nor files.
#
#   tests/install/ephemeral.sh path/to/windlass
set -u
exec </dev/null
windlass=$(realpath "$1")
here=$(realpath "$(dirname "$0")")
# shellcheck source=/dev/null
source "$here/../skips.sh"
kubectl=$(command -v kubectl) || skip_suite windlass_ephemeral_test "no kubectl on PATH"
# shellcheck source=/dev/null
source "$here/../checks.sh"
export TMPDIR=$work/tmp
mkdir "$TMPDIR"

field() { sed -n "s/.*\"$1\":\"\{0,1\}\([^\",}]*\).*/\1/p" "$work/ready"; }
# ready: waits for the line, and points kubectl there.
ready() {
  check 'says that it is ready' '^\{"apiVersion":"windlass.dev/v1","kind":"Ready"' eventually . cat "$work/ready"
  KUBECONFIG=$(field kubeconfig)
  export KUBECONFIG
  pid=$(field pid)
}
# The container's process, by a number that only it has: `sleep` takes it.
sleeper() { pgrep -fx "sleep $1" || echo none; }
run_pod() {
  k run sleeper --image=host --restart=Never --command -- sleep "$1" >/dev/null
  check 'the pod runs' '^[0-9]' eventually '^[0-9]' sleeper "$1"
}
state() { kill -0 "$pid" 2>/dev/null && echo runs || echo gone; }
gone() {
  check "$1: it ends" gone eventually gone state
  check "$1: its pod ends" none eventually none sleeper "$2"
}
nothing_left() {
  check "$1: its folder is removed" '^$' eventually '^$' ls "$TMPDIR"
}
number=$((100000 + $$))

# Standard input.
mkfifo "$work/input"
"$windlass" up --ephemeral <"$work/input" >"$work/ready" 2>"$work/err" &
exec 3>"$work/input"
ready
run_pod "$number"
exec 3>&-
gone 'standard input closes' "$number"
nothing_left 'standard input closes'
wait $! 2>/dev/null
check 'standard input closes: exit code 0' '^0$' echo $?
check 'standard input closes: no complaint' '^$' cat "$work/err"

# A process, which is killed.
rm "$work/ready"
sleep 1000 &
parent=$!
"$windlass" up --ephemeral --parent-pid $parent --hollow-nodes 2 >"$work/ready" 2>"$work/err" &
ready
check 'hollow nodes' 'hollow-.*Ready' eventually 'hollow-.*Ready' k get nodes
kill -KILL $parent
check 'the parent is killed: it ends' gone eventually gone state
nothing_left 'the parent is killed'

# It is killed itself: the next one removes its folder, unless that may have been made just now.
rm "$work/ready"
mkfifo "$work/input2"
"$windlass" up --ephemeral <"$work/input2" >"$work/ready" 2>"$work/err" &
exec 3>"$work/input2"
ready
run_pod $((number + 1))
kill -KILL "$pid"
gone 'it is killed' $((number + 1))
supervisors() { pgrep -f "$TMPDIR/windlass-up-" || echo none; }
check 'it is killed: its supervisor ends' none eventually none supervisors
exec 3>&-
rm "$work/ready"
touch -d '2 minutes ago' "$TMPDIR"/windlass-up-*
"$windlass" up --ephemeral --hollow-nodes 1 --parent-pid $$ >"$work/ready" 2>"$work/err" &
ready
check 'one folder is left' '^1$' eval 'ls "$TMPDIR" | wc -l'
kill -TERM "$pid"
check 'SIGTERM: it ends' gone eventually gone state
nothing_left 'SIGTERM'
finish_suite
