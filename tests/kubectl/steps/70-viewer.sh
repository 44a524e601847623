# The other kubeconfig that is written: reads everything but Secrets.
viewer() { k --kubeconfig "${KUBECONFIG%/*}/viewer.kubeconfig" "$@"; }
check viewer-get 'kube-system' viewer get namespaces
check viewer-can '^yes' viewer auth can-i list pods
check viewer-cannot '^no' viewer auth can-i create pods
check viewer-create 'cannot create resource "configmaps"' viewer create configmap mine
check viewer-delete 'cannot delete resource' viewer delete namespace default
check viewer-secrets 'cannot list resource "secrets"' viewer get secrets
check viewer-secret 'cannot get resource "secrets"' viewer get secret s
check nobody 'Unauthorized|must be logged in' k --token=wrong get pods
