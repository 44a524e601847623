# Logs of `windlass run`: streamed, of failed pods only, and in files; and what a terminal is spared.
cat >"$work/wild.yaml" <<'YAML'
apiVersion: batch/v1
kind: Job
metadata: {name: wild}
spec:
  completions: 2
  parallelism: 2
  completionMode: Indexed
  backoffLimitPerIndex: 1
  template:
    spec:
      restartPolicy: Never
      containers:
      - name: main
        image: none
        command: [sh, -c, 'printf "10%%\r99%%\n\033[2J\033[31mred\033[0m\n"; echo "index $JOB_COMPLETION_INDEX"; [ $JOB_COMPLETION_INDEX = 0 ] || exit 7']
YAML
run_wild() { "$windlass" run "$work/wild.yaml" --backoff-base 100ms --no-record "$@" 2>&1; }
check logs-stream '\[wild-0-[a-z0-9]+ main\] index 0' run_wild --logs
check logs-bytes $'10%\r99%' run_wild --logs
check logs-failed 'wild-1-[a-z0-9]+ .index 1. failed: [^|]*[|] 99%[[:space:]]+[|] red[[:space:]]+[|] index 1' run_wild --logs=failed
check logs-failed-only '!index 0' run_wild --logs=failed
check logs-wrong 'invalid --logs "all"' run_wild --logs=all
run_wild --log-dir "$work/kept" >/dev/null
check kept-names '^0.1.main.log[[:space:]]1.1.main.log[[:space:]]1.2.main.log' ls "$work/kept/wild"
check kept-bytes $'^10%\r99%[[:space:]]\x1b\\[2J\x1b\\[31mred' cat "$work/kept/wild/0.1.main.log"
touch "$work/no-folder"
check kept-nowhere 'error: invalid --log-dir: mkdir .*no-folder/x: not a directory' run_wild --log-dir "$work/no-folder/x"
# A folder of a file system that fills up: the run ends as it would, and says what is missing.
if mkdir -p "$work/tiny" && mount -t tmpfs -o size=64k tmpfs "$work/tiny" 2>/dev/null; then
  sed "s/\[sh, -c, .*\]/[sh, -c, 'yes | head -c 300000']/" "$work/wild.yaml" >"$work/much.yaml"
  check kept-full 'log not kept: write .*no space left on device.*files? in the log directory (is|are) incomplete.*wild Complete' \
    bash -c "\"$windlass\" run \"$work/much.yaml\" --no-record --log-dir \"$work/tiny\" 2>&1 | tr '\n' ' '"
  umount "$work/tiny"
else
  skip e2e-full-log-dir "no tmpfs can be mounted here"
fi

if command -v tmux >/dev/null; then
  in_tmux() { tmux -L "windlass-logs-$$" -f /dev/null "$@"; }
  logs_screen() { in_tmux capture-pane -p; }
  # Of an interactive shell, for job control.
  in_tmux new-session -d -x 80 -y 24 "env -u HISTFILE PS1='prompt> ' bash --norc --noprofile -i"
  sed 's/completions: 2/completions: 40/; s/parallelism: 2/parallelism: 1/; s/\[sh, -c, .*\]/[sleep, "2"]/' "$work/wild.yaml" >"$work/slow.yaml"
  in_tmux send-keys "$windlass run --no-record $work/slow.yaml" Enter
  wanted 'wild  .=' stop-begins logs_screen
  in_tmux send-keys C-z
  wanted 'Stopped' stop-stopped logs_screen
  in_tmux send-keys "echo from-the-shell" Enter
  wanted 'echo from-the-shell[[:space:]]+from-the-shell' stop-shell logs_screen
  in_tmux send-keys "fg" Enter
  wanted 'prompt> fg.*wild  .[#=-]+' stop-resumed logs_screen
  # Narrower: nothing wraps, and there is one block.
  in_tmux resize-window -x 40 -y 24
  wanted 'wild  .[#=-]+.[^[:cntrl:]]{0,16}[[:space:]]+1 running' narrow-block logs_screen
  in_tmux send-keys C-c
  wanted 'interrupted: .*succeeded' narrow-ends logs_screen
  in_tmux kill-server
else
  skip e2e-logs-terminal "no tmux on PATH"
fi
