#!/bin/bash
# What `./dev` shows of a build: the functions of the script, on lines as ninja writes them.
set -u
cd "$(dirname "$0")/.." || exit 1
# shellcheck source=/dev/null
source <(sed -n '/^time_left()/,/^}/p; /^show_progress()/,/^}/p' dev)
failures=0
expect() {
  [ "$1" = "$2" ] && return
  printf 'wanted: %s\ngot:    %s\n' "$1" "$2"
  failures=$((failures + 1))
}
lines() { for i in $(seq "$1" "$2"); do echo "[$i/$3] Building CXX object x.o"; done; }

expect 'about 50s left' "$(time_left 25 100 16)"
expect 'about 0s left' "$(time_left 100 100 90)"
expect 'about 3m left' "$(time_left 100 400 60)"
expect '' "$(printf 'ninja: no work to do.\n' | show_progress 'building release')"
expect '==> building release' "$(lines 1 24 100 | show_progress 'building release')"
expect '==> building release
    [25/100] TIME' "$(lines 1 25 100 | show_progress 'building release' | sed 's/about [0-9]*[sm] left/TIME/')"
expect '==> building release
error: no such type' "$({ lines 1 1 9; echo 'error: no such type'; } | show_progress 'building release')"
expect '' "$({ echo '[0/2] Re-checking globbed directories...'; echo '-- Configuring done'; } | show_progress 'building release')"
exit "$failures"
