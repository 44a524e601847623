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
        command: [sh, -c, 'sleep 0.5; [ \$JOB_COMPLETION_INDEX = 0 ] && exec sleep 2; [ -e $work/mark ] || { touch $work/mark; exit 1; }']
YAML
if command -v tmux >/dev/null; then
  tmux -L "windlass-$$" -f /dev/null new-session -d -x 120 -y 24 "$windlass run $work/run.yaml --backoff-base 3s; echo exit code \$?; read -r"
  screen() { tmux -L "windlass-$$" capture-pane -p; }
  wanted $'\n\\[--------------------\\] 0/2 succeeded, 0 failed, 2 active, 0 terminating' terminal-progress screen
  wanted 'container main exited with 1; counts as a failure' terminal-failure screen
  wanted '0/2 succeeded, 1 failed, 1 active, 0 terminating, retry in [0-3]\.[0-9]s' terminal-backoff screen
  wanted 'Complete.*2 of 2 succeeded, 1 failed.*exit code 0' terminal-verdict screen
  check terminal-clean '!\[[#-]+\]' screen
  tmux -L "windlass-$$" kill-server
else
  echo "no tmux: what a terminal shows is not looked at"
fi
check piped $'created: completions 2.*succeeded.*Complete' "$windlass" run "$work/run.yaml"
check piped-plain $'!\\[-*\\]|\x1b' "$windlass" run "$work/run.yaml"
check piped-json '"type": "Complete"' bash -c "\"$windlass\" run -o json \"$work/run.yaml\" 2>/dev/null"
