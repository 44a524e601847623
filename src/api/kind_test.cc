#include "api/kind.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>
#include <gtest/gtest.h>

#include <set>

namespace windlass::api {
namespace {

std::string joined(const std::vector<std::string_view>& words) {
  std::string text;
  for (std::string_view word : words) {
    if (!text.empty()) {
      text += ',';
    }
    text += word;
  }
  return text;
}

struct KindFact {
  const char* api_version;
  const char* kind;
  const char* plural;
  bool namespaced;
  const char* short_names;
  const char* categories;
};

TEST(Kind, EachIsRegisteredAsKubernetesHasIt) {
  const KindFact facts[] = {
      {"v1", "Binding", "bindings", true, "", ""},
      {"v1", "ConfigMap", "configmaps", true, "cm", ""},
      {"v1", "Event", "events", true, "ev", ""},
      {"v1", "Namespace", "namespaces", false, "ns", ""},
      {"v1", "Node", "nodes", false, "no", ""},
      {"v1", "Pod", "pods", true, "po", "all"},
      {"v1", "PodTemplate", "podtemplates", true, "", ""},
      {"v1", "Secret", "secrets", true, "", ""},
      {"v1", "ServiceAccount", "serviceaccounts", true, "sa", ""},
      {"v1", "Service", "services", true, "svc", "all"},
      {"events.k8s.io/v1", "Event", "events", true, "ev", ""},
      {"authentication.k8s.io/v1", "SelfSubjectReview", "selfsubjectreviews", false, "", ""},
      {"authorization.k8s.io/v1", "SelfSubjectAccessReview", "selfsubjectaccessreviews", false, "",
       ""},
      {"authorization.k8s.io/v1", "SelfSubjectRulesReview", "selfsubjectrulesreviews", false, "",
       ""},
      {"batch/v1", "Job", "jobs", true, "", "all"},
      {"policy/v1", "PodDisruptionBudget", "poddisruptionbudgets", true, "pdb", ""},
      {"scheduling.k8s.io/v1", "PriorityClass", "priorityclasses", false, "pc", ""},
      {"coordination.k8s.io/v1", "Lease", "leases", true, "", ""},
  };
  ASSERT_EQ(all_kinds().size(), std::size(facts));
  for (size_t i = 0; i < std::size(facts); ++i) {
    const KindFact& fact = facts[i];
    const Kind& kind = all_kinds()[i];
    SCOPED_TRACE(fact.kind);
    EXPECT_EQ(kind.api_version(), fact.api_version);
    EXPECT_EQ(kind.kind, fact.kind);
    EXPECT_EQ(kind.plural, fact.plural);
    EXPECT_EQ(kind.namespaced, fact.namespaced);
    EXPECT_EQ(joined(kind.short_names), fact.short_names);
    EXPECT_EQ(joined(kind.categories), fact.categories);
    EXPECT_EQ(find_kind(fact.api_version, fact.kind), &kind);
    EXPECT_EQ(find_resource(kind.group, kind.version, kind.plural), &kind);
    EXPECT_EQ(kind.make()->GetDescriptor()->name(), fact.kind);
    if (kind.list_prototype != nullptr) {
      EXPECT_EQ(kind.make_list()->GetDescriptor()->name(), std::string(fact.kind) + "List");
      EXPECT_EQ(kind.list_type_meta().kind, std::string(fact.kind) + "List");
      EXPECT_EQ(kind.list_type_meta().api_version, fact.api_version);
    }
  }
}

TEST(Kind, SingularIsTheLowerCaseKind) {
  for (const Kind& kind : all_kinds()) {
    std::string lower(kind.kind);
    for (char& c : lower) {
      c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
    EXPECT_EQ(kind.singular, lower);
  }
}

TEST(Kind, WhatIsNotThereIsNotFound) {
  EXPECT_EQ(find_kind("batch/v1", "CronJob"), nullptr);
  EXPECT_EQ(find_kind("batch/v1beta1", "Job"), nullptr);
  EXPECT_EQ(find_kind("v1", "Job"), nullptr);
  EXPECT_EQ(find_kind("v1", "job"), nullptr);
  EXPECT_EQ(find_kind("", ""), nullptr);
  EXPECT_EQ(find_kind("/v1", "Zork"), nullptr);
  EXPECT_EQ(find_resource("", "v1", "jobs"), nullptr);
  EXPECT_EQ(find_resource("batch", "v1", "job"), nullptr);
  EXPECT_EQ(find_resource("", "v1", ""), nullptr);
}

TEST(Kind, M6_DeleteOptionsComeInTheGroupOfWhatIsDeleted) {
  const Kind* options = find_kind("v1", "DeleteOptions");
  ASSERT_NE(options, nullptr);
  EXPECT_EQ(options->make()->GetDescriptor()->full_name(), "windlass.api.meta.v1.DeleteOptions");
  EXPECT_EQ(find_kind("batch/v1", "DeleteOptions"), options);
  EXPECT_EQ(find_kind("coordination.k8s.io/v1", "DeleteOptions"), options);
  EXPECT_EQ(find_kind("zork/v1", "DeleteOptions"), nullptr);
  EXPECT_TRUE(options->plural.empty());
}

TEST(Kind, P90_EvictionInBothVersions) {
  const Kind* eviction = find_kind("policy/v1", "Eviction");
  const Kind* older = find_kind("policy/v1beta1", "Eviction");
  ASSERT_NE(eviction, nullptr);
  ASSERT_NE(older, nullptr);
  EXPECT_EQ(older->prototype, eviction->prototype);
  EXPECT_EQ(older->api_version(), "policy/v1beta1");
  EXPECT_EQ(find_kind("policy/v1beta1", "PodDisruptionBudget"), nullptr);
}

TEST(Kind, AnAttemptIsReadAndNeverStored) {
  const Kind& attempt = kinds::attempt();
  ASSERT_EQ(recorded_kinds().size(), 1u);
  EXPECT_EQ(&recorded_kinds()[0], &attempt);
  EXPECT_EQ(find_resource("ledger.windlass.dev", "v1", "attempts"), &attempt);
  EXPECT_EQ(attempt.type_meta(), (TypeMeta{"ledger.windlass.dev/v1", "Attempt"}));
  EXPECT_EQ(attempt.list_type_meta().kind, "AttemptList");
  EXPECT_TRUE(attempt.namespaced);
  for (const Kind& kind : all_kinds()) {
    EXPECT_NE(&kind, &attempt) << "deletion of namespaces, the store and others walk through these";
  }
}

TEST(Kind, StatusIsKnownAndNoResource) {
  const Kind* status = find_kind("v1", "Status");
  ASSERT_NE(status, nullptr);
  EXPECT_TRUE(status->plural.empty());
  EXPECT_EQ(find_kind("batch/v1", "Status"), nullptr);
}

TEST(Kind, TheOnesWeWorkWithAreTheOnesByName) {
  EXPECT_EQ(&kinds::job(), find_kind("batch/v1", "Job"));
  EXPECT_EQ(&kinds::pod(), find_kind("v1", "Pod"));
  EXPECT_EQ(&kinds::node(), find_kind("v1", "Node"));
  EXPECT_EQ(&kinds::event(), find_kind("v1", "Event"));
  EXPECT_EQ(&kinds::lease(), find_kind("coordination.k8s.io/v1", "Lease"));
  EXPECT_EQ(&kinds::namespace_(), find_kind("v1", "Namespace"));
  EXPECT_EQ(&kinds::config_map(), find_kind("v1", "ConfigMap"));
  EXPECT_EQ(&kinds::secret(), find_kind("v1", "Secret"));
  EXPECT_EQ(kinds::job().type_meta(), (TypeMeta{"batch/v1", "Job"}));
}

}  // namespace
}  // namespace windlass::api
