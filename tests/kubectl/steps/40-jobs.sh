# Jobs and their pods. There is no node yet: pods stay Pending.
data=$here/data
check create-job 'job.batch/hello created' k create -f "$data/job.yaml"
check create-job-strict 'unknown field "(spec.)?zork"' k create -f - <<<'{"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"z"},"spec":{"zork":1}}'
check create-job-invalid 'spec.template.spec.restartPolicy' k create --validate=false -f - <<<'{"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"z"},"spec":{"template":{"spec":{"containers":[{"name":"a","image":"b"}]}}}}'
check get-job $'NAME +STATUS +COMPLETIONS +DURATION +AGE\nhello +Running +0/2 ' k get job hello
check get-job-wide 'CONTAINERS +IMAGES +SELECTOR' k get jobs -o wide
check get-job-name '^job.batch/hello$' k get jobs -o name
check get-job-yaml $'apiVersion: batch/v1\nkind: Job\n.*completionMode: NonIndexed' k get job hello -o yaml
check get-job-json '"backoffLimit": 6' k get job hello -o json
check get-pods $'NAME +READY +STATUS +RESTARTS +AGE\nhello-.* +0/1 +Pending +0 ' k get pods -l job-name=hello
check get-pods-wide 'NODE +NOMINATED NODE +READINESS GATES' k get pods -o wide
check get-all 'pod/hello-.*job.batch/hello ' k get all
check get-everywhere $'NAMESPACE +NAME.*default +hello' k get jobs -A
check describe-job 'Parallelism: +2' k describe job hello
check describe-job-events 'SuccessfulCreate' k describe job hello
check describe-pod 'Status: +Pending' k describe pod -l job-name=hello
check get-events 'SuccessfulCreate +job/hello' k get events
[ "${minor:-0}" -ge 26 ] && check events 'SuccessfulCreate' k events --for job/hello
check patch-strategic 'job.batch/hello patched' k patch job hello -p '{"spec":{"suspend":true}}'
check wait-condition 'condition met' k wait --for=condition=Suspended --timeout=20s job/hello
check patch-json 'job.batch/hello patched' k patch job hello --type=json -p '[{"op":"replace","path":"/spec/suspend","value":false}]'
check immutable 'field is immutable' k patch job hello -p '{"spec":{"completionMode":"Indexed"}}'
check scale-refused 'could not find the requested resource' k scale job hello --replicas=3
check logs-nothing '' k logs job/hello
k get pods -l job-name=hello -w --request-timeout=20s >"$work/watch" 2>&1 &
watcher=$!
sleep 1
check delete-job 'job.batch "hello" deleted' k delete job hello --cascade=background
check wait-deleted '' k wait --for=delete job/hello --timeout=20s
kill $watcher 2>/dev/null; wait $watcher 2>/dev/null
check watch 'hello-.* +0/1 +Pending' cat "$work/watch"
check pods-collected '' eventually '^$' k get pods -l job-name=hello -o name
check create-job-typed 'job.batch/quick created' k create job quick --image=busybox -- true
check quick-has-pod 'pod/quick' eventually 'pod/quick' k get pods -l job-name=quick -o name
check delete-orphan 'job.batch "quick" deleted' k delete job quick --cascade=orphan
check orphan-stays 'pod/quick' k get pods -l job-name=quick -o name
check orphan-deleted 'pod "quick-.*" (force )?deleted' k delete pods -l job-name=quick --grace-period=0 --force
check create-foreground 'job.batch/slow created' k create job slow --image=busybox -- true
check delete-foreground 'job.batch "slow" deleted' k delete job slow --cascade=foreground
check foreground-took-all '' k get pods -l job-name=slow -o name
check wait-timeout 'timed out' k wait --for=delete configmap/kube-root-ca.crt --timeout=1s
