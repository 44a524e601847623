# `windlass node`: an agent in a process of its own, with the rights of a node and no more. It dies
# alone, so that a node is really lost (disruption.md R-12).

agent=
start_agent() {
  "$windlass" node --name a --kubeconfig "$work/a.kubeconfig" --data-dir "$work/data" >"$work/agent" 2>&1 &
  agent=$!
}
kill_agent() {
  kill -9 "$agent"
  wait "$agent" 2>/dev/null
}

# Another node stays ready: when all nodes are silent, no pod is evicted.
start_windlass --nodes 1 "${quick[@]}" --node-monitor-period 1s --node-monitor-grace-period 20s --pod-eviction-timeout 5s
"$windlass" kubeconfig --data-dir "$work/data" --role node --user a >"$work/a.kubeconfig"
start_agent
wanted '^a +Ready' node-ready k get node a --no-headers
# The small program that windlass carries, unless the system forbids programs in memory.
if [[ $(cat /proc/sys/vm/memfd_noexec 2>/dev/null) != 2 ]]; then
  check node-supervisor 'memfd:windlass-supervisor' readlink "/proc/$(<"$work/data/agents/a/supervisor/lock")/exe"
fi
check node-rights 'cannot list resource "secrets"' k --kubeconfig "$work/a.kubeconfig" get secrets
check node-twice 'in use' timeout 30 "$windlass" node --name a --kubeconfig "$work/a.kubeconfig" --data-dir "$work/data"

check node-config created k create configmap words --from-literal=WORD=hello
check node-job created job own 'echo $WORD' '' "$(on_node a)" '"envFrom":[{"configMapRef":{"name":"words"}}]'
wanted '//1 CompletionsReached' node-job-ends state_of own
check node-logs '^hello$' k logs job/own

# A process that ends while no agent runs is still reported, and runs once.
check node-kill created job kept "echo once >>$work/ledger; until [ -e $work/go ]; do sleep 0.1; done; exit 42" '' "$(on_node a)"
wanted Running node-kill-begins k get pods -l job-name=kept --no-headers
kept=$(first_pod kept)
kept_processes() { pgrep -f "[e]cho once >>$work/ledger"; }
kill_agent
touch "$work/go"
wanted '^$' node-kill-ends kept_processes
start_agent
wanted '^Failed//[|]42/Error[|]$' node-kill-end row_of "$kept"
wanted '/1/ BackoffLimitExceeded' node-kill-verdict state_of kept
check node-kill-once '^once$' cat "$work/ledger"

# R-12: the control plane cannot know whether it still runs. Without a policy it counts as failed once it is deleted,
# and the verdict waits for its end; with one it is waited for.
lost=()
for name in r-12 r-12-ignored; do
  policy=
  [[ $name == r-12 ]] || policy=$ignoring
  check "$name begins" created job "$name" "$stubborn" "$policy" "$(on_node a)"
  wanted Running "$name runs" k get pods -l "job-name=$name" --no-headers
  lost+=("$(first_pod "$name")")
done
kill_agent
for pod in "${lost[@]}"; do
  wanted "^Running/NodeLost/Node a which was running pod $pod is unresponsive[|]/[|]\$" "R-12 of $pod" row_of "$pod"
done
wanted '^/1/ $' 'R-12, counted' state_of r-12
wanted '^// $' 'R-12, waited for' state_of r-12-ignored
start_agent
for name in r-12 r-12-ignored; do
  wanted '/1/ BackoffLimitExceeded' "$name, when the node is back" state_of "$name"
done
stop_windlass
check node-down 'Stopping' cat "$work/agent"
wanted '^$' node-gone pgrep -f "$work/data/agents"
