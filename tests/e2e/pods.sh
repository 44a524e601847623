# To be sourced: Jobs with one short script, and what became of their pods.

# Delays of seconds are for clusters.
quick=(--backoff-base 100ms --backoff-cap 200ms)
# A first process ignores SIGTERM unless it handles it.
stubborn='sleep 1000'
ignoring='"podFailurePolicy":{"rules":[{"action":"Ignore","onPodConditions":[{"type":"DisruptionTarget"}]}]}'

# job NAME SCRIPT [SPEC] [POD] [CONTAINER]: a Job without retries; the rest are fields in JSON.
job() {
  k create -f - <<JSON
{"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"$1"},"spec":{"backoffLimit":0${3:+,$3},
 "template":{"spec":{"restartPolicy":"Never","terminationGracePeriodSeconds":1${4:+,$4},
  "containers":[{"name":"main","image":"none","command":["sh","-c","$2"]${5:+,$5}}]}}}}
JSON
}

on_node() { printf '"nodeSelector":{"kubernetes.io/hostname":"%s"}' "$1"; }

first_pod() { k get pods -l "job-name=$1" --sort-by=.metadata.creationTimestamp -o 'jsonpath={.items[0].metadata.name}'; }

# phase/reason/message|exit code/reason|reason of DisruptionTarget
row_of() {
  k get pod "$1" -o 'jsonpath={.status.phase}/{.status.reason}/{.status.message}|{.status.containerStatuses[0].state.terminated.exitCode}/{.status.containerStatuses[0].state.terminated.reason}|{.status.conditions[?(@.type=="DisruptionTarget")].reason}'
}

# active/failed/succeeded and the reason of the verdict
state_of() {
  k get job "$1" -o 'jsonpath={.status.active}/{.status.failed}/{.status.succeeded} {.status.conditions[?(@.type=="Failed")].reason}{.status.conditions[?(@.type=="Complete")].reason}'
}

# hold POD: its object stays when it is deleted, so that it can be looked at.
hold() { k patch pod "$1" --type=json -p '[{"op":"add","path":"/metadata/finalizers/-","value":"example.com/look"}]' >/dev/null; }

let_go() { k patch pod "$1" --type=merge -p '{"metadata":{"finalizers":null}}' >/dev/null; }

# disrupted ROW PATTERN TRIGGER [POD] [CONTAINER] [SCRIPT]: a Job's pod on node-1 meets TRIGGER, once
# with a policy that ignores DisruptionTarget, once without; its row is as the pattern says, and the
# Job goes on if, and only if, the pod has the condition and the policy is there.
disrupted() {
  local row=$1 pattern=$2 trigger=$3 pod_fields=${4:-} container=${5:-} script=${6:-$stubborn} policy name pod
  for policy in "$ignoring" ''; do
    name=$(tr '[:upper:]' '[:lower:]' <<<"$row")${policy:+-ignored}
    job "$name" "$script" "$policy" "$(on_node node-1)${pod_fields:+,$pod_fields}" "$container" >/dev/null
    wanted 'Running' "$row is running" k get pods -l "job-name=$name" --no-headers
    pod=$(first_pod "$name")
    hold "$pod"
    "$trigger" "$pod" >/dev/null
    wanted "^$pattern\$" "$row ${policy:+with a policy}" row_of "$pod"
    if [[ $pattern == *'[|]' || -z $policy ]]; then
      wanted '/1/ BackoffLimitExceeded' "$row fails the Job" state_of "$name"
    else
      wanted '1// $' "$row does not touch the Job" state_of "$name"
    fi
    "undo_$trigger" >/dev/null 2>&1
    k delete job "$name" --wait=false >/dev/null
    let_go "$pod"
    wanted '^$' "$row leaves nothing" k get pods -l "job-name=$name" -o name
  done
}
