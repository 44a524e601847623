// The selector of a Job and the labels of its pods (api.md J90-J92).
#include <gtest/gtest.h>

#include "api/job/job_testing.h"

namespace windlass::api {
namespace {

using testing::create_errors;
using testing::created;
using testing::Job;
using testing::kUid;
using testing::minimal_job;
using testing::Texts;

const std::string kNoMatch = "`selector` does not match template `labels`";

Job manual_job() {
  Job job = minimal_job();
  job.mutable_spec()->set_manual_selector(true);
  testing::label(job, "a") = "b";
  return job;
}

meta::v1::LabelSelectorRequirement& add_expression(Job& job, std::string_view key,
                                                   std::string_view op) {
  auto& expression = *job.mutable_spec()->mutable_selector()->add_match_expressions();
  expression.set_key(std::string(key));
  expression.set_operator_(std::string(op));
  return expression;
}

TEST(JobSelector, J90_AManualSelectorIsRequired) {
  Job job = manual_job();
  EXPECT_EQ(create_errors(job),
            (Texts{"spec.selector: Required value",
                   "spec.template.metadata.labels: Invalid value: {\"a\":\"b\"}: " + kNoMatch}));
  job.mutable_spec()->mutable_template_()->mutable_metadata()->clear_labels();
  EXPECT_EQ(create_errors(job),
            (Texts{"spec.selector: Required value",
                   "spec.template.metadata.labels: Invalid value: null: " + kNoMatch}));
  job.mutable_spec()->mutable_selector();
  EXPECT_EQ(create_errors(job), Texts{});  // an empty one selects everything
}

TEST(JobSelector, J90_Expressions) {
  Job good = manual_job();
  add_expression(good, "a", "In").add_values("b");
  add_expression(good, "x", "DoesNotExist");
  EXPECT_EQ(create_errors(good), Texts{});

  // A selector that cannot be read matches nothing, but that is not said, too.
  Job no_values = manual_job();
  add_expression(no_values, "a", "In");
  EXPECT_EQ(create_errors(no_values),
            Texts{"spec.selector.matchExpressions[0].values: Required value: must be specified "
                  "when `operator` is 'In' or 'NotIn'"});
  Job values = manual_job();
  add_expression(values, "a", "Exists").add_values("b");
  EXPECT_EQ(create_errors(values),
            Texts{"spec.selector.matchExpressions[0].values: Forbidden: may not be specified when "
                  "`operator` is 'Exists' or 'DoesNotExist'"});
  Job unknown = manual_job();
  add_expression(unknown, "a", "Near");
  EXPECT_EQ(create_errors(unknown),
            Texts{"spec.selector.matchExpressions[0].operator: Invalid value: \"Near\": not a "
                  "valid selector operator"});
}

TEST(JobSelector, J92_WithoutASelectorNothingIsGenerated) {
  Job job = created(minimal_job());
  job.mutable_spec()->clear_selector();
  job.mutable_spec()->mutable_template_()->mutable_metadata()->clear_labels();
  EXPECT_EQ(testing::texts(validate_job_create(job)),
            (Texts{"spec.selector: Required value",
                   "spec.template.metadata.labels: Invalid value: null: " + kNoMatch}));
}

TEST(JobSelector, J91_TheSelectorMatchesTheTemplate) {
  Job job = manual_job();
  (*job.mutable_spec()->mutable_selector()->mutable_match_labels())["a"] = "b";
  EXPECT_EQ(create_errors(job), Texts{});
  (*job.mutable_spec()->mutable_selector()->mutable_match_labels())["a"] = "c";
  EXPECT_EQ(create_errors(job),
            Texts{"spec.template.metadata.labels: Invalid value: {\"a\":\"b\"}: " + kNoMatch});
}

TEST(JobSelector, J92_GeneratedLabelsAreThere) {
  struct Case {
    std::string_view key;
    std::string_view value;
  };
  const Case cases[] = {{"controller-uid", kUid},
                        {"job-name", "myjob"},
                        {"batch.kubernetes.io/controller-uid", kUid},
                        {"batch.kubernetes.io/job-name", "myjob"}};
  for (const Case& c : cases) {
    Job job = created(minimal_job());
    job.mutable_spec()->mutable_template_()->mutable_metadata()->mutable_labels()->erase(
        std::string(c.key));
    const Texts errors = testing::texts(validate_job_create(job));
    ASSERT_FALSE(errors.empty());
    EXPECT_EQ(errors[0], "spec.template.metadata.labels[" + std::string(c.key) +
                             "]: Required value: must be '" + std::string(c.value) + "'");
    // Without the label that the selector asks for, the selector finds nothing.
    EXPECT_EQ(errors.size(), c.key == "batch.kubernetes.io/controller-uid" ? 2U : 1U);
  }
}

TEST(JobSelector, J92_GeneratedLabelsAreRight) {
  Job job = minimal_job();
  testing::label(job, "job-name") = "other";
  const std::string uid(kUid);
  EXPECT_EQ(create_errors(job),
            Texts{"spec.template.metadata.labels[job-name]: Invalid value: "
                  "{\"batch.kubernetes.io/controller-uid\":\"" +
                  uid + "\",\"batch.kubernetes.io/job-name\":\"myjob\",\"controller-uid\":\"" +
                  uid + "\",\"job-name\":\"other\"}: must be 'myjob'"});
}

TEST(JobSelector, J92_OrderOfErrors) {
  Job job = created(minimal_job());
  job.mutable_spec()->mutable_template_()->mutable_metadata()->clear_labels();
  (*job.mutable_spec()->mutable_selector()->mutable_match_labels())["a"] = "b";
  const std::string uid(kUid);
  const std::string labels = "spec.template.metadata.labels";
  EXPECT_EQ(
      testing::texts(validate_job_create(job)),
      (Texts{labels + "[controller-uid]: Required value: must be '" + uid + "'",
             labels + "[job-name]: Required value: must be 'myjob'",
             labels + "[batch.kubernetes.io/controller-uid]: Required value: must be '" + uid + "'",
             labels + "[batch.kubernetes.io/job-name]: Required value: must be 'myjob'",
             "spec.selector: Invalid value: {\"matchLabels\":{\"a\":\"b\","
             "\"batch.kubernetes.io/controller-uid\":\"" +
                 uid + "\"}}: `selector` not auto-generated",
             labels + ": Invalid value: null: " + kNoMatch}));
}

TEST(JobSelector, J92_AnyOwnMatchLabelIsRefused) {
  Job job = minimal_job();
  testing::label(job, "a") = "b";
  (*job.mutable_spec()->mutable_selector()->mutable_match_labels())["a"] = "b";
  const std::string uid(kUid);
  EXPECT_EQ(create_errors(job), Texts{"spec.selector: Invalid value: {\"matchLabels\":{\"a\":\"b\","
                                      "\"batch.kubernetes.io/controller-uid\":\"" +
                                      uid + "\"}}: `selector` not auto-generated"});
}

TEST(JobSelector, J92_WithoutAUid) {
  Job job = created(minimal_job());
  job.mutable_metadata()->clear_uid();
  const Texts errors = testing::texts(validate_job_create(job));
  ASSERT_FALSE(errors.empty());
  EXPECT_EQ(errors[0], "metadata.uid: Required value");
}

TEST(JobSelector, J92_ManualSelectorsAreNotAsked) {
  Job job = manual_job();
  (*job.mutable_spec()->mutable_selector()->mutable_match_labels())["a"] = "b";
  job.mutable_metadata()->clear_uid();
  EXPECT_EQ(create_errors(job), Texts{});
}

}  // namespace
}  // namespace windlass::api
