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

let_go() { k patch pod "$@" --type=merge -p '{"metadata":{"finalizers":null}}' >/dev/null; }

# What a pod shows that has been asked for: Running, unless the cluster says otherwise.
begun=Running
# With the gate PodDisruptionConditions, pods are marked.
marked=yes
# Where the pods of the rows run.
row_node=node-1

# disrupted ROW PATTERN MARK TRIGGER [POD] [CONTAINER] [SCRIPT]: two Jobs' pods meet TRIGGER, one with
# a policy that ignores DisruptionTarget, one without; their row is as the pattern says, with MARK as
# reason of the condition, and a Job goes on if, and only if, its pod has the mark and the policy is
# there. One that ended well has ended well.
disrupted() {
  local row=$1 pattern=$2 mark=${marked:+$3} trigger=$4 pod_fields=${5:-} container=${6:-} script=${7:-$stubborn}
  local plain ignored name pod outcome pods=()
  plain=$(tr '[:upper:]' '[:lower:]' <<<"$row")
  ignored=$plain-ignored
  pod_fields=$(on_node "$row_node")${pod_fields:+,$pod_fields}
  check "$row begins with $ignored" created job "$ignored" "$script" "$ignoring" "$pod_fields" "$container"
  check "$row begins with $plain" created job "$plain" "$script" '' "$pod_fields" "$container"
  for name in "$ignored" "$plain"; do
    wanted "$begun" "$row is $begun" k get pods -l "job-name=$name" --no-headers
    pods+=("$(first_pod "$name")")
    hold "${pods[-1]}"
  done
  "$trigger" "${pods[@]}" >/dev/null
  for name in "$ignored" "$plain"; do
    pod=${pods[0]}
    [[ $name == "$plain" ]] && pod=${pods[1]}
    wanted "^$pattern[|]$mark\$" "$row of $name" row_of "$pod"
    if [[ $pattern == Succeeded* ]]; then
      outcome='//1 CompletionsReached'
    elif [[ -n $mark && $name == "$ignored" ]]; then
      outcome='1// $'
    else
      outcome='/1/ BackoffLimitExceeded'
    fi
    wanted "$outcome" "$row, the Job $name" state_of "$name"
  done
  "undo_$trigger" >/dev/null 2>&1
  k delete job "$ignored" "$plain" --wait=false >/dev/null
  let_go "${pods[@]}"
  wanted '^$' "$row leaves nothing" k get pods -l "job-name in ($ignored,$plain)" -o name
}
