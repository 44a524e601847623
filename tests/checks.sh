# For the suites that drive the real programs, to be sourced: a server to talk to, and checks that
# show what was wanted and what came. The suite sets `windlass` and `kubectl`.
work=$(mktemp -d /var/tmp/windlass-suite-XXXXXX)
failures=0
checks=0
# The caches of kubectl stay in here, too.
export HOME=$work/home
mkdir -p "$HOME"

# use_host_root: from now on `windlass` runs containers on the root file system of this machine,
# whatever image they name. `program` stays the program itself.
use_host_root() {
  program=$windlass
  windlass=$work/windlass
  cat >"$windlass" <<SCRIPT
#!/bin/bash
case \${1:-} in
  run | up) set -- "\$@" --host-root=rw ;;
  node) [[ \${2:-} == shutdown ]] || set -- "\$@" --host-root=rw ;;
esac
exec -a windlass "$program" "\$@"
SCRIPT
  chmod +x "$windlass"
}

# start_windlass FLAG...: `windlass up`, ready, and KUBECONFIG for it.
start_windlass() {
  # What an earlier one has said is no sign of this one.
  rm -f "$work/out" "$work/err"
  "$windlass" up --data-dir "$work/data" --listen 127.0.0.1:0 "$@" >"$work/out" 2>"$work/err" &
  server=$!
  for _ in $(seq 600); do
    grep -q '^export KUBECONFIG=' "$work/out" 2>/dev/null && break
    kill -0 "$server" 2>/dev/null || break
    sleep 0.1
  done
  if ! grep -q '^export KUBECONFIG=' "$work/out"; then
    echo "windlass up did not get ready:"; cat "$work/out" "$work/err"
    exit 1
  fi
  eval "$(grep '^export KUBECONFIG=' "$work/out")"
}

# stop_windlass: its pods and supervisors with it, and its data.
stop_windlass() {
  [ -n "${server:-}" ] || return 0
  timeout 60 "$windlass" down --data-dir "$work/data" >/dev/null 2>&1
  wait "$server" 2>/dev/null
  server=
  rm -rf "$work/data"
}

cleanup() {
  stop_windlass
  rm -rf "$work"
}
trap cleanup EXIT

k() { timeout 30 "$kubectl" "$@" 2>&1; }

# matches PATTERN TEXT: an extended regular expression; '^$' is no output at all.
matches() {
  [ "$1$2" = '^$' ] || printf '%s' "$2" | grep -Eqz -- "$1"
}

# eventually PATTERN COMMAND...: the output of the first try that matches, or of the last.
eventually() {
  local pattern=$1 output
  shift
  for _ in $(seq 300); do
    output=$("$@" 2>&1)
    matches "$pattern" "$output" && break
    sleep 0.2
  done
  printf '%s' "$output"
}

# check NAME PATTERN COMMAND...: the output, standard error included, matches the extended regular
# expression. After a ! it is a pattern that must not match what is there: no output at all is a failure.
check() {
  local name=$1 pattern=$2 output
  shift 2
  checks=$((checks + 1))
  output=$("$@" 2>&1)
  if [[ $pattern == '!'* ]]; then
    [ -z "$output" ] || matches "${pattern#!}" "$output" || return 0
  elif [ -z "$pattern$output" ] || matches "$pattern" "$output"; then
    return 0
  fi
  failures=$((failures + 1))
  printf 'FAILED %s\n  command: %s\n  wanted:  %s\n  got:\n' "$name" "$*" "$pattern"
  sed 's/^/    /' <<<"$output"
}

# wanted PATTERN NAME COMMAND...: likewise of the first output that matches, waited for.
wanted() {
  local pattern=$1 name=$2
  shift 2
  check "$name" "$pattern" eventually "$pattern" "$@"
}

finish_suite() {
  echo "$checks checks, $failures failed"
  [ "$failures" -eq 0 ]
}
