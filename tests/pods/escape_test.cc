// Ways out of a container, tried from inside: by root and by an ordinary user, on an image and on
// the root of this machine; and when an ordinary user of the machine runs all of it. Each way that
// is open prints a line. What a way would do is not done: that a file opens for writing is enough.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <string>

#include "base/json_writer.h"
#include "real_pods.h"

namespace windlass::pods {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// `try NAME COMMAND...`: the command must fail.
constexpr const char* kAttempts = R"sh(
try() { name=$1; shift; if "$@" >/dev/null 2>&1; then echo "OPEN $name"; fi; }
opens() { [ -e "$1" ] && (: >>"$1") 2>/dev/null; }
for file in /proc/sys/kernel/core_pattern /proc/sys/kernel/modprobe /proc/sysrq-trigger \
    /sys/kernel/uevent_helper /sys/power/state /dev/kmsg /dev/mem /dev/sda /dev/kvm; do
  try "$file" opens "$file"
done
for name in cgroup.procs tasks release_agent cgroup.subtree_control memory.max pids.max; do
  for file in $(find /sys/fs/cgroup -name "$name" 2>/dev/null); do try "$file" opens "$file"; done
done
try kcore sh -c 'head -c 1 /proc/kcore | grep -q .'
try keys sh -c 'grep -q . /proc/keys'
try mount mount -t tmpfs none /tmp
try bind mount --bind / /tmp
try writable-again mount -o remount,rw /
try umount umount /proc
try umount-dev umount -l /dev
try unshare unshare -m true
try user-namespace unshare -U true
try nsenter nsenter -t 1 -m true
try setns-of-a-file nsenter --mount=/proc/1/ns/mnt true
try device sh -c 'mknod /tmp/zero c 1 5 && head -c 1 /tmp/zero'
try hostname hostname other
try outside [ -e "$MARKER" ]
try outside-of-1 [ -e "/proc/1/root$MARKER" ]
try outside-of-cwd [ -e "/proc/1/cwd/../../../../../../..$MARKER" ]
case $PWD in
  */pods/*)
    node=${PWD%/pods/*}
    try files-of-the-supervisor [ -e "$node/supervisor" ]
    try socket-of-the-supervisor sh -c "find '$node' -type s | grep -q ."
    try other-files-of-the-node sh -c "find '$node' -type f | grep -q ."
    ;;
esac
try processes-of-windlass sh -c 'cat /proc/[0-9]*/comm | grep -q windlass'
try core-dumps sh -c '[ "$(ulimit -c)" -gt 1 ]'
powers=0x$(sed -n 's/^CapEff:[^0-9a-f]*//p' /proc/self/status)
try packets-of-others [ $(( powers >> 13 & 1 )) = 1 ]
limited=
for most in $(cat /sys/fs/cgroup/pids/pids.max /sys/fs/cgroup/pids.max 2>/dev/null) \
    $(sed -n 's/^Max processes *\([0-9]*\).*/\1/p' /proc/self/limits); do
  if [ "$most" -le 4096 ] 2>/dev/null; then limited=1; fi
done
[ "$limited" ] || echo "OPEN a fork bomb"
grep -q "NoNewPrivs:.*1" /proc/self/status || echo "OPEN set-user-id programs"
grep -q "Seccomp:.*2" /proc/self/status || echo "OPEN system calls"
for descriptor in /proc/self/fd/*; do
  number=${descriptor##*/}
  if [ "$number" -gt 2 ] && [ -e "$descriptor" ]; then echo "OPEN descriptor $number"; fi
done
echo all tried
)sh";

struct Inmate {
  const char* name;
  const char* image;
  const char* security;
  bool ordinary = false;  // who runs windlass
};

class Escapes : public RealPods, public ::testing::WithParamInterface<Inmate> {};

TEST_P(Escapes, NoWayOutIsOpen) {
  root_.clear();
  if (GetParam().ordinary) {
    if (::geteuid() != 0) {
      GTEST_SKIP() << "needs root to become another user; all other tests are run by one";
    }
    become_ordinary();
  }
  const std::string load =
      fmt::format("{} {} image load --name busybox --from-static /bin/busybox --image-dir {}", as_,
                  program_, directory_ / "images");
  ASSERT_TRUE(posix::run_program({"sh", "-c", load}));
  // A container has a /tmp of its own.
  const std::string marker = fmt::format("/tmp/windlass-outside-{}", ::getpid());
  ASSERT_TRUE(posix::run_program({"touch", marker}));
  const std::string script = "MARKER=" + marker + kAttempts;
  const Ran ran = run(fmt::format(
      R"({{"apiVersion":"batch/v1","kind":"Job","metadata":{{"name":"out"}},"spec":{{"backoffLimit":0,
         "template":{{"spec":{{"restartPolicy":"Never","containers":[{{"name":"c","image":"{}",
         "securityContext":{{{}}},"command":["sh","-c",{}]}}]}}}}}}}})",
      GetParam().image, GetParam().security, json_string(script)));
  EXPECT_TRUE(posix::run_program({"rm", marker}));
  EXPECT_TRUE(ran.complete) << ran.output;
  EXPECT_THAT(ran.output, HasSubstr("all tried"));
  EXPECT_THAT(ran.output, Not(HasSubstr("OPEN")));
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, Escapes,
    ::testing::Values(Inmate{"RootOnAnImage", "busybox", ""},
                      Inmate{"UserOnAnImage", "busybox", R"("runAsUser":1000)"},
                      Inmate{"RootOnTheMachine", "host", ""},
                      Inmate{"UserOnTheMachine", "host", R"("runAsUser":1000)"},
                      Inmate{"AnOrdinaryUsersRootOnAnImage", "busybox", "", true},
                      Inmate{"AnOrdinaryUsersUserOnAnImage", "busybox", R"("runAsUser":1000)",
                             true},
                      Inmate{"AnOrdinaryUsersRootOnTheMachine", "host", "", true}),
    [](const auto& kind) { return std::string(kind.param.name); });

}  // namespace
}  // namespace windlass::pods
