#!/bin/bash
# Every command of the guides, as a reader would type it, with its output compared where the guide
# shows it; and every example on the machine's own root and on busybox, with the same verdicts.
#
#   tests/guides/suite.sh path/to/windlass [GUIDE.md...]
#
# A ```console block is run: `$ ` begins a command, `> ` goes on with it, other lines are its output, in
# which `...` stands for anything. Times, ports and the ends of pod names are not compared. A comment
# before a block can say `<!-- file: NAME -->` (the block is written to that file) or
# `<!-- not run: REASON -->`. Any other block of commands is an error.
#
# Ends with 77, which ctest shows as skipped, where kubectl, curl, busybox or namespaces are missing.
set -u
exec </dev/null
windlass=$(realpath "$1")
shift
here=$(realpath "$(dirname "$0")")
repository=$(realpath "$here/../..")
# shellcheck source=/dev/null
source "$here/../skips.sh"
for program in kubectl curl busybox perl; do
  command -v "$program" >/dev/null || skip_suite windlass_guides_test "no $program on PATH"
done
kubectl=$(command -v kubectl)
# shellcheck source=/dev/null
source "$here/../checks.sh"

# The program under the names that the guides use. Its port is not fixed: others may listen there.
mkdir -p "$work/bin" "$work/clone/build/release"
cat >"$work/bin/windlass" <<SCRIPT
#!/bin/bash
if [[ \${1:-} == up && " \$* " != *" --listen "* ]]; then set -- "\$@" --listen 127.0.0.1:0; fi
exec -a windlass "$windlass" "\$@"
SCRIPT
chmod +x "$work/bin/windlass"
ln -s "$work/bin/windlass" "$work/clone/build/release/windlass"
for folder in examples docs deploy; do
  ln -s "$repository/$folder" "$work/clone/$folder"
done
PATH=$work/bin:$PATH
unset XDG_STATE_HOME KUBECONFIG

# fail PLACE TEXT [FILE]: one more failure, with what came.
fail() {
  failures=$((failures + 1))
  printf 'FAILED %s: %s\n' "$1" "$2"
  [ -z "${3:-}" ] || sed 's/^/    /' "$3"
}

# as_shown EXPECTED ACTUAL: whether a command printed what the guide shows.
as_shown() {
  perl -0777 -e '
    sub normal {
      my $text = shift;
      $text =~ s/\Q$ENV{HOME}\E/~/g;
      $text =~ s/127\.0\.0\.1:\d+/127.0.0.1:PORT/g;
      $text =~ s/\d{4}-\d\d-\d\dT[\d:.]+Z/TIME/g;
      $text =~ s/\b\d+(\.\d+)?(ms|s|m|h)(\d+[sm])*\b/SPAN/g;
      $text =~ s/-[bcdfghjklmnpqrstvwxz2-9]{5}\b/-POD/g;
      $text =~ s/[ \t]+/ /g;
      $text =~ s/ $//mg;
      return $text;
    }
    my ($expected, $actual) = map { open(my $f, "<", $_) or die; local $/; normal(<$f> // "") } @ARGV;
    my $pattern = "";
    for my $line (split /\n/, $expected) {
      if ($line =~ /^\s*\.\.\.$/) { $pattern .= "(?:.*\\n)*?"; next; }
      my $quoted = quotemeta($line);
      $quoted =~ s/\\\.\\\.\\\./[^\\n]*/g;
      $pattern .= "$quoted\\n";
    }
    $actual .= "\n" unless $actual =~ /\n\z/ || $actual eq "";
    exit($actual =~ /\A$pattern\z/ ? 0 : 1);
  ' "$1" "$2"
}

# await_background COMMAND OUTPUT: until a server that was started is ready.
await_background() {
  for _ in $(seq 600); do
    case $1 in
      *' up '* | *' up') grep -q '^export KUBECONFIG=' "$2" && return 0 ;;
      *' node '*) kubectl get nodes 2>/dev/null | grep -q 'worker-1 .*Ready' && return 0 ;;
      *) return 0 ;;
    esac
    sleep 0.1
  done
  return 1
}

# run_command PLACE COMMAND EXPECTED(file) TOLERANT: in this shell, so that `export` lasts.
run_command() {
  local place=$1 command=$2 expected=$3 tolerant=$4 output code
  checks=$((checks + 1))
  output=$work/output.$checks
  eval "$command" >"$output" 2>&1
  code=$?
  last_code=$code
  if [[ $command =~ \&[[:space:]]*(#.*)?$ ]]; then
    background="$background $!"
    await_background "$command" "$output" || fail "$place" "did not get ready: $command" "$output"
    code=0
  fi
  if [ -s "$expected" ]; then
    as_shown "$expected" "$output" || fail "$place" "prints something else: $command" "$output"
  elif [ "$code" -ne 0 ] && [ -z "$tolerant" ]; then
    fail "$place" "ended with $code: $command" "$output"
  fi
}

# run_block GUIDE LINE FILE: the commands of a console block, each with its output.
run_block() {
  local guide=$1 line=$2 file=$3 text command="" place="" next
  : >"$work/expected"
  while IFS= read -r text || [ -n "$text" ]; do
    line=$((line + 1))
    case $text in
      '$ '*)
        next=${text#\$ }
        # A command whose exit code is asked for next may fail.
        [ -z "$command" ] || run_in_order "$place" "$command" "$next"
        command=$next place=$guide:$line
        : >"$work/expected"
        ;;
      '> '*) command+=$'\n'${text#> } ;;
      *) printf '%s\n' "$text" >>"$work/expected" ;;
    esac
  done <"$file"
  [ -z "$command" ] || run_in_order "$place" "$command" ""
}

# run_in_order PLACE COMMAND NEXT: `echo $?` tells of the command before it.
run_in_order() {
  local command=$2 tolerant=""
  [[ $3 == 'echo $?' || $command == *'echo $?' ]] && tolerant=yes
  [[ $command != 'echo $?' ]] || command="echo $last_code"
  run_command "$1" "$command" "$work/expected" "$tolerant"
}

# run_guide FILE: in a home of its own.
run_guide() {
  local guide=$1 name line=0 text inside="" language="" mark="" start=0
  name=$(basename "$guide" .md)
  HOME=$work/home-$name
  mkdir -p "$HOME"
  windlass image load --name busybox --from-static "$(command -v busybox)" >/dev/null  # as `./dev run` does
  rm -rf "$work/run" && cp -r "$work/clone" "$work/run" && cd "$work/run" || exit 1
  [ ! -d "$here/$name" ] || cp -r "$here/$name/." .
  background="" last_code=0
  unset KUBECONFIG
  while IFS= read -r text || [ -n "$text" ]; do
    line=$((line + 1))
    if [[ $text == '```'* && -z $inside ]]; then
      inside=yes language=${text#\`\`\`} start=$line
      : >"$work/block"
    elif [[ $text == '```' ]]; then
      inside=""
      case $mark:$language in
        'file: '*) cp "$work/block" "${mark#file: }" ;;
        'not run: '*) ;;
        :console) run_block "$name.md" "$start" "$work/block" ;;
        :yaml | :json | :text) ;;
        *) fail "$name.md:$start" "a block that is neither run nor says why not" ;;
      esac
      mark=""
    elif [ -n "$inside" ]; then
      printf '%s\n' "$text" >>"$work/block"
    elif [[ $text == '<!-- '*' -->' ]]; then
      mark=${text#<!-- } mark=${mark% -->}
    fi
  done <"$guide"
  end_guide
}

end_guide() {
  if [ -d "$HOME/.local/state/windlass" ]; then
    timeout 60 "$windlass" down --data-dir "$HOME/.local/state/windlass" >/dev/null 2>&1
  fi
  local process
  for process in $background; do
    wait "$process" 2>/dev/null
  done
  cd "$work" || exit 1
}

# verdicts IMAGE-FLAGS...: of all examples at once; some never end by themselves. How many pods had
# succeeded, and how many were stopped, when a Job failed or met its success policy is a matter of
# time. So are their causes.
verdicts() {
  (cd "$work/clone" && windlass run -f examples --backoff-base 100ms --timeout 45s "$@" 2>"$work/verdicts.err") |
    grep '^job\.batch/' | sed -E 's/-[a-z0-9]{5} / /; / (Failed|Complete: SuccessPolicy): /s/ \([0-9]+ of .*//; s/, [0-9]+ failed.*//' | sort
}

compare_examples() {
  checks=$((checks + 1))
  windlass image add busybox --from-static "$(command -v busybox)" --image-dir "$work/images" >/dev/null ||
    { fail examples "busybox cannot be added"; return; }
  verdicts --image-dir "$work/none" --host-root >"$work/on-host"
  verdicts --image-dir "$work/images" >"$work/on-busybox"
  diff "$work/on-host" "$work/on-busybox" >"$work/difference" ||
    fail examples "other verdicts on busybox (>) than on this machine's root (<)" "$work/difference"
  grep -q 'job.batch/first-job Complete' "$work/on-busybox" ||
    fail examples "first-job is not Complete" "$work/verdicts.err"
}

if "$windlass" run --host-root "$repository/examples/completions.yaml" 2>&1 | grep 'plain process groups'; then
  skip_suite windlass_guides_test "no PID namespaces"
fi
if [ $# -gt 0 ]; then
  mapfile -t guides < <(realpath "$@")  # each guide changes the working directory
  for guide in "${guides[@]}"; do run_guide "$guide"; done
else
  for guide in "$repository"/docs/guide/*.md; do run_guide "$guide"; done
  compare_examples
fi
finish_suite
