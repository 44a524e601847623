# A cluster in one command, and what everyone does with it first.
start_windlass --nodes 3 "${quick[@]}"
wanted '( True.*){3}' three-nodes-ready k get nodes -o 'jsonpath={range .items[*]} {.status.conditions[?(@.type=="Ready")].status}{end}'
check apply 'job.batch/hello created' k apply -f - <<'JSON'
{"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"hello"},"spec":{"completions":3,"parallelism":2,"completionMode":"Indexed",
 "template":{"spec":{"restartPolicy":"Never","containers":[{"name":"main","image":"none",
  "command":["sh","-c","echo hello from $JOB_COMPLETION_INDEX; sleep 0.3; echo bye"]}]}}}}
JSON
check logs-follow 'hello from [0-2].*bye' eventually 'bye' k logs -f job/hello
check wait-complete 'condition met' k wait --for=condition=Complete --timeout=25s job/hello
check get-complete 'hello +Complete +3/3' k get job hello
check describe 'Completed +.*Job completed' k describe job hello
check explain 'job.batch/hello in namespace default: Complete' "$windlass" explain job/hello
check scale 'patched' k patch job hello -p '{"spec":{"parallelism":3}}'
check delete-foreground 'deleted' k delete job hello --cascade=foreground
check gone '' k get pods -l job-name=hello -o name

job sleeper "$stubborn" '"suspend":true' >/dev/null
check suspended 'Suspended' eventually Suspended k get job sleeper -o 'jsonpath={.status.conditions[*].type}'
k patch job sleeper -p '{"spec":{"suspend":false}}' >/dev/null
wanted '^1//' resumed state_of sleeper
wanted Running resumed-runs k get pods -l job-name=sleeper --no-headers
k patch job sleeper -p '{"spec":{"suspend":true}}' >/dev/null
wanted '^// $' suspended-again state_of sleeper
k delete job sleeper >/dev/null

# api.md E58: a container that its own policy restarts is no failure of the pod, nor of the Job.
job again '[ -e /data/been ] && exit 0; touch /data/been; exit 1' '"podFailurePolicy":{"rules":[{"action":"FailJob","onExitCodes":{"operator":"In","values":[1]}}]}' \
  '"volumes":[{"name":"data","emptyDir":{}}]' '"restartPolicy":"OnFailure","volumeMounts":[{"name":"data","mountPath":"/data"}]' >/dev/null
check own-restart-policy 'condition met' k wait --for=condition=Complete --timeout=25s job/again
check own-restart-counted '^1 Succeeded$' k get pods -l job-name=again -o 'jsonpath={.items[*].status.containerStatuses[0].restartCount} {.items[*].status.phase}'
k delete job again >/dev/null
