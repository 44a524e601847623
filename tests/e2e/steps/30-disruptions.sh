# disruption.md R: what becomes of a pod, its container and its Job, with real processes; rows with
# a mark also without the gate PodDisruptionConditions. A node whose agent does not answer (R-12) is
# in 40-nodes.sh.

preempt() {
  k create -f - <<'JSON'
{"apiVersion":"v1","kind":"Pod","metadata":{"name":"urgent"},"spec":{"priorityClassName":"urgent","restartPolicy":"Never","terminationGracePeriodSeconds":0,
 "nodeSelector":{"kubernetes.io/hostname":"node-1"},"containers":[{"name":"main","image":"none","command":["sleep","1000"],"resources":{"requests":{"example.com/seat":"2"}, "limits":{"example.com/seat":"2"}}}]}}
JSON
}
undo_preempt() { k delete pod urgent; }
seated='"resources":{"requests":{"example.com/seat":"1"},"limits":{"example.com/seat":"1"}}'
# The only places on node-1; false where kubectl cannot say so.
make_seats() {
  k create -f - >/dev/null <<'JSON'
{"apiVersion":"scheduling.k8s.io/v1","kind":"PriorityClass","metadata":{"name":"urgent"},"value":1000}
JSON
  k patch node node-1 --subresource=status --type=merge -p '{"status":{"capacity":{"example.com/seat":"2"},"allocatable":{"example.com/seat":"2"}}}' 2>&1 | grep -q patched && return
  skip e2e-preemption "this kubectl has no patch --subresource"
  return 1
}

taint() { k taint node node-1 example.com/away=now:NoExecute; }
undo_taint() { k taint node node-1 example.com/away-; }
# kubectl drain waits until the pod object is gone, and the checks still read it: run in the background.
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
undo_nothing() { :; }
delete_pod() { k delete pod "$@" --wait=false; }
undo_delete_pod() { :; }
delete_node() { k delete node "$row_node"; }
undo_delete_node() { :; }

# Rows whose pods are marked.
marked_rows() {
  if make_seats; then
    disrupted R-1 'Failed//[|]137/Error' PreemptionByScheduler preempt '' "$seated"
  fi
  disrupted R-2 'Failed//[|]137/Error' DeletionByTaintManager taint
  disrupted R-3 'Failed//[|]137/Error' EvictionByEvictionAPI drain_node
  disrupted R-8 'Failed/Terminated/Pod was terminated in response to imminent node shutdown.[|]137/Error' TerminationByKubelet shut_down
  disrupted R-9 'Succeeded//[|]0/Completed' TerminationByKubelet shut_down '' '' "trap 'exit 0' TERM; sleep 1000 & wait"
  # A node that has been deleted stays away. Here its agent answers, and ends what the phase says has ended.
  row_node=node-2
  disrupted R-11 'Failed//[|](/|137/Error)' DeletionByPodGC delete_node
  row_node=node-1
}

# Rows whose pods are not.
other_rows() {
  if k get node node-1 -o json | grep -q 'memory limits are not enforced'; then
    skip e2e-R-6 "no cgroup controller for memory"
  else
    disrupted R-6 'Failed//[|]137/OOMKilled' '' nothing '' '"resources":{"limits":{"memory":"32Mi"}}' 'sleep 3; exec tail /dev/zero'
  fi
  disrupted R-7 'Failed/Evicted/Pod ephemeral local storage usage exceeds the total limit of containers 1Mi. [|]137/Error' '' nothing '"volumes":[{"name":"data","emptyDir":{}}]' \
    '"resources":{"limits":{"ephemeral-storage":"1Mi"}},"volumeMounts":[{"name":"data","mountPath":"/data"}]' 'sleep 3; head -c 3000000 /dev/zero > /data/x; sleep 1000'
  disrupted R-13 'Failed//[|]137/Error' '' kill_process '' '' 'exec sleep 7654321'
}

# R-15: pods that never ran.
never_ran='Failed/Deleted/Deleted while pending[|]137/ContainerStatusUnknown'
preempted_pending() {
  begun='ErrImagePull|ImagePullBackOff'
  if make_seats; then
    disrupted R-15b "$never_ran" PreemptionByScheduler preempt '' "$seated"
  fi
  begun=Running
}
deleted_pending() {
  begun='ErrImagePull|ImagePullBackOff'
  disrupted R-15a "$never_ran" '' delete_pod
  begun=ContainerCreating
  disrupted R-15c "$never_ran" '' delete_pod \
    '"volumes":[{"name":"settings","configMap":{"name":"nowhere"}}]' '"volumeMounts":[{"name":"settings","mountPath":"/settings"}]'
  begun=Running
}

stop_windlass
for gate in true false; do
  marked=$([ "$gate" = true ] && echo yes)
  cluster=(--nodes 2 "${quick[@]}" --pod-gc-period 1s --pod-gc-quarantine 1s --feature-gates "PodDisruptionConditions=$gate")
  start_windlass "${cluster[@]}"
  # The gate makes no difference to these.
  [ "$gate" = true ] && other_rows
  marked_rows
  stop_windlass
  windlass=$program start_windlass "${cluster[@]}"
  [ "$gate" = true ] && deleted_pending
  preempted_pending
  stop_windlass
done
