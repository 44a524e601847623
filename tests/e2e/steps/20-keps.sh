# The scenarios that the KEPs describe for a person to try.

# KEP-3329: a bug is not retried.
job bug 'exit 42' '"completions":4,"parallelism":2,"backoffLimit":6,"podFailurePolicy":{"rules":[{"action":"FailJob","onExitCodes":{"containerName":"main","operator":"In","values":[42]}}]}' >/dev/null
check kep-3329-failed 'condition met' k wait --for=condition=Failed --timeout=25s job/bug
check kep-3329-reason '^PodFailurePolicy_0$' k get job bug -o 'jsonpath={.status.conditions[?(@.type=="Failed")].reason}'
check kep-3329-message 'Container main for pod default/bug-.* failed with exit code 42 matching FailJob rule at index 0' k get job bug -o 'jsonpath={.status.conditions[?(@.type=="Failed")].message}'
check kep-3329-explain 'exit code 42' "$windlass" explain job/bug
check kep-3329-no-retry '^[12]$' k get job bug -o 'jsonpath={.status.failed}'

# KEP-3329: a drained node is no failure, with a backoffLimit of 0.
job drained "$stubborn" "$ignoring" >/dev/null
wanted Running drained-runs k get pods -l job-name=drained --no-headers
node=$(k get pods -l job-name=drained -o 'jsonpath={.items[0].spec.nodeName}')
check drain 'drained' k drain "$node" --force --timeout=25s
wanted '^1//' drained-goes-on state_of drained
wanted '^node-' drained-elsewhere k get pods -l job-name=drained --field-selector=status.phase=Running -o 'jsonpath={.items[*].spec.nodeName}'
check drained-not-there "!^$node\$" k get pods -l job-name=drained --field-selector=status.phase=Running -o 'jsonpath={.items[*].spec.nodeName}'
check uncordon 'uncordoned' k uncordon "$node"
k delete job bug drained >/dev/null

# KEP-3850: one bad index fails alone; deleted pods count for theirs.
k create -f - >/dev/null <<'JSON'
{"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"indexed"},"spec":{"completionMode":"Indexed","completions":3,"parallelism":3,"backoffLimitPerIndex":1,
 "template":{"spec":{"restartPolicy":"Never","terminationGracePeriodSeconds":0,"containers":[{"name":"main","image":"none",
  "command":["sh","-c","case $JOB_COMPLETION_INDEX in 1) exit 1;; 2) sleep 1000;; esac"]}]}}}}
JSON
wanted '^1$' kep-3850-failed-index k get job indexed -o 'jsonpath={.status.failedIndexes}'
third=(k get pods -l job-name=indexed,batch.kubernetes.io/job-completion-index=2 --field-selector=status.phase=Running -o name)
wanted '^pod/indexed-2-[a-z0-9]+$' kep-3850-first-attempt "${third[@]}"
first=$("${third[@]}")
k delete "$first" --wait=false >/dev/null
# The first may still be ending.
other() { "${third[@]}" | grep -vx "$first"; }
wanted '^pod/indexed-2-[a-z0-9]+$' kep-3850-second-attempt other
k delete "$(other)" --wait=false >/dev/null
check kep-3850-ends 'condition met' k wait --for=condition=Failed --timeout=25s job/indexed
check kep-3850-indexes '^0 1,2 FailedIndexes$' k get job indexed -o 'jsonpath={.status.completedIndexes} {.status.failedIndexes} {.status.conditions[?(@.type=="Failed")].reason}'
k delete job indexed >/dev/null

# KEP-3939: no replacement before the pod has terminated.
job replaced "$stubborn" '"podReplacementPolicy":"Failed"' '"terminationGracePeriodSeconds":4' >/dev/null
wanted Running kep-3939-runs k get pods -l job-name=replaced --no-headers
k delete pod "$(first_pod replaced)" --wait=false >/dev/null
wanted '^1$' kep-3939-terminating k get job replaced -o 'jsonpath={.status.terminating}'
check kep-3939-no-other '^pod/replaced-[a-z0-9]*$' k get pods -l job-name=replaced -o name
wanted '/1/ BackoffLimitExceeded' kep-3939-counted state_of replaced
k delete job replaced >/dev/null
