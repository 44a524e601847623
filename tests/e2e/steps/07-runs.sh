# The last runs of `windlass run`, and --resume after a failure, a change and a kill. Every pod leaves
# a line with its index in $work/ran.
export XDG_STATE_HOME=$work/state
cat >"$work/again.yaml" <<YAML
apiVersion: batch/v1
kind: Job
metadata: {name: again}
spec:
  completions: 5
  parallelism: 1
  completionMode: Indexed
  backoffLimitPerIndex: 0
  template:
    spec:
      restartPolicy: Never
      terminationGracePeriodSeconds: 1
      containers:
      - name: main
        image: none
        command: [sh, -c, 'echo \$JOB_COMPLETION_INDEX >>$work/ran; [ \$JOB_COMPLETION_INDEX != 3 ] || [ -e $work/mended ] || { echo "record 17 is no JSON"; exit 42; }']
YAML
run_again() { "$windlass" run "$@" 2>&1; echo "exit code $?"; }
check runs-none 'No runs are kept' "$windlass" runs
check resume-none 'error: no run is kept in .*exit code 2' run_again --resume
check runs-first 'again Failed: .*1 failure, 1 cause.*windlass explain run/1.*windlass run --resume=1.*exit code 1' run_again "$work/again.yaml"
check runs-listed 'RUN +STARTED +TOOK +VERDICT +JOBS[[:space:]]run/1 +[0-9]+s ago +[0-9.]+s +Failed +again \(FailedIndexes\)$' "$windlass" runs
check runs-causes '1 failure, 1 cause.*exit 42 .record N is no JSON' run_again --resume --no-record
touch "$work/mended"
: >"$work/ran"
check resume-goes-on 'resuming run/1 \(Failed\).*4 of 5 indexes are done; runs 1.*Complete.*exit code 0' run_again --resume=1
check resume-ran '^3$' cat "$work/ran"
check resume-over 'run/2 is Complete: nothing is left to run.*exit code 0' run_again --resume
# The process is killed while index 3 runs: its ledger tells what had succeeded.
sed 's/exit 42/exec sleep 98767/' "$work/again.yaml" >"$work/kill.yaml"
rm -f "$work/mended"
: >"$work/ran"
"$windlass" run "$work/kill.yaml" >/dev/null 2>&1 &
killed_run=$!
wanted '[[:space:]]3$' kill-begins cat "$work/ran"
check kill-others-see 'run/3 +[^[:cntrl:]]*Running' "$windlass" runs
check resume-running 'error: run/3 is still running: stop it first' run_again --resume=3
kill -9 "$killed_run"
wait "$killed_run" 2>/dev/null
wanted 'run/3 +[^[:cntrl:]]*Killed' kill-seen "$windlass" runs
touch "$work/mended"
: >"$work/ran"
check resume-killed '3 of 5 indexes are done; runs 2.*Complete.*exit code 0' run_again --resume=3
check resume-killed-ran '^3[[:space:]]4$' cat "$work/ran"
sed -i 's/completions: 5/completions: 6/' "$work/kill.yaml"
check resume-changed '-   completions: 5[[:space:]]+[+]   completions: 6.*Add --force.*exit code 2' run_again --resume=3
: >"$work/ran"
check resume-forced '3 of 6 indexes are done; runs 3.*Complete.*exit code 0' run_again --resume=3 --force
check explain-run 'again.*1 failure, 1 cause.*exit 42 .record N is no JSON' "$windlass" explain run/1
check explain-run-index 'exit 42 .record N is no JSON' "$windlass" explain run/1/again --index 3
check explain-run-last 'attempts? .*succeeded' "$windlass" explain run/last
check explain-run-unknown 'error: no run .*77' "$windlass" explain run/77
check explain-run-job 'error: run/1 has no Job other' "$windlass" explain run/1/other
check resume-json '"resumes": "3"' "$windlass" run --resume=3 --force --no-record -o json
check runs-removed 'run/1 removed' "$windlass" runs remove run/1
check runs-pruned '3 runs removed' "$windlass" runs prune --keep 1
XDG_STATE_HOME=/proc/none
check runs-nowhere 'warning: this run is not kept: .*Complete.*exit code 0' run_again "$work/again.yaml"
check runs-mode '^700$' stat -c %a "$work/state/windlass/runs"
unset XDG_STATE_HOME
