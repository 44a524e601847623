#!/bin/bash
# The streams of containers with a real kubectl: exec and cp, on a node of `windlass up` and on one
# of `windlass node`.
#
#   tests/streams/suite.sh path/to/windlass [path/to/kubectl]
#
# Ends with 77, which ctest shows as skipped, where there is no kubectl, or one without WebSocket.
set -u
exec </dev/null
windlass=$(realpath "$1")
here=$(realpath "$(dirname "$0")")
# shellcheck source=/dev/null
source "$here/../skips.sh"
kubectl=${2:-$(command -v kubectl)} || skip_suite windlass_streams_test "no kubectl on PATH"
# shellcheck source=/dev/null
source "$here/../checks.sh"
minor=$(k version --client -o json | sed -n 's/.*"minor": "\([0-9]*\).*/\1/p' | head -1)
[ "$minor" -ge 31 ] || skip_suite windlass_streams_test "kubectl 1.$minor does not speak WebSocket"

use_host_root
start_windlass --nodes 1
pod() {
  k apply -f - <<JSON
{"apiVersion":"v1","kind":"Pod","metadata":{"name":"$1"},"spec":{"restartPolicy":"Never","terminationGracePeriodSeconds":1,
 "hostname":"inside"${3:+,$3},"containers":[{"name":"main","image":"none","command":["sh","-c","$2"],"env":[{"name":"COLOR","value":"blue"}]}]}}
JSON
}
ready() { k wait --for=condition=Ready --timeout=25s "pod/$1"; }
code_of() {
  "$@"
  echo "code $?"
}
check pod created pod p 'echo main; sleep 1000 & wait'
check pod-ready met ready p

# exec
check exec $'^blue\ninside$' k exec p -- sh -c 'echo $COLOR; hostname'
check exec-code 'exit code 7.code 7$' code_of k exec p -- sh -c 'exit 7'
check exec-success '^code 0$' code_of k exec p -- true
stdout_of() { timeout 30 "$kubectl" "$@" 2>/dev/null; }
check exec-output '^out$' stdout_of exec p -- sh -c 'echo out; echo err >&2'
check exec-errors '^err$' k exec p -- sh -c 'echo err >&2'
check exec-no-program 'no-such-program' k exec p -- no-such-program
check exec-killed 'code 137$' code_of k exec p -- sh -c 'kill -9 $$'
typed() { printf 'first\nsecond' | k exec -i "$@"; }
check exec-input $'^first\nsecondend$' typed p -- sh -c 'cat; echo end'
check exec-no-input '^end$' k exec p -- sh -c 'cat; echo end'
# More than all buffers on the way, in both directions.
much() { head -c 20000000 /dev/zero | tr '\0' y | timeout 60 "$kubectl" exec -i p -- cat | cksum; }
check exec-much "^$(head -c 20000000 /dev/zero | tr '\0' y | cksum)$" much
slow_reader() { timeout 60 "$kubectl" exec p -- head -c 20000000 /dev/zero | (sleep 1; wc -c); }
check exec-slow-reader '^20000000$' slow_reader
# In the group of the container, and in its namespaces.
same() { k exec p -- sh -c 'for n in pid mnt ipc uts cgroup net; do [ $(readlink /proc/1/ns/$n) = $(readlink /proc/self/ns/$n) ] || echo other $n; done; cmp /proc/1/cgroup /proc/self/cgroup; grep -E "Cap(Bnd|Eff)|Seccomp:|NoNewPrivs" /proc/1/status >/tmp/1; grep -E "Cap(Bnd|Eff)|Seccomp:|NoNewPrivs" /proc/self/status | cmp - /tmp/1 && echo same'; }
check exec-inside '^same$' same
if command -v tmux >/dev/null; then
  tmux -L "streams-$$" -f /dev/null new-session -d -x 91 -y 31 "$kubectl exec -it p -- sh; echo ended with \$?; read -r"
  screen() { tmux -L "streams-$$" capture-pane -p; }
  keys() { tmux -L "streams-$$" send-keys "$@"; }
  wanted '[#$]' terminal-prompt screen
  keys 'stty size; tty -s && echo on $TERM' Enter
  wanted '31 91.*on [a-z]' terminal-size screen
  tmux -L "streams-$$" resize-window -x 72 -y 22
  size() { keys 'clear; stty size' Enter; screen; }
  wanted '22 72' terminal-resized size
  keys "sleep $$.75" Enter
  sleeping() { pgrep -f "^sleep $$.75"; }
  wanted '[0-9]' terminal-runs sleeping
  keys C-c
  wanted '^$' terminal-interrupted sleeping
  keys 'exit 9' Enter
  wanted 'ended with 9' terminal-exit screen
  tmux -L "streams-$$" kill-server
else
  skip streams-terminal "no tmux on PATH"
fi

# What cannot be.
check exec-no-pod 'pods "q" not found' k exec q -- true
check exec-no-container 'container zork|zork' k exec p -c zork -- true
check done-pod created pod done true
wanted Succeeded done-pod-ends k get pod done -o 'jsonpath={.status.phase}'
check exec-ended 'completed pod' k exec done -- true
"$windlass" kubeconfig --data-dir "$work/data" --role viewer --user v >"$work/viewer"
check exec-viewer 'forbidden|Forbidden' k --kubeconfig "$work/viewer" exec p -- true
check may-exec '^yes$' k auth can-i create pods/exec
check may-not-exec '^no$' k --kubeconfig "$work/viewer" auth can-i create pods/exec

# cp
head -c 3000000 /dev/urandom >"$work/file"
check cp-to '^$' k cp "$work/file" p:/tmp/file
check cp-there "$(cksum <"$work/file")" k exec p -- sh -c 'cksum </tmp/file'
check cp-from '' k cp p:/tmp/file "$work/back"
check cp-same '^same$' sh -c "cmp '$work/file' '$work/back' && echo same"

# A command does not outlive its client, nor the server.
mark=$$.25
running() { pgrep -f "^sleep $mark"; }
timeout 60 "$kubectl" exec p -- sleep "$mark" >/dev/null 2>&1 &
client=$!
wanted '[0-9]' exec-runs running
kill "$client"
wanted '^$' exec-ends-with-client running
timeout 60 "$kubectl" exec p -- sleep "$mark" >/dev/null 2>&1 &
client=$!
wanted '[0-9]' exec-runs-again running
kill -9 "$server"
wait "$server" "$client" 2>/dev/null
wanted '^$' exec-ends-with-server running
start_windlass --nodes 1
check pod-still-runs '^blue$' k exec p -- sh -c 'echo $COLOR'

# A node in a process of its own.
"$windlass" kubeconfig --data-dir "$work/data" --role node --user a >"$work/a.kubeconfig"
"$windlass" node --name a --kubeconfig "$work/a.kubeconfig" --data-dir "$work/data" >"$work/agent" 2>&1 &
agent=$!
wanted '^a +Ready' node-ready k get node a --no-headers
check pod-of-node created pod far 'sleep 1000 & wait' '"nodeName":"a"'
check pod-of-node-ready met ready far
check exec-node '^blue$' k exec far -- sh -c 'echo $COLOR'
k delete pod p far --wait=false >/dev/null
wanted '^$' pods-end k get pods p far -o name --ignore-not-found
kill "$agent"
wait "$agent" 2>/dev/null
finish_suite
