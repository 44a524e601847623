# Create, read, change, delete: the plain life of an object.
data=$here/data
check create-configmap 'configmap/plain created' k create configmap plain --from-literal=a=b
check create-twice 'already exists' k create configmap plain --from-literal=a=b
check create-file 'configmap/settings created' k create -f "$data/config.yaml"
check get $'NAME +DATA +AGE\n' k get configmap settings
check get-name '^configmap/settings' k get configmap settings -o name
check get-yaml $'apiVersion: v1\n.*color: blue' k get configmap settings -o yaml
check get-json '"color": "blue"' k get configmap settings -o json
check get-jsonpath '^blue$' k get configmap settings -o 'jsonpath={.data.color}'
check get-columns $'NAME +COLOR\nsettings +blue' k get cm settings -o custom-columns=NAME:.metadata.name,COLOR:.data.color
check get-missing 'configmaps "nothing" not found' k get configmap nothing
check label 'configmap/settings labeled' k label configmap settings tier=gold
check label-shown 'tier=gold' k get configmap settings --show-labels
check label-column $'TIER\n.*gold' k get configmap -L tier
check annotate 'configmap/settings annotate' k annotate configmap settings note=hi
check select-label '^configmap/settings$' k get configmap -l tier=gold -o name
check select-label-not '!settings' k get configmap -l 'tier!=gold' -o name
check select-field '^configmap/plain$' k get configmap --field-selector metadata.name=plain -o name
check sort 'plain.*settings' k get configmap --sort-by=.metadata.name
check replace 'configmap/settings replaced' k replace -f "$data/config.yaml"
check replaced-labels '!tier=gold' k get configmap settings --show-labels
check patch-merge 'configmap/settings patched' k patch configmap settings --type=merge -p '{"data":{"color":"red"}}'
check patched '^red$' k get configmap settings -o 'jsonpath={.data.color}'
check dry-run-create 'configmap/ghost created \(server dry run\)' k create configmap ghost --dry-run=server
check dry-run-nothing 'not found' k get configmap ghost
check unknown-field 'unknown field "zork"' k create -f - <<<'{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"z"},"zork":1}'
check delete-dry 'deleted \(server dry run\)' k delete configmap settings --dry-run=server
check delete 'configmap "settings" deleted' k delete configmap settings
check delete-again 'not found' k delete configmap settings
check delete-ignore '!NotFound' k delete configmap settings --ignore-not-found
check create-secret 'secret/s created' k create secret generic s --from-literal=password=hunter2
check get-secret $'NAME +TYPE +DATA +AGE\ns +Opaque +1 ' k get secret s
check describe-secret 'password: +7 bytes' k describe secret s
