#!/bin/bash
# The rules and the dashboard of deploy/monitoring: they parse, and name only metrics that exist. A metric
# appears with its first value, so the reference of metrics is asked, and it is compared with a server.
#
#   tests/install/monitoring.sh path/to/windlass
set -u
exec </dev/null
windlass=$(realpath "$1")
here=$(realpath "$(dirname "$0")")
deploy=$(realpath "$here/../../deploy/monitoring")
reference=$(realpath "$here/../../docs/reference/metrics.md")
# shellcheck source=/dev/null
source "$here/../skips.sh"
/usr/bin/python3 -c 'import yaml' 2>/dev/null || skip_suite windlass_monitoring_test "no yaml module for /usr/bin/python3"
kubectl=$(command -v kubectl) || skip_suite windlass_monitoring_test "no kubectl on PATH"
# shellcheck source=/dev/null
source "$here/../checks.sh"

expressions() {
  /usr/bin/python3 - "$deploy" <<'PYTHON'
import json, sys, yaml
folder = sys.argv[1]
for group in yaml.safe_load(open(folder + "/windlass.rules.yaml"))["groups"]:
    for rule in group["rules"]:
        print(rule["expr"])
for panel in json.load(open(folder + "/windlass.dashboard.json"))["panels"]:
    for target in panel["targets"]:
        print(target["expr"])
PYTHON
}
# Names that begin as those of metrics do; a histogram has three for one.
used() {
  expressions | grep -oE '\b(job_controller|workqueue|windlass|leader_election|scheduler|rest_client)_[a-z0-9_]+' |
    sed -E 's/_(bucket|sum|count)$//' | sort -u
}
unknown() {
  local name
  for name in $(used); do
    grep -qF "\`$name\`" "$reference" || echo "$name"
  done
}
check 'there are expressions' 'windlass_store_ready' used
check 'each metric is in the reference' '^$' unknown

start_windlass --hollow-nodes 1
k create -f "$here/../../examples/first-job.yaml" >/dev/null
served() { k get --raw /metrics | sed -n 's/^# TYPE \([^ ]*\) .*/\1/p'; }
for name in job_controller_job_syncs_total job_controller_jobs_finished_total workqueue_depth windlass_store_ready \
  windlass_apiserver_requests_total windlass_ledger_bytes windlass_ledger_backlog; do
  wanted "\\b$name\\b" "$name is served" served
done
check 'the label that alerts use' 'job_controller_jobs_finished_total\{[^}]*result="(succeeded|failed)"' \
  eventually 'job_controller_jobs_finished_total\{' k get --raw /metrics
finish_suite
