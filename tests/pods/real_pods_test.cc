// `windlass run` with real processes, which look at what they were given and end with 0 only if all
// of it is there.
#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>

#include "real_pods.h"

namespace windlass::pods {
namespace {

using ::testing::HasSubstr;

TEST_F(RealPods, VolumesAndEnvironments) {
  std::filesystem::create_directory(directory_ / "host");
  const Ran ran = run(fmt::format(
      R"(
apiVersion: v1
kind: ConfigMap
metadata: {{name: cm}}
data: {{a: one, b: two}}
---
apiVersion: v1
kind: Secret
metadata: {{name: sec}}
stringData: {{pw: hidden}}
---
{})",
      job("set -x; [ $(cat /cm/deep/er) = two ]; [ ! -e /cm/a ]; [ $(cat /sec/pw) = hidden ]; "
          "[ $(stat -L -c %a /sec/pw) = 400 ]; [ $A = one ]; [ $CM_b = two ]; [ $PW = hidden ]; "
          "grep -q app= /all/labels; [ $(cat /all/a) = one ]; [ $(cat /etc/one) = one ]; "
          "if touch /cm/x; then exit 1; fi; echo out > /empty/f; [ $(cat /empty/f) = out ]; echo "
          "out > /host/f; "
          "if head -c 3000000 /dev/zero > /memory/f; then exit 1; fi; [ $(stat -c %s /memory/f) = "
          "1048576 ]",
          R"(
        env:
        - {name: A, valueFrom: {configMapKeyRef: {name: cm, key: a}}}
        - {name: PW, valueFrom: {secretKeyRef: {name: sec, key: pw}}}
        envFrom: [{configMapRef: {name: cm}, prefix: CM_}]
        volumeMounts:
        - {name: empty, mountPath: /empty}
        - {name: memory, mountPath: /memory}
        - {name: host, mountPath: /host}
        - {name: cm, mountPath: /cm}
        - {name: sec, mountPath: /sec}
        - {name: all, mountPath: /all}
        - {name: all, mountPath: /etc/one, subPath: a}
)",
          fmt::format(R"(
      volumes:
      - {{name: empty, emptyDir: {{}}}}
      - {{name: memory, emptyDir: {{medium: Memory, sizeLimit: 1Mi}}}}
      - {{name: host, hostPath: {{path: {}, type: Directory}}}}
      - {{name: cm, configMap: {{name: cm, items: [{{key: b, path: deep/er}}]}}}}
      - {{name: sec, secret: {{secretName: sec, defaultMode: 0400}}}}
      - name: all
        projected:
          sources:
          - configMap: {{name: cm}}
          - downwardAPI: {{items: [{{path: labels, fieldRef: {{fieldPath: metadata.labels}}}}]}}
)",
                      directory_ / "host"))));
  EXPECT_TRUE(ran.complete) << ran.output;
  EXPECT_EQ(directory_.read("host/f"), "out\n");
}

// An init container, a sidecar and a container, of which none has it for itself.
TEST_F(RealPods, AllContainersOfAPodShareMemory) {
  const std::string mount = "volumeMounts: [{name: m, mountPath: /m}]";
  const Ran ran =
      run(job("[ $(stat -f -c %T /m) = tmpfs ]; [ $(cat /m/f) = out ]; "
              "until [ -e /m/sidecar ]; do sleep 0.01; done; [ $(cat /part/g) = deep ]",
              "        volumeMounts: [{name: m, mountPath: /m}, {name: m, mountPath: /part, "
              "subPath: a/b}]\n",
              fmt::format("      initContainers:\n"
                          "      - {{name: i, image: test, command: [sh, -ec, \"echo out > /m/f; "
                          "mkdir -p /m/a/b; echo deep > /m/a/b/g\"], {0}}}\n"
                          "      - {{name: s, image: test, restartPolicy: Always, command: [sh, "
                          "-ec, \"cat /m/f > /m/sidecar; sleep 1000\"], {0}}}\n"
                          "      volumes: [{{name: m, emptyDir: {{medium: Memory}}}}]\n",
                          mount)));
  EXPECT_TRUE(ran.complete) << ran.output;
}

TEST_F(RealPods, UsersOfTheirOwn) {
  const Ran ran =
      run(job("[ $(id -u) = 1234 ]; [ $(id -g) = 55 ]; [ $(pwd) = / ]; "
              "id -G; id -G | grep -q 55; touch /empty/f",
              "        volumeMounts: [{name: empty, mountPath: /empty}]\n",
              "      securityContext: {runAsUser: 1234, runAsGroup: 55, fsGroup: 77, "
              "supplementalGroups: [88]}\n"
              "      volumes: [{name: empty, emptyDir: {}}]\n"));
  EXPECT_TRUE(ran.complete) << ran.output;
  if (::geteuid() == 0) {
    EXPECT_THAT(ran.output, HasSubstr("55 77 88"));
  }
}

// A link that a container has put into a volume does not lead out of it.
TEST_F(RealPods, PartsOfVolumes) {
  const std::string volumes = "      volumes: [{name: e, emptyDir: {}}]\n";
  const auto two = [&volumes](const std::string& first, const std::string& part) {
    return job(
        "ls /part; [ $(cat /part/f) = out ]",
        fmt::format("        volumeMounts: [{{name: e, mountPath: /part, subPath: {}}}]\n", part),
        fmt::format("      initContainers:\n"
                    "      - {{name: i, image: test, command: [sh, -ec, \"{}\"], "
                    "volumeMounts: [{{name: e, mountPath: /e}}]}}\n",
                    first) +
            volumes);
  };
  const Ran inside = run(two("mkdir -p /e/a/b; echo out > /e/a/b/f; ln -s a/b /e/l", "l"));
  EXPECT_TRUE(inside.complete) << inside.output;
  const Ran outside = run(two("ln -s /etc /e/l", "l"), "--timeout 5s");  // it waits
  EXPECT_FALSE(outside.complete);
  EXPECT_THAT(outside.output, HasSubstr("l leads out of "));
  const Ran made =
      run(job("touch /part/g",
              "        volumeMounts: [{name: e, mountPath: /part, subPath: a/b}]\n", volumes));
  EXPECT_TRUE(made.complete) << made.output;
}

TEST_F(RealPods, E78_LastWordsAreTheMessageOfTheEnd) {
  const bool before = std::filesystem::exists("/dev/termination-log");
  const Ran usual =
      run(job("echo the disk is full > /dev/termination-log; [ -c /dev/null ]; exit 3", "",
              "      securityContext: {runAsUser: 1234}\n"));
  EXPECT_THAT(usual.output, HasSubstr("container c exited with 3: the disk is full"));
  EXPECT_EQ(std::filesystem::exists("/dev/termination-log"), before) << "the host's own /dev";
  const Ran other = run(
      job("echo no input > /tmp/why; exit 4", "        terminationMessagePath: /tmp/why\n", ""));
  EXPECT_THAT(other.output, HasSubstr("container c exited with 4: no input"));
}

TEST_F(RealPods, R7_APodBeyondItsLocalStorageIsEvicted) {
  const Ran ran = run(job("head -c 3000000 /dev/zero > f; exec sleep 100",
                          "        resources: {limits: {ephemeral-storage: 1Mi}}\n", ""));
  EXPECT_FALSE(ran.complete);
  EXPECT_THAT(ran.output, HasSubstr("Evicted: Pod ephemeral local storage usage exceeds the total "
                                    "limit of containers 1Mi., container c exited with 137"));
}

TEST_F(RealPods, AnImageIsTheRootAndStaysAsItIs) {
  root_.clear();
  std::string mounts = "        imagePullPolicy: Never\n        volumeMounts:\n";
  std::string volumes = "      volumes:\n";
  for (const char* name : {"usr", "lib", "lib64", "bin"}) {
    std::filesystem::create_directories(directory_ / "root/" + name);
    mounts += fmt::format("        - {{name: {0}, mountPath: /{0}}}\n", name);
    volumes += fmt::format("      - {{name: {0}, hostPath: {{path: /{0}}}}}\n", name);
  }
  directory_.write("root/only-here", "");
  const std::string manifest = job(
      "test -e /only-here; test ! -e /root; echo new > /only-here; mkdir /made", mounts, volumes);
  const Ran missing = run(manifest);
  EXPECT_FALSE(missing.complete);
  EXPECT_THAT(missing.output, HasSubstr("container \"c\" cannot have the image \"test\""));
  ASSERT_TRUE(posix::run_program({program_, "image", "add", "test", directory_ / "root",
                                  "--image-dir", directory_ / "images"}));
  const Ran ran = run(manifest);
  EXPECT_TRUE(ran.complete) << ran.output;
  EXPECT_EQ(directory_.read("root/only-here"), "");
  EXPECT_FALSE(std::filesystem::exists(directory_ / "root/made"));
}

// Were the hook not run in the container's own view, it would write elsewhere; were the sidecar not
// waited for, its file would be missing.
TEST_F(RealPods, HooksAndStartupProbes) {
  const Ran ran =
      run(job("[ -e /empty/up ]; until [ -e /empty/hook ]; do sleep 0.1; done; "
              "[ $(cat /empty/hook) = c-1 ]",
              R"(
        env: [{name: WHO, value: c-1}]
        lifecycle: {postStart: {exec: {command: [sh, -c, "sleep 0.3; echo $WHO > /empty/hook"]}}}
        volumeMounts: [{name: empty, mountPath: /empty}]
)",
              R"(
      initContainers:
      - name: side
        image: test
        restartPolicy: Always
        command: [sh, -c, "sleep 1; touch /empty/up; sleep 1000"]
        startupProbe: {exec: {command: [test, -e, /empty/up]}, periodSeconds: 1}
        volumeMounts: [{name: empty, mountPath: /empty}]
      terminationGracePeriodSeconds: 1
      volumes: [{name: empty, emptyDir: {}}]
)"));
  EXPECT_TRUE(ran.complete) << ran.output;
}

TEST_F(RealPods, ALivenessProbeEndsWhatHangs) {
  const Ran ran = run(job("sleep 1000", R"(
        livenessProbe:
          exec: {command: [sh, -c, "sleep 1000"]}
          periodSeconds: 1
          failureThreshold: 1
          terminationGracePeriodSeconds: 1
)",
                          ""));
  EXPECT_FALSE(ran.complete);
  EXPECT_THAT(ran.output, HasSubstr("137")) << "not by its time-out of a minute";
}

}  // namespace
}  // namespace windlass::pods
