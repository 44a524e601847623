// Nodes that run short of something, with real processes that take it (disruption.md ).
// Each row once without a failure policy, once with one that ignores disruptions, and once with
// that one while the condition is switched off.
#include <gmock/gmock.h>

#include <filesystem>

#include "posix/process/posix_host_resources.h"
#include "real_pods.h"

namespace windlass::pods {
namespace {

using ::testing::HasSubstr;

constexpr const char* kPolicy =
    "  podFailurePolicy: {rules: [{action: Ignore, onPodConditions: [{type: "
    "DisruptionTarget}]}]}\n";

class RealPressure : public RealPods {
 protected:
  // Does so once; the pod that comes after it has nothing to do.
  std::string hog(const std::string& script, bool policy) {
    const std::string host = directory_ / "host";
    std::filesystem::remove_all(host);
    std::filesystem::create_directory(host);
    std::string manifest =
        job("[ ! -e /host/once ] || exit 0; touch /host/once; " + script + "; sleep 100; true",
            "        volumeMounts: [{name: host, mountPath: /host}]\n",
            fmt::format("      volumes: [{{name: host, hostPath: {{path: {}}}}}]\n", host));
    if (policy) {
      manifest.insert(manifest.find("  backoffLimit: 0"), kPolicy);
    }
    return manifest;
  }

  void expect_eviction(const std::string& script, const std::string& flags,
                       const std::string& message) {
    const std::string all =
        flags + " --timeout 60s --eviction-pressure-transition-period 0s --backoff-base 1s";
    const Ran failed = run(hog(script, false), all);
    EXPECT_FALSE(failed.complete);
    EXPECT_THAT(failed.output, HasSubstr("Evicted: " + message));
    EXPECT_THAT(failed.output, HasSubstr("container c exited with 137"));
    const Ran ignored = run(hog(script, true), all);
    EXPECT_TRUE(ignored.complete) << ignored.output;
    const Ran gate_off =
        run(hog(script, true), all + " --feature-gates PodDisruptionConditions=false");
    EXPECT_FALSE(gate_off.complete);
    EXPECT_THAT(gate_off.output, HasSubstr("Evicted: " + message));
  }
};

TEST_F(RealPressure, R4_APodThatTakesTheNodesMemoryIsEvicted) {
  expect_eviction("x=$(head -c 80000000 /dev/zero | tr '\\\\0' a)",
                  "--node-capacity memory=128Mi --eviction-hard 'memory.available<64Mi'",
                  "The node was low on resource: memory. Threshold quantity: 64Mi, available: ");
}

TEST_F(RealPressure, R5_APodThatFillsTheNodesDiskIsEvicted) {
  expect_eviction(
      "head -c 60000000 /dev/zero > f",
      "--node-capacity ephemeral-storage=64Mi --eviction-hard 'nodefs.available<16Mi'",
      "The node was low on resource: ephemeral-storage. Threshold quantity: 16Mi, available: ");
}

// The whole machine's, so others may come and go meanwhile: the pod has by far the most of it.
TEST_F(RealPressure, K61_APodWithTooManyProcessesIsEvicted) {
  const auto pids = posix::PosixHostResources().look("/").pids;
  ASSERT_TRUE(pids);
  const Ran ran =
      run(job("for i in $(seq 600); do sleep 100 & done; wait", "", ""),
          fmt::format("--timeout 60s --eviction-hard 'pid.available<{}'", pids->available - 300));
  EXPECT_FALSE(ran.complete);
  EXPECT_THAT(ran.output, HasSubstr("Evicted: The node was low on resource: pids. "));
}

}  // namespace
}  // namespace windlass::pods
