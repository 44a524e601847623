#include "api/job/rule_names.h"

#include <gtest/gtest.h>

#include "schema/batch/v1/job.pb.h"

namespace windlass::api {
namespace {

batch::v1::Job job_with_rules(const RuleNames& names, const std::string& annotation = "") {
  batch::v1::Job job;
  for (const auto& name : names) {
    auto& rule = *job.mutable_spec()->mutable_pod_failure_policy()->add_rules();
    if (name) {
      rule.set_name(*name);
    }
  }
  if (!annotation.empty()) {
    (*job.mutable_metadata()->mutable_annotations())[std::string(kFailureRuleNamesKey)] =
        annotation;
  }
  return job;
}

// KEP-4443 on an API server that drops the field.
TEST(RuleNames, ComeFromTheAnnotationWhereTheFieldIsDropped) {
  EXPECT_EQ(effective_rule_names(job_with_rules({{}, {}}, R"(["Oom",null])")),
            (RuleNames{"Oom", std::nullopt}));
  EXPECT_EQ(effective_rule_names(job_with_rules({"Own", {}}, R"(["Oom","X"])")),
            (RuleNames{"Own", std::nullopt}));
  for (const char* bad : {"", "x", "{}", R"(["a"])", R"(["a","b","c"])", R"([1,"a"])",
                          R"(["a","a"])", R"(["a b","c"])", R"(["1",null])", R"(["",null])"}) {
    EXPECT_EQ(effective_rule_names(job_with_rules({{}, {}}, bad)), (RuleNames{{}, {}})) << bad;
  }
}

}  // namespace
}  // namespace windlass::api
