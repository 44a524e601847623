#!/bin/bash
# `windlass backup` of a server that runs and writes, and `windlass restore`: the objects, the watches and the
# kubeconfig of before.
#
#   tests/install/backup.sh path/to/windlass
set -u
exec </dev/null
windlass=$(realpath "$1")
here=$(realpath "$(dirname "$0")")
# shellcheck source=/dev/null
source "$here/../skips.sh"
kubectl=$(command -v kubectl) || skip_suite windlass_backup_command_test "no kubectl on PATH"
# shellcheck source=/dev/null
source "$here/../checks.sh"

start_windlass --hollow-nodes 1
k create -f "$here/../../examples/first-job.yaml" >/dev/null
k wait --for=condition=complete job/first-job --timeout=30s >/dev/null
k create configmap before >/dev/null
revision=$(k get configmap before -o 'jsonpath={.metadata.resourceVersion}')
# Writes go on meanwhile.
(for i in $(seq 1000); do [ -e "$work/stop" ] || "$kubectl" create configmap "meanwhile-$i" >/dev/null 2>&1 || true; done) &
writer=$!
check 'a backup of a running server' 'objects at revision [0-9]+, [1-9][0-9]* attempts' \
  "$windlass" backup --data-dir "$work/data" "$work/backup"
touch "$work/stop"
wait $writer
check 'its checksums' '!FAILED' eval "cd $work/backup && sha256sum -c SHA256SUMS"
check 'for its owner only' '^700 600$' eval "stat -c %a $work/backup $work/backup/ca.key | paste -sd ' '"
check 'a directory in use is not restored into' 'is not empty: stop its server' \
  "$windlass" restore --data-dir "$work/data" "$work/backup"
k delete configmap before >/dev/null
cp "$KUBECONFIG" "$work/kubeconfig"
stop_windlass

check 'it is restored' 'Start it with: windlass up' "$windlass" restore --data-dir "$work/data" "$work/backup"
start_windlass --hollow-nodes 1
# The port is another one, and the authority the same.
address=$(k config view -o 'jsonpath={.clusters[0].cluster.server}')
sed -i "s|server: .*|server: $address|" "$work/kubeconfig"
check 'objects are back, for the kubeconfig of before' 'configmap/before.*job.batch/first-job' \
  k --kubeconfig "$work/kubeconfig" get configmap/before job/first-job -o name
check 'a watch from before has to list again' 'Expired|too old|410' \
  k get --raw "/api/v1/configmaps?watch=1&resourceVersion=$revision&timeoutSeconds=5"
check 'attempts are back' 'first-job' "$windlass" ledger query --data-dir "$work/data"
check 'it goes on' 'created' k create configmap after
finish_suite
