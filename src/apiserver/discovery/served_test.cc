#include "apiserver/discovery/served.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apiserver/discovery/discovery.h"
#include "apiserver/strategies/strategy.h"

namespace windlass::apiserver {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

TEST(Served, EveryStoredKindIsServedWithAllItsVerbs) {
  for (const api::Kind& kind : api::all_kinds()) {
    const Served* served = find_served(kind.group, kind.version, kind.plural, "");
    const Strategy* strategy = find_strategy(kind);
    if (strategy == nullptr) {
      EXPECT_EQ(served == nullptr, kind.list_prototype != nullptr) << kind.kind;
      continue;
    }
    ASSERT_NE(served, nullptr) << kind.kind;
    for (const char* verb : {"create", "delete", "get", "list", "patch", "update", "watch"}) {
      EXPECT_TRUE(served->allows(verb)) << kind.kind << " " << verb;
    }
    const Served* status = find_served(kind.group, kind.version, kind.plural, "status");
    EXPECT_EQ(status != nullptr, strategy->traits().has_status) << kind.kind;
  }
}

TEST(Served, N14_NamespacesAreNotSweptAway) {
  EXPECT_FALSE(find_served("", "v1", "namespaces", "")->allows("deletecollection"));
  EXPECT_TRUE(find_served("", "v1", "pods", "")->allows("deletecollection"));
  EXPECT_THAT(find_served("", "v1", "namespaces", "finalize")->verbs, ElementsAre("update"));
}

TEST(Served, P106_PodsHaveTheirSubresources) {
  EXPECT_THAT(find_served("", "v1", "pods", "binding")->verbs, ElementsAre("create"));
  EXPECT_THAT(find_served("", "v1", "pods", "log")->verbs, ElementsAre("get"));
  EXPECT_EQ(find_served("", "v1", "pods", "eviction")->body->group, "policy");
  EXPECT_THAT(find_served("", "v1", "pods", "exec")->verbs, ElementsAre("create", "get"));
  EXPECT_EQ(find_served("", "v1", "pods", "exec")->answer_kind(), "PodExecOptions");
  EXPECT_EQ(find_served("", "v1", "pods", "proxy"), nullptr);
}

TEST(Served, E5_EmptyResourcesAreNotDiscoverable) {
  EXPECT_NE(find_empty_resource("apps", "v1", "daemonsets"), nullptr);
  EXPECT_EQ(find_empty_resource("apps", "v1", "deployments"), nullptr);
  const Discovery discovery("127.0.0.1:1", true);
  EXPECT_THAT(discovery.groups(), Not(HasSubstr("apps")));
  EXPECT_THAT(discovery.groups(), Not(HasSubstr("apiextensions")));
  EXPECT_EQ(discovery.resources("apps", "v1"), nullptr);
}

TEST(Served, AttemptsAreOnlyReadAndOnlyWithALedger) {
  const Served* attempts = find_served("ledger.windlass.dev", "v1", "attempts", "");
  ASSERT_NE(attempts, nullptr);
  EXPECT_THAT(attempts->verbs, ElementsAre("get", "list"));
  EXPECT_EQ(find_strategy(*attempts->kind), nullptr);
  EXPECT_THAT(Discovery("", true).groups(), HasSubstr("ledger.windlass.dev"));
  EXPECT_THAT(Discovery("", false).groups(), Not(HasSubstr("ledger.windlass.dev")));
  EXPECT_EQ(served_versions(true).size(), served_versions(false).size() + 1);
}

TEST(Served, VersionsHoldEveryResourceOnce) {
  size_t resources = 0;
  for (const ServedVersion& version : served_versions(true)) {
    resources += version.resources.size();
    EXPECT_EQ(find_served_version(version.group, version.version), &version);
  }
  EXPECT_EQ(resources, all_served().size());
}

}  // namespace
}  // namespace windlass::apiserver
