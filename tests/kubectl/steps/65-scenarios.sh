# tests/cluster/run that is stopped on the way leaves nothing behind that cannot be deleted.
build=$(dirname "$windlass")
if [ -x "$build/tests/cluster/windlass_cluster_scenarios" ]; then
  "$here/../cluster/run" --kubeconfig "$KUBECONFIG" --namespace scenarios --build "$build" >"$work/scenarios" 2>&1 &
  scenarios=$!
  wanted 'Pending|Running' scenarios-begin k get pods -n scenarios --no-headers
  kill "$scenarios"
  wait "$scenarios"
  check scenarios-stopped '^143$' echo $?
  check scenarios-said 'interrupted: the Jobs and their pods are deleted' cat "$work/scenarios"
  check scenarios-no-pods 'No resources found' k get pods -n scenarios
  check scenarios-no-jobs 'No resources found' k get jobs -n scenarios
else
  skip kubectl-scenarios "windlass_cluster_scenarios is not built"
fi
