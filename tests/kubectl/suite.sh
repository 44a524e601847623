#!/bin/bash
# Drives one kubectl against a live `windlass up`: every verb a user needs, with its output.
#
#   tests/kubectl/suite.sh path/to/windlass path/to/kubectl
set -u
exec </dev/null
windlass=$(realpath "$1")
kubectl=$2
here=$(realpath "$(dirname "$0")")
# shellcheck source=/dev/null
source "$here/../skips.sh"
# shellcheck source=/dev/null
source "$here/../checks.sh"
start_windlass --nodes 0

minor=$(k version --client -o json | sed -n 's/.*"minor": "\([0-9]*\).*/\1/p' | head -1)
echo "kubectl 1.$minor"
for part in "$here"/steps/*.sh; do
  # shellcheck source=/dev/null
  source "$part"
done
finish_suite
