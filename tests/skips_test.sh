#!/usr/bin/env bash
# tests/skipped and tests/skips.sh: every skip is listed with its reason, and fails unless it is allowed.
set -euo pipefail
here=$(realpath "$(dirname "$0")")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# expect NAME WANTED GOT
expect() { [[ $2 == "$3" ]] || { printf 'FAILED %s\n  wanted: %s\n  got:    %s\n' "$1" "$2" "$3"; exit 1; }; }

cat >"$work/a_test.xml" <<'XML'
<testsuites tests="2">
  <testsuite name="A">
    <testcase name="B" file="a.cc" line="2" status="run" result="skipped" time="0" classname="A">
      <skipped message="a.cc:2&#x0A;no &quot;x&quot; &lt;here&gt;"><![CDATA[a.cc:2
no "x" <here>]]></skipped>
    </testcase>
    <testcase name="C" file="a.cc" line="3" status="run" result="completed" time="0" classname="A" />
  </testsuite>
</testsuites>
XML
code=0
(source "$here/skips.sh"; WINDLASS_SKIPS=$work/suite.skipped; skip part "no tmux" >/dev/null; skip_suite all "no kubectl" >/dev/null) || code=$?
expect "the exit code of a skipped suite" 77 "$code"
expect "all skips" $'A.B: no "x" <here>\npart: no tmux\nall: no kubectl' "$("$here/skipped" "$work")"

export WINDLASS_ALLOWED_SKIPS=$work/allowed
printf '# comment\nA.*  reason\npart reason\n' >"$work/allowed"
expect "unlisted skips" "all: no kubectl" "$("$here/skipped" --unlisted "$work" || true)"
"$here/skipped" --unlisted "$work" >/dev/null && { echo "FAILED: an unlisted skip is accepted"; exit 1; }
printf 'all reason\n' >>"$work/allowed"
"$here/skipped" --unlisted "$work"
