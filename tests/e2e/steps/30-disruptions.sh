# disruption.md R: what becomes of a pod, its container and its Job, with real processes. Pods that
# have no node any more, or an agent that does not answer (R-11, R-12), are in the simulation.

preempt() {
  k create -f - <<'JSON'
{"apiVersion":"v1","kind":"Pod","metadata":{"name":"urgent"},"spec":{"priorityClassName":"urgent","restartPolicy":"Never","terminationGracePeriodSeconds":0,
 "nodeSelector":{"kubernetes.io/hostname":"node-1"},"containers":[{"name":"main","image":"none","command":["sleep","1000"],"resources":{"requests":{"example.com/seat":"1"}, "limits":{"example.com/seat":"1"}}}]}}
JSON
}
undo_preempt() { k delete pod urgent; }
taint() { k taint node node-1 example.com/away=now:NoExecute; }
undo_taint() { k taint node node-1 example.com/away-; }
# It ends when the object is gone, which somebody still looks at.
drain_node() { k drain node-1 --force --timeout=20s & drain=$!; }
undo_drain_node() { kill "$drain"; k uncordon node-1; }
# By its words: nothing else on the machine has them.
kill_process() {
  local process
  for process in /proc/[0-9]*; do
    [[ $(tr '\0' ' ' 2>/dev/null <"$process/cmdline") == 'sleep 7654321 ' ]] && kill -KILL "${process#/proc/}"
  done
}
undo_kill_process() { :; }
shut_down() { "$windlass" node shutdown node-1; }
undo_shut_down() { "$windlass" node shutdown node-1 --cancel; }
nothing() { :; }
undo_shut_down() { "$windlass" node shutdown node-1; }
undo_shut_down() { "$windlass" node shutdown node-1 --cancel; }
nothing() { :; }

k create -f - >/dev/null <<'JSON'
{"apiVersion":"scheduling.k8s.io/v1","kind":"PriorityClass","metadata":{"name":"urgent"},"value":1000}
JSON
seat() { k patch node node-1 --subresource=status --type=merge -p '{"status":{"capacity":{"example.com/seat":"1"},"allocatable":{"example.com/seat":"1"}}}' 2>&1 | grep -q patched; }
if seat; then
  disrupted R-1 'Failed//[|]137/Error[|]PreemptionByScheduler' preempt '' '"resources":{"requests":{"example.com/seat":"1"},"limits":{"example.com/seat":"1"}}'
else
  echo "this kubectl has no patch --subresource: R-1 is not looked at"
fi
disrupted R-2 'Failed//[|]137/Error[|]DeletionByTaintManager' taint
disrupted R-3 'Failed//[|]137/Error[|]EvictionByEvictionAPI' drain_node
disrupted R-7 'Failed/Evicted/Pod ephemeral local storage usage exceeds the total limit of containers 1Mi. [|]137/Error[|]' nothing '"volumes":[{"name":"data","emptyDir":{}}]' \
  '"resources":{"limits":{"ephemeral-storage":"1Mi"}},"volumeMounts":[{"name":"data","mountPath":"/data"}]' 'head -c 3000000 /dev/zero > /data/x; sleep 1000'
disrupted R-8 'Failed/Terminated/Pod was terminated in response to imminent node shutdown.[|]137/Error[|]TerminationByKubelet' shut_down
disrupted R-13 'Failed//[|]137/Error[|]' kill_process '' '' 'exec sleep 7654321'
