# Evidence that outlasts everything: TTL 0, no pods, no namespace, and a server that was killed. What is
# left is the file of the ledger.
stop_windlass
start_windlass "${quick[@]}"
k create namespace evidence >/dev/null
k apply -f - >/dev/null <<'JSON'
{"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"lost","namespace":"evidence"},"spec":{"completions":6,"parallelism":3,
 "completionMode":"Indexed","backoffLimitPerIndex":0,"ttlSecondsAfterFinished":0,
 "podFailurePolicy":{"rules":[{"name":"BadInput","action":"FailIndex","onExitCodes":{"operator":"In","values":[42]}}]},
 "template":{"spec":{"restartPolicy":"Never","terminationGracePeriodSeconds":1,"containers":[{"name":"main","image":"none",
  "command":["sh","-c","case $JOB_COMPLETION_INDEX in 1|4) echo record 1$JOB_COMPLETION_INDEX is no JSON; exit 42;; 2) echo out of luck; exit 7;; esac"]}]}}}}
JSON
wanted '^$' evidence-ttl k get jobs,pods -n evidence -o name
# A Secret in a variable and in a file, on every way that text takes into a record; and a log that harms
# terminals.
k create secret generic canary -n evidence --from-literal=token=canary-of-the-coal-mine --from-literal=key="$(printf 'first canary line\nsecond canary line')" >/dev/null
k apply -f - >/dev/null <<'JSON'
{"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"leaky","namespace":"evidence"},"spec":{"backoffLimit":0,"ttlSecondsAfterFinished":0,
 "template":{"spec":{"restartPolicy":"Never","terminationGracePeriodSeconds":1,"volumes":[{"name":"keys","secret":{"secretName":"canary"}}],
  "containers":[{"name":"main","image":"none","env":[{"name":"TOKEN","valueFrom":{"secretKeyRef":{"name":"canary","key":"token"}}}],
  "volumeMounts":[{"name":"keys","mountPath":"/keys"}],"terminationMessagePath":"/dev/termination-log",
  "command":["sh","-c","echo got $TOKEN; cat /keys/key; echo; base64 /keys/token; echo died of $TOKEN >/dev/termination-log; head -c 1000000 /dev/zero | tr '\\0' x; printf '\\n\\033[2J\\033]0;owned\\007\\377 with %s the end\\n' $TOKEN; exit 3"]}]}}}}
JSON
wanted '^$' evidence-leaky-ttl k get jobs,pods -n evidence -o name
k delete namespace evidence >/dev/null
check evidence-namespace-gone 'NotFound' k get namespace evidence
kill -9 "$server"
wait "$server" 2>/dev/null
evidence=sqlite:$work/data/ledger.db
# As long as $KUBECONFIG names the server that is gone.
check evidence-server-gone 'warning: the server cannot be asked.*3 failures, 2 causes' "$windlass" explain job/lost -n evidence --ledger "$evidence"
unset KUBECONFIG
lost() { "$windlass" explain job/lost -n evidence --ledger "$evidence" "$@"; }
check evidence-all '6 attempts between .*: 3 succeeded, 3 failed, 0 ignored.*completed indexes +0,3,5' lost
check evidence-causes '3 failures, 2 causes.*exit 42 .record N is no JSON.*1,4.*exit 7 .out of luck' lost
check evidence-index 'exit 7 .out of luck' lost --index 2
check evidence-cause 'lost-1-.*lost-4-|lost-4-.*lost-1-' lost --cause 1
check evidence-compared 'main +exit 7, Error +exit 42, Error' lost --attempts 2:1,4:1
check evidence-rule 'lost +1 .*BadInput.*lost +4 .*BadInput' "$windlass" ledger query --ledger "$evidence" --rule BadInput
leaky() { "$windlass" explain job/leaky -n evidence --ledger "$evidence" "$@"; }
check evidence-redacted 'died of \[redacted\]' "$windlass" ledger query --ledger "$evidence" --job leaky -o json
check evidence-redacted-log 'with \[redacted\] the end' leaky
check evidence-terminal $'!\x1b' leaky
kept() { cat "$work"/data/ledger.db* | grep -aoE "$1" | sort -u; }
check evidence-canary-looks '^died of$' kept 'died of'
check evidence-canary '^$' kept 'canary-of-the-coal|canary line|Y2FuYXJ5LW9mLXRoZS1jb2Fs'
check evidence-never 'the attempt ledger has nothing of it' "$windlass" explain job/never --ledger "$evidence"
stop_windlass
