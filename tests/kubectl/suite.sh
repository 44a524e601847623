#!/bin/bash
# Drives one kubectl against a live `windlass up`: every verb a user needs, with its output.
#
#   tests/kubectl/suite.sh path/to/windlass path/to/kubectl
set -u
exec </dev/null
windlass=$(realpath "$1")
kubectl=$2
here=$(realpath "$(dirname "$0")")
work=$(mktemp -d)
failures=0
checks=0

cleanup() {
  [ -n "${server:-}" ] && kill "$server" 2>/dev/null && wait "$server" 2>/dev/null
  rm -rf "$work"
}
trap cleanup EXIT

# The caches of kubectl stay in here, too.
export HOME=$work/home
mkdir -p "$HOME"
"$windlass" up --data-dir "$work/data" --listen 127.0.0.1:0 --nodes 0 >"$work/out" 2>"$work/err" &
server=$!
for _ in $(seq 100); do
  grep -q '^export KUBECONFIG=' "$work/out" 2>/dev/null && break
  kill -0 "$server" 2>/dev/null || break
  sleep 0.1
done
if ! grep -q '^export KUBECONFIG=' "$work/out"; then
  echo "windlass up did not get ready:"; cat "$work/out" "$work/err"
  exit 1
fi
eval "$(cat "$work/out")"

k() { timeout 30 "$kubectl" "$@" 2>&1; }

# eventually PATTERN COMMAND...: the output of the first try that matches, or of the last.
eventually() {
  local pattern=$1 output
  shift
  for _ in $(seq 50); do
    output=$("$@" 2>&1)
    printf '%s' "$output" | grep -Eqz -- "$pattern" && break
    sleep 0.2
  done
  printf '%s' "$output"
}

# check NAME PATTERN COMMAND...: the output, standard error included, matches the extended regular
# expression. A pattern that begins with ! must not match.
check() {
  local name=$1 pattern=$2 output
  shift 2
  checks=$((checks + 1))
  output=$("$@" 2>&1)
  if [[ $pattern == '!'* ]]; then
    printf '%s' "$output" | grep -Eqz -- "${pattern#!}" || return 0
  elif [ -z "$pattern$output" ] || printf '%s' "$output" | grep -Eqz -- "$pattern"; then
    return 0
  fi
  failures=$((failures + 1))
  printf 'FAILED %s\n  command: %s\n  wanted:  %s\n  got:\n' "$name" "$*" "$pattern"
  sed 's/^/    /' <<<"$output"
}

minor=$(k version --client -o json | sed -n 's/.*"minor": "\([0-9]*\).*/\1/p' | head -1)
echo "kubectl 1.$minor"
for part in "$here"/steps/*.sh; do
  # shellcheck source=/dev/null
  source "$part"
done
echo "$checks checks, $failures failed"
[ "$failures" -eq 0 ]
