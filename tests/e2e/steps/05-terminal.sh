# What a person sees of `windlass run` in a terminal, and what a pipe gets. Index 1 fails once.
cat >"$work/run.yaml" <<YAML
apiVersion: batch/v1
kind: Job
metadata: {name: seen}
spec:
  completions: 2
  parallelism: 2
  completionMode: Indexed
  backoffLimit: 2
  template:
    spec:
      restartPolicy: Never
      containers:
      - name: main
        image: none
        command: [sh, -c, 'echo begun; sleep 0.5; [ \$JOB_COMPLETION_INDEX = 0 ] && exec sleep 2; [ -e $work/mark ] || { touch $work/mark; exit 1; }']
YAML
if command -v tmux >/dev/null; then
  tmux -L "windlass-$$" -f /dev/null new-session -d -x 120 -y 24 "$windlass run $work/run.yaml --backoff-base 3s; echo exit code \$?; read -r"
  screen() { tmux -L "windlass-$$" capture-pane -p; }
  wanted $'\nseen  \\[====================\\]  0/2 succeeded\n  2 running' terminal-progress screen
  wanted 'last: pod seen-1-.* failed: container main exited with 1; counts as a failure' terminal-failure screen
  wanted '0/2 succeeded, 1 failed\s+1 running, retry in [1-3]s' terminal-backoff screen
  wanted 'Complete.*2 of 2 succeeded, 1 failed.*exit code 0' terminal-verdict screen
  check terminal-clean '!\[[#=-]+\]|pod seen' screen
  tmux -L "windlass-$$" kill-server
else
  skip e2e-terminal "no tmux on PATH"
fi
check piped $'created: completions 2.*Complete' "$windlass" run "$work/run.yaml"
check piped-verbose $'pod seen-0-[a-z0-9]+ \\(index 0\\) running.*succeeded.*Complete' "$windlass" run --verbose "$work/run.yaml"
check piped-plain $'!\\[-*\\]|\x1b' "$windlass" run "$work/run.yaml"
check piped-json '"type": "Complete"' bash -c "\"$windlass\" run -o json \"$work/run.yaml\" 2>/dev/null"
check piped-logs '^\{' bash -c "\"$windlass\" run --logs -o json \"$work/run.yaml\" 2>/dev/null"
# Less than the supervisor's program has: what cannot be written is an error, not the end.
check small-files Complete bash -c "ulimit -f 1000; \"$windlass\" run \"$work/run.yaml\" 2>&1"

# A reader that pauses delays the output, not the Job. No process reads this pipe.
mkfifo "$work/pipe"
exec 9<>"$work/pipe"
nap=98765.$$
cat >"$work/loud.yaml" <<YAML
apiVersion: batch/v1
kind: Job
metadata: {name: loud}
spec:
  completions: 2
  parallelism: 2
  completionMode: Indexed
  template:
    spec:
      restartPolicy: Never
      terminationGracePeriodSeconds: 1
      containers:
      - name: main
        image: none
        command: [sh, -c, '[ \$JOB_COMPLETION_INDEX = 0 ] || exec sleep $nap; yes | head -c 300000']
YAML
# As a pattern, which is not what it finds.
naps() { grep -lzx "[9]${nap#9}" /proc/[0-9]*/cmdline 2>/dev/null; }
state_of_process() { cut -d ' ' -f 3 "/proc/$1/stat" 2>/dev/null || echo gone; }
"$windlass" run --logs --timeout 5s "$work/loud.yaml" >"$work/pipe" 2>/dev/null 9<&- &
loud=$!
wanted 'cmdline' paused-begins naps
wanted '^$' paused-ends naps
check paused-waits '^[RSD]' state_of_process "$loud"
# One that comes before the Job is over is not for the reader; the next one is.
interrupt_loud() {
  kill "$loud"
  state_of_process "$loud"
}
wanted '(Z|gone)$' paused-interrupted interrupt_loud
kill -9 "$loud" 2>/dev/null
wait "$loud" 2>/dev/null
exec 9<&-

# Its standard input stays open without a manifest; it has started nothing that it must stop.
mkfifo "$work/input"
exec 9<>"$work/input"
"$windlass" run -f - <"$work/input" >/dev/null 2>&1 9<&- &
reader=$!
wanted '^S' input-waits state_of_process "$reader"
kill "$reader"
wanted '^(Z|gone)$' input-interrupted state_of_process "$reader"
kill -9 "$reader" 2>/dev/null
wait "$reader" 2>/dev/null
exec 9<&-

# One that is killed leaves its folder; the next one removes it, once its supervisor has ended.
mkdir "$work/tmp"
TMPDIR=$work/tmp "$windlass" run "$work/loud.yaml" >/dev/null 2>&1 &
killed=$!
wanted 'cmdline' killed-begins naps
kill -9 "$killed"
wait "$killed" 2>/dev/null
wanted '^$' killed-ends naps
check killed-leaves 'windlass-run-' ls "$work/tmp"
touch -d '2 minutes ago' "$work"/tmp/windlass-run-*
sed "s/\[sh, -c, .*\]/['true']/" "$work/loud.yaml" >"$work/quick.yaml"
run_once_more() { TMPDIR=$work/tmp "$windlass" run "$work/quick.yaml" >/dev/null 2>&1; ls "$work/tmp"; }
wanted '^$' killed-removed run_once_more
