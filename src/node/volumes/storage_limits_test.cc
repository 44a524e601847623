#include "node/volumes/storage_limits.h"

#include <gtest/gtest.h>

namespace windlass::node {
namespace {

constexpr uint64_t kMebi = 1024 * 1024;

PodSpecView plan_with(std::vector<std::string> container_limits, const std::string& volume_limit) {
  PodSpecView spec;
  for (const std::string& limit : container_limits) {
    ContainerSpecView& container = spec.containers.emplace_back();
    container.name = "c" + std::to_string(spec.containers.size());
    container.storage_limit = limit;
  }
  VolumePlan& volume = spec.volumes.emplace_back();
  volume.name = "v";
  volume.size_limit = volume_limit;
  return spec;
}

TEST(StorageLimits, K62_TheThreeTexts) {
  struct Case {
    PodSpecView spec;
    StorageUse use;
    const char* want;
  };
  const Case cases[] = {
      {plan_with({""}, "1Mi"), {{{"v", kMebi}}, {}, 0}, ""},
      {plan_with({""}, "1Mi"),
       {{{"v", kMebi + 1}}, {}, 0},
       "Usage of EmptyDir volume \"v\" exceeds the limit \"1Mi\". "},
      {plan_with({"1Gi", ""}, ""),
       {{{"v", 600 * kMebi}}, {{"c1", 424 * kMebi}}, 1},
       "Pod ephemeral local storage usage exceeds the total limit of containers 1Gi. "},
      {plan_with({"1Mi", "3Mi"}, ""),
       {{}, {{"c1", 2 * kMebi}}, 0},
       "Container c1 exceeded its local ephemeral storage limit \"1Mi\". "},
      {plan_with({"1Mi", "3Mi"}, ""), {{}, {{"c2", 2 * kMebi}}, kMebi}, ""},
      {plan_with({"", ""}, ""), {{{"v", 600 * kMebi}}, {{"c1", kMebi}}, kMebi}, ""},
      {plan_with({""}, "0"), {{{"v", kMebi}}, {}, 0}, ""},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(exceeded_limit(c.spec, c.use).value_or(""), c.want);
  }
}

// As the scheduler counts requests.
TEST(StorageLimits, K62_InitContainersAndSidecarsCountForThePod) {
  PodSpecView spec = plan_with({"1Mi", "1Mi"}, "");
  const auto add_init = [&spec](const std::string& name, const std::string& limit, bool sidecar) {
    ContainerSpecView& container = spec.init_containers.emplace_back();
    container.name = name;
    container.storage_limit = limit;
    container.sidecar = sidecar;
  };
  const auto message = [&spec](uint64_t bytes) {
    StorageUse use;
    use.empty_dirs["v"] = bytes;
    return exceeded_limit(spec, use).value_or("");
  };
  const std::string text =
      "Pod ephemeral local storage usage exceeds the total limit of containers ";
  add_init("proxy", "1Mi", true);
  EXPECT_EQ(message(3 * kMebi), "");
  EXPECT_EQ(message(3 * kMebi + 1), text + "3Mi. ");
  add_init("fetch", "9Mi", false);
  EXPECT_EQ(message(10 * kMebi), "") << "the sidecar before it counts with it";
  EXPECT_EQ(message(10 * kMebi + 1), text + "10Mi. ");
  add_init("late", "7Mi", true);
  EXPECT_EQ(message(10 * kMebi), "") << "two containers and two sidecars";
  add_init("later", "8Mi", true);
  EXPECT_EQ(message(18 * kMebi), "");
  EXPECT_EQ(message(18 * kMebi + 1), text + "18Mi. ");
  spec = plan_with({""}, "");
  add_init("fetch", "2Mi", false);
  EXPECT_EQ(message(2 * kMebi + 1), text + "2Mi. ");
}

TEST(StorageLimits, OnlyPodsWithLimitsAreMeasured) {
  EXPECT_FALSE(has_storage_limits(plan_with({"", ""}, "")));
  EXPECT_TRUE(has_storage_limits(plan_with({"", "1Gi"}, "")));
  EXPECT_TRUE(has_storage_limits(plan_with({""}, "1Gi")));
}

}  // namespace
}  // namespace windlass::node
