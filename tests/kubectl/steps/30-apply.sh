# Apply, on either side, and diff.
data=$here/data
check apply-new 'configmap/settings created' k apply -f "$data/config.yaml"
check apply-same 'configmap/settings unchanged' k apply -f "$data/config.yaml"
sed 's/blue/green/' "$data/config.yaml" >"$work/green.yaml"
check diff-shows '\+  color: green' k diff -f "$work/green.yaml"
check apply-dry 'configmap/settings configured \(server dry run\)' k apply --dry-run=server -f "$work/green.yaml"
check apply-dry-nothing '^blue$' k get configmap settings -o 'jsonpath={.data.color}'
check apply-changed 'configmap/settings configured' k apply -f "$work/green.yaml"
# Everything that it wants to know of the schema is in /openapi/v3.
[ "${minor:-0}" -ge 28 ] && check apply-schema '!/openapi/v2' k apply -v=6 -f "$work/green.yaml"
check apply-result '^green$' k get configmap settings -o 'jsonpath={.data.color}'
check diff-nothing '' k diff -f "$work/green.yaml"
check delete-file 'deleted' k delete -f "$work/green.yaml"
check apply-server 'configmap/settings serverside-applied' k apply --server-side -f "$data/config.yaml"
check apply-conflict 'conflict with "kubectl"' k apply --server-side --field-manager=other -f "$work/green.yaml"
check apply-force 'serverside-applied' k apply --server-side --field-manager=other --force-conflicts -f "$work/green.yaml"
[ "${minor:-0}" -ge 21 ] && check apply-managers 'manager: other' k get configmap settings -o yaml --show-managed-fields
check apply-migrate 'serverside-applied' k apply --server-side --force-conflicts -f "$data/config.yaml"
check apply-server-dry 'serverside-applied \(server dry run\)' k apply --server-side --dry-run=server --force-conflicts -f "$work/green.yaml"
check apply-folder 'poddisruptionbudget.policy/keep.*configmap/settings.*job.batch/hello.*node/n1.*pod/lonely' k apply --dry-run=server -f "$data"
check delete-applied 'deleted' k delete configmap settings
# A kind that is not served is named, and keeps no other document of the file from being applied.
cat >"$work/mixed.yaml" <<'END'
{apiVersion: v1, kind: ConfigMap, metadata: {name: before}}
---
{apiVersion: example.org/v1, kind: Windmill, metadata: {name: w}, spec: {blades: 4}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: after}}
END
check apply-unserved 'no matches for kind "Windmill" in version "example.org/v1"' k apply -f "$work/mixed.yaml"
check apply-the-rest $'^configmap/before\nconfigmap/after\n?$' k get configmap before after -o name
check delete-the-rest 'deleted' k delete configmap before after
