#!/bin/bash
# Installs a build into a folder, and uses it from there: manual pages through groff, completions in bash,
# zsh and fish on a terminal, with names from a running server, and `kubectl windlass`.
#
#   tests/install/install.sh path/to/windlass path/to/build
set -u
exec </dev/null
windlass=$(realpath "$1")
build=$2
here=$(realpath "$(dirname "$0")")
# shellcheck source=/dev/null
source "$here/../skips.sh"
for program in kubectl tmux zsh fish groff; do
  command -v "$program" >/dev/null || skip_suite windlass_install_test "no $program on PATH"
done
kubectl=$(command -v kubectl)
# shellcheck source=/dev/null
source "$here/../checks.sh"

check 'cmake --install succeeds' 'Installed: manual pages' cmake --install "$build" --prefix "$work/usr"
PATH=$work/usr/bin:$PATH
check 'the usual folders' 'share/man/man1/windlass-policy-test\.1' find "$work/usr" -type f
for file in share/bash-completion/completions/windlass share/zsh/site-functions/_windlass \
  share/fish/vendor_completions.d/windlass.fish bin/kubectl_complete-windlass; do
  check "$file is there" . cat "$work/usr/$file"
done
check 'the version has the build' '^windlass v[0-9.]+ \(.*(g|clang)\+\+ ' windlass --version
check 'kubectl finds the plugin' '^windlass v' kubectl windlass version

warnings() {
  local page
  for page in "$work"/usr/share/man/man1/*.1; do
    groff -man -ww -b -Tutf8 "$page" 2>&1 >/dev/null
  done
}
check 'manual pages without a warning' '^$' warnings
rendered() { groff -man -Tascii -P-cbou "$work/usr/share/man/man1/windlass-run.1"; }
check 'a page shows flags and exit codes' '--timeout DURATION.*EXIT STATUS.*124 +Timed out' rendered

start_windlass --hollow-nodes 1
k create -f "$here/../../examples/first-job.yaml" >/dev/null

# typed SHELL TEXT: what the last line of the screen has after TEXT and a Tab.
typed() {
  local shell=$1 text=$2 session=windlass-$$-$RANDOM start
  case $shell in
    bash) start="bash --noprofile --rcfile $work/bashrc" ;;
    zsh) start="env ZDOTDIR=$work/zsh zsh" ;;
    fish) start="env XDG_CONFIG_HOME=$work/fish XDG_DATA_HOME=$work/fish XDG_DATA_DIRS=$work/usr/share fish" ;;
  esac
  tmux -L "$session" -f /dev/null new-session -d -x 120 -y 30 "env PATH=$PATH KUBECONFIG=$KUBECONFIG HOME=$HOME TERM=screen $start"
  eventually 'ready>' tmux -L "$session" capture-pane -p >/dev/null
  tmux -L "$session" send-keys -l "$text"
  tmux -L "$session" send-keys Tab
  eventually "$3" tmux -L "$session" capture-pane -p
  tmux -L "$session" kill-server 2>/dev/null
}
mkdir -p "$work/zsh" "$work/fish/fish"
echo "PS1='ready> '; source $work/usr/share/bash-completion/completions/windlass" >"$work/bashrc"
cat >"$work/zsh/.zshrc" <<RC
PS1='ready> '
fpath=($work/usr/share/zsh/site-functions \$fpath)
autoload -Uz compinit && compinit -u
RC
cat >"$work/fish/fish/config.fish" <<'RC'
function fish_prompt; echo 'ready> '; end
set -g fish_greeting
RC
for shell in bash zsh fish; do
  # Names that a space follows, and the answer of the server.
  check "$shell completes a command" 'windlass simulate' typed "$shell" 'windlass simu' 'windlass simulate'
  check "$shell completes a Job of the cluster" 'explain job/first-job' typed "$shell" 'windlass explain job/f' 'explain job/first-job'
  check "$shell completes a flag" '--lose-node-every' typed "$shell" 'windlass simulate --lose' '--lose-node-every'
  check "$shell completes a namespace" 'kube-system' typed "$shell" 'windlass explain -n kube-s' 'kube-system'
done
check 'kubectl completes the plugin' 'first-job' kubectl __complete windlass explain job/f
finish_suite
