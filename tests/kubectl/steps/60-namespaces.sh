# Namespaces, and everything in one at once.
check create-namespace 'namespace/other created' k create namespace other
check namespace-missing 'namespaces "nowhere" not found' k create configmap a -n nowhere
check in-namespace 'configmap/a created' k create configmap a -n other
check in-namespace-2 'configmap/b created' k create configmap b -n other
check not-in-default '!configmap/a' k get configmap -o name
check delete-named 'configmap "a" deleted' k delete configmap a -n other
check delete-collection '"name":"b"' k delete --raw /api/v1/namespaces/other/configmaps
wanted '^configmap/kube-root-ca.crt$' delete-collection-gone k get configmap -n other -o name
check delete-protected 'may not be deleted' k delete namespace kube-system
check left-inside 'configmap/c created' k create configmap c -n other
check delete-namespace 'namespace "other" deleted' k delete namespace other
check namespace-gone 'NotFound' k get namespace other
check run 'pod/shell created' k run shell --image=busybox --restart=Never
check edit-pod 'pod/shell edited' env EDITOR='sed -i s/run:.shell/run:\ sh/' "$kubectl" edit pod shell
check delete-run 'pod "shell" deleted' k delete pod shell --now
