# Nodes: cordon, taint, drain. The node is only an object here: no agent runs its pods.
data=$here/data
check create-node 'node/n1 created' k create -f "$data/node.yaml"
check get-node $'NAME +STATUS +ROLES +AGE +VERSION\nn1 +Ready +<none> ' k get nodes
check describe-node 'Unschedulable: +false' k describe node n1
check create-pod 'pod/lonely created' k create -f "$data/pod.yaml"
check wait-scheduled 'condition met' k wait --for=condition=PodScheduled --timeout=20s pod/lonely
check cordon 'node/n1 cordoned' k cordon n1
check cordoned 'Ready,SchedulingDisabled' k get node n1
check taint 'node/n1 tainted' k taint node n1 key=value:NoSchedule
check tainted 'key=value:NoSchedule' k describe node n1
check untaint 'node/n1 untainted' k taint node n1 key:NoSchedule-
check uncordon 'node/n1 uncordoned' k uncordon n1
check drain-refused 'cannot delete' k drain n1 --timeout=10s
# The pod runs, and a budget says that it must.
sed 's/^    //' >"$work/status.json" <<'STATUS'
    {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "lonely", "namespace": "default", "labels": {"app": "lonely"}},
     "status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}}
STATUS
check pod-runs '"phase":"Running"' k replace --raw /api/v1/namespaces/default/pods/lonely/status -f "$work/status.json"
check create-budget 'poddisruptionbudget.policy/keep created' k create -f "$data/budget.yaml"
check budget 'keep +1 +N/A +0 ' eventually 'keep +1 +N/A +0 ' k get pdb
check drain-budget "violate the pod's disruption budget" k drain n1 --force --timeout=3s
check delete-budget 'deleted' k delete pdb keep
check drain 'pod/lonely evicted|evicting pod' k drain n1 --force --timeout=5s
check delete-forced 'deleted' k delete pod lonely --force --grace-period=0 --ignore-not-found
check pod-gone '!lonely' k get pods
check delete-node 'node "n1" deleted' k delete node n1
