#!/bin/bash
# The files for pipelines at the root of the repository, as their services run them: the script of action.yml
# and the hooks of pre-commit.
#
#   tests/install/ci.sh path/to/windlass
set -u
exec </dev/null
windlass=$(realpath "$1")
here=$(realpath "$(dirname "$0")")
# shellcheck source=/dev/null
source "$here/../skips.sh"
# shellcheck source=/dev/null
source "$here/../checks.sh"
mkdir "$work/bin" "$work/jobs"
ln -s "$windlass" "$work/bin/windlass"
PATH=$work/bin:$PATH
cp "$here/../../examples/fail-job-by-exit-code.yaml" "$work/jobs/good.yaml"
sed '/restartPolicy/i\      zork: 1' "$work/jobs/good.yaml" >"$work/bad.yaml"

# Indented by eight, behind `run: |`, as the runner gives it to `bash -e`.
sed -n '/run: |/,$p' "$here/../../action.yml" | sed '1d; s/^ \{8\}//' >"$work/step"
check 'action.yml has a script' 'windlass policy lint' cat "$work/step"
action() {
  (cd "$work" && PATHS=$1 FAIL_ON=error bash --noprofile --norc -eo pipefail "$work/step" 2>&1; echo "code $?")
}
check 'a good folder passes' 'job.batch/.*code 0' action jobs
check 'a bad file is annotated' '::error file=bad.yaml,line=[0-9]+,col=[0-9]+,title=invalid::.*code 1' action 'jobs bad.yaml'

hook() {
  local entry
  entry=$(sed -n "/id: $1\$/,/entry:/s/.*entry: //p" "$here/../../.pre-commit-hooks.yaml")
  shift
  (cd "$work" && $entry "$@" 2>&1; echo "code $?")
}
for id in validate policy-lint policy-test; do
  check "the hook $id passes a good file" 'code 0' hook "windlass-$id" jobs/good.yaml
  check "the hook $id refuses a bad file" 'bad.yaml:[0-9]+:[0-9]+: error: .*code 1' hook "windlass-$id" bad.yaml
done
finish_suite
