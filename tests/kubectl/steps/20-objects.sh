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
check label-again 'already has a value' k label configmap settings tier=silver
check label-overwrite 'configmap/settings labeled' k label configmap settings tier=silver --overwrite
k label configmap settings tier=gold --overwrite >/dev/null
check annotate 'configmap/settings annotate' k annotate configmap settings note=hi
check annotated '^hi$' k get configmap settings -o 'jsonpath={.metadata.annotations.note}'
check annotate-remove 'configmap/settings annotate' k annotate configmap settings note-
check annotation-gone '^none$' k get configmap settings -o 'go-template={{if .metadata.annotations}}{{.metadata.annotations}}{{else}}none{{end}}'
check get-wide $'NAME +DATA +AGE\n' k get configmap -o wide
check select-label '^configmap/settings$' k get configmap -l tier=gold -o name
check select-label-not '!settings' k get configmap -l 'tier!=gold' -o name
check select-label-set '^configmap/settings$' k get configmap -l 'tier in (gold,silver),!zork' -o name
check select-nothing 'No resources found in default namespace' k get configmap -l tier=none
check select-field-not '!plain' k get configmap --field-selector metadata.name!=plain -o name
check select-field-unknown 'not a known field selector' k get configmap --field-selector data.color=blue
check select-field '^configmap/plain$' k get configmap --field-selector metadata.name=plain -o name
check sort 'plain.*settings' k get configmap --sort-by=.metadata.name
check replace 'configmap/settings replaced' k replace -f "$data/config.yaml"
check replaced-labels '!tier=gold' k get configmap settings --show-labels
check patch-merge 'configmap/settings patched' k patch configmap settings --type=merge -p '{"data":{"color":"red"}}'
check patched '^red$' k get configmap settings -o 'jsonpath={.data.color}'
check patch-strategic 'configmap/settings patched' k patch configmap settings -p '{"data":{"size":"xl"}}'
check patch-strategic-kept '^red xl$' k get configmap settings -o 'jsonpath={.data.color} {.data.size}'
check patch-json 'configmap/settings patched' k patch configmap settings --type=json -p '[{"op":"remove","path":"/data/size"}]'
check patch-json-wrong 'request is invalid|rejected our request' k patch configmap settings --type=json -p '[{"op":"remove","path":"/data/size"}]'
check patch-nothing 'patched \(no change\)' k patch configmap settings --type=merge -p '{"data":{"color":"red"}}'
check edit 'configmap/settings edited' env EDITOR='sed -i s/red/purple/' "$kubectl" edit configmap settings
check edited '^purple$' k get configmap settings -o 'jsonpath={.data.color}'
check edit-nothing 'Edit cancelled, no changes made' env EDITOR=true "$kubectl" edit configmap settings
check replace-force 'configmap/settings replaced' k replace --force -f "$data/config.yaml"
check dry-run-create 'configmap/ghost created \(server dry run\)' k create configmap ghost --dry-run=server
check dry-run-nothing 'not found' k get configmap ghost
check unknown-field 'unknown field "zork"' k create -f - <<<'{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"z"},"zork":1}'
check delete-dry 'deleted (from default namespace )?\(server dry run\)' k delete configmap settings --dry-run=server
check delete 'configmap "settings" deleted' k delete configmap settings
check delete-again 'not found' k delete configmap settings
check delete-ignore 'exit 0$' eval 'k delete configmap settings --ignore-not-found; echo exit $?'
k label configmap plain colour=grey >/dev/null
check delete-selected 'configmap "plain" deleted' k delete configmap -l colour=grey
k create configmap one >/dev/null
k create configmap two >/dev/null
check delete-all 'configmap "one" deleted.*configmap "two" deleted' k delete configmap --all
# What every namespace has comes back, or no pod could be created there.
check delete-accounts 'serviceaccount "default" deleted' k delete serviceaccount --all
check account-again 'default' eventually 'default' k get serviceaccount -o name
check certificate-again 'kube-root-ca.crt' eventually 'kube-root-ca.crt' k get configmap -o name
check create-secret 'secret/s created' k create secret generic s --from-literal=password=hunter2
check get-secret $'NAME +TYPE +DATA +AGE\ns +Opaque +1 ' k get secret s
check describe-secret 'password: +7 bytes' k describe secret s
