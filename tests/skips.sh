# To be sourced: how a suite reports what it does not test. `./dev test` lists it at the end, and
# `./dev ci` fails unless tests/allowed_skips.txt has it with a reason.

# skip NAME REASON: one part of a suite.
skip() {
  printf 'SKIPPED %s: %s\n' "$1" "$2"
  [ -n "${WINDLASS_SKIPS:-}" ] || return 0
  mkdir -p "$(dirname "$WINDLASS_SKIPS")"
  printf '%s: %s\n' "$1" "$2" >>"$WINDLASS_SKIPS"
}

# skip_suite NAME REASON: all of it. ctest shows exit code 77 as skipped.
skip_suite() {
  skip "$@"
  exit 77
}
