# What the server says about itself.
check api-versions $'batch/v1\n.*policy/v1\n.*v1' k api-versions
check api-resources 'jobs +batch/v1 +true +Job' k api-resources
check api-resources-short 'pods +po +v1 +true +Pod' k api-resources
check version 'v1\.33\.0\+windlass' k version -o json
check raw '^ok' k get --raw /readyz
check cluster-info 'control plane|master' k cluster-info
check can-i '^yes' k auth can-i create jobs
check can-i-list '\*\.\* +\[\] +\[\] +\[\*\]' k auth can-i --list
check can-i-all '^yes' k auth can-i '*' '*'
check new-events 'No resources found|REASON' k get events.events.k8s.io -A
[ "${minor:-0}" -ge 28 ] && check whoami 'Username +.*system:masters' k auth whoami
check no-such-resource "doesn't have a resource type" k get zorks
check api-resources-wide 'jobs .*create.*deletecollection.*watch' k api-resources -o wide
check api-resources-group '!configmaps' k api-resources --api-group=batch
check explain 'How many pods may run at the same time' k explain job.spec.parallelism
check explain-tree 'backoffLimitPerIndex' k explain job.spec --recursive
check explain-core 'spec' k explain pod
check explain-unknown 'does not exist' k explain job.spec.zork
check namespaces $'default +Active .*kube-system +Active ' k get namespaces
