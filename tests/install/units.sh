#!/bin/bash
# The units of deploy/systemd: systemd-analyze finds nothing wrong with them, and the program behaves as a
# service of Type=notify.
#
#   tests/install/units.sh path/to/windlass
set -u
exec </dev/null
windlass=$(realpath "$1")
here=$(realpath "$(dirname "$0")")
# shellcheck source=/dev/null
source "$here/../skips.sh"
for program in systemd-analyze python3; do
  command -v "$program" >/dev/null || skip_suite windlass_units_test "no $program on PATH"
done
# shellcheck source=/dev/null
source "$here/../checks.sh"

verified() {
  # Neither the program nor its manual is installed here.
  sed "s|/usr/bin/windlass|$windlass|; /^Documentation=/d" "$here/../../deploy/systemd/$1/windlass.service" >"$work/windlass.service"
  systemd-analyze verify --man=no "$work/windlass.service" 2>&1
}
check 'the unit of the system is right' '^$' verified system
check 'the unit of a user is right' '^$' verified user

# What a service manager gets: one line for each datagram.
cat >"$work/manager.py" <<'PYTHON'
import socket, sys
inbox = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
inbox.bind(sys.argv[1])
print("bound", flush=True)
while True:
    print(inbox.recv(4096).decode().replace("\n", " "), flush=True)
PYTHON
python3 "$work/manager.py" "$work/notify" >"$work/heard" 2>&1 &
manager=$!
check 'the manager listens' bound eventually bound cat "$work/heard"
NOTIFY_SOCKET=$work/notify WATCHDOG_USEC=200000 "$windlass" up --data-dir "$work/state" --nodes 0 \
  --listen 127.0.0.1:0 >"$work/up" 2>&1 &
service=$!
check 'it says that it is ready, then that it works' 'READY=1 STATUS=Serving at https://.*WATCHDOG=1.*WATCHDOG=1' \
  eventually 'READY=1.*WATCHDOG=1.*WATCHDOG=1' cat "$work/heard"
kill -TERM $service
check 'it says that it stops' 'STOPPING=1' eventually 'STOPPING=1' cat "$work/heard"
wait $service
check 'it ends with 0' '^0$' echo $?
kill $manager
finish_suite
