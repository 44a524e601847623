// What may change in a Job (api.md J100-J108).
#include <gtest/gtest.h>

#include "api/job/job_testing.h"

namespace windlass::api {
namespace {

using testing::created;
using testing::indexed_job;
using testing::Job;
using testing::kUid;
using testing::minimal_job;
using testing::Texts;
using testing::update_errors;

core::v1::PodSpec& pod_of(Job& job) {
  return *job.mutable_spec()->mutable_template_()->mutable_spec();
}

// One error that the field is immutable, whatever value it prints.
void expect_immutable(const Texts& errors, const std::string& field) {
  ASSERT_EQ(errors.size(), 1U) << field << (errors.empty() ? "" : ": " + errors.back());
  EXPECT_TRUE(errors[0].starts_with(field + ": Invalid value: ")) << errors[0];
  EXPECT_TRUE(errors[0].ends_with(": field is immutable")) << errors[0];
}

TEST(JobUpdate, J100_NoChangeIsFine) {
  const Job job = created(minimal_job());
  EXPECT_EQ(update_errors(job, job), Texts{});
}

TEST(JobUpdate, J100_SpecErrorsAreReportedTwice) {
  const Job old_job = created(minimal_job());
  Job job = old_job;
  job.mutable_spec()->set_parallelism(-1);
  const std::string error =
      "spec.parallelism: Invalid value: -1: must be greater than or equal to 0";
  EXPECT_EQ(update_errors(old_job, job), (Texts{error, error}));
}

TEST(JobUpdate, J100_OrderOfTheThreeSelectorErrors) {
  const Job old_job = created(minimal_job());
  Job job = old_job;
  (*job.mutable_spec()->mutable_selector()->mutable_match_labels())["a"] = "b";
  const std::string uid(kUid);
  const std::string selector =
      "{\"matchLabels\":{\"a\":\"b\",\"batch.kubernetes.io/controller-uid\":\"" + uid + "\"}}";
  const std::string no_match =
      "spec.template.metadata.labels: Invalid value: {\"batch.kubernetes.io/controller-uid\":\"" +
      uid + "\",\"batch.kubernetes.io/job-name\":\"myjob\",\"controller-uid\":\"" + uid +
      "\",\"job-name\":\"myjob\"}: `selector` does not match template `labels`";
  EXPECT_EQ(update_errors(old_job, job),
            (Texts{"spec.selector: Invalid value: " + selector + ": `selector` not auto-generated",
                   no_match, no_match,
                   "spec.selector: Invalid value: " + selector + ": field is immutable"}));
}

TEST(JobUpdate, J100_MetadataErrorsComeFirst) {
  const Job old_job = created(minimal_job());
  Job job = old_job;
  job.mutable_metadata()->set_uid("other");
  const Texts errors = update_errors(old_job, job);
  ASSERT_FALSE(errors.empty());
  EXPECT_EQ(errors[0], "metadata.uid: Invalid value: \"other\": field is immutable");
}

TEST(JobUpdate, J101_ImmutableFields) {
  Job base = indexed_job();
  auto& spec = *base.mutable_spec();
  spec.set_backoff_limit_per_index(1);
  spec.set_managed_by("acme.io/a");
  spec.mutable_success_policy()->add_rules()->set_succeeded_count(1);
  testing::add_exit_code_rule(base, "Ignore");
  const Job old_job = created(base);

  Job job = old_job;
  job.mutable_spec()->mutable_pod_failure_policy()->mutable_rules(0)->set_action("Count");
  expect_immutable(update_errors(old_job, job), "spec.podFailurePolicy");

  job = old_job;
  job.mutable_spec()->set_backoff_limit_per_index(2);
  EXPECT_EQ(update_errors(old_job, job),
            Texts{"spec.backoffLimitPerIndex: Invalid value: 2: field is immutable"});
  job.mutable_spec()->clear_backoff_limit_per_index();
  EXPECT_EQ(update_errors(old_job, job),
            Texts{"spec.backoffLimitPerIndex: Invalid value: null: field is immutable"});

  job = old_job;
  job.mutable_spec()->set_managed_by("acme.io/b");
  EXPECT_EQ(update_errors(old_job, job),
            Texts{"spec.managedBy: Invalid value: \"acme.io/b\": field is immutable"});
  job.mutable_spec()->clear_managed_by();
  EXPECT_EQ(update_errors(old_job, job),
            Texts{"spec.managedBy: Invalid value: null: field is immutable"});

  job = old_job;
  job.mutable_spec()->mutable_success_policy()->mutable_rules(0)->set_succeeded_count(2);
  EXPECT_EQ(update_errors(old_job, job),
            Texts{"spec.successPolicy: Invalid value: {\"rules\":[{\"succeededCount\":2}]}: field "
                  "is immutable"});
}

TEST(JobUpdate, J101_CompletionModeAndSelectorAndTemplate) {
  const Job old_job = created(minimal_job());
  Job job = old_job;
  job.mutable_spec()->set_completion_mode("Indexed");
  EXPECT_EQ(update_errors(old_job, job),
            Texts{"spec.completionMode: Invalid value: \"Indexed\": field is immutable"});

  job = old_job;
  pod_of(job).mutable_containers(0)->set_image("busybox:1.37");
  expect_immutable(update_errors(old_job, job), "spec.template");

  job = old_job;
  job.mutable_spec()->clear_selector();
  const Texts errors = update_errors(old_job, job);
  ASSERT_FALSE(errors.empty());
  EXPECT_EQ(errors.back(), "spec.selector: Invalid value: null: field is immutable");
}

TEST(JobUpdate, J101_AnEmptyPolicyIsNotAnAbsentOne) {
  const Job old_job = created(minimal_job());
  Job job = old_job;
  job.mutable_spec()->mutable_pod_failure_policy();
  job.mutable_spec()->set_pod_replacement_policy("Failed");
  EXPECT_EQ(update_errors(old_job, job),
            Texts{"spec.podFailurePolicy: Invalid value: {\"rules\":null}: field is immutable"});
}

TEST(JobUpdate, J102_CompletionsOfNonIndexedJobs) {
  Job base = minimal_job();
  base.mutable_spec()->set_completions(3);
  base.mutable_spec()->set_parallelism(3);
  const Job old_job = created(base);
  Job job = old_job;
  job.mutable_spec()->set_completions(4);
  job.mutable_spec()->set_parallelism(4);
  EXPECT_EQ(update_errors(old_job, job),
            Texts{"spec.completions: Invalid value: 4: field is immutable"});
  job.mutable_spec()->clear_completions();
  EXPECT_EQ(update_errors(old_job, job),
            Texts{"spec.completions: Invalid value: null: field is immutable"});
}

TEST(JobUpdate, J102_CompletionsOfIndexedJobsFollowParallelism) {
  Job base = indexed_job(3);
  base.mutable_spec()->set_parallelism(3);
  const Job old_job = created(base);
  Job job = old_job;
  job.mutable_spec()->set_completions(5);
  EXPECT_EQ(update_errors(old_job, job), Texts{"spec.completions: Invalid value: 5: can only be "
                                               "modified in tandem with spec.parallelism"});
  job.mutable_spec()->set_parallelism(5);
  EXPECT_EQ(update_errors(old_job, job), Texts{});
  job.mutable_spec()->set_completions(3);
  EXPECT_EQ(update_errors(old_job, job), Texts{});
}

TEST(JobUpdate, J103_FreelyMutable) {
  Job base = indexed_job();
  base.mutable_spec()->set_backoff_limit_per_index(1);
  const Job old_job = created(base);
  Job job = old_job;
  auto& spec = *job.mutable_spec();
  spec.set_parallelism(4);
  spec.set_suspend(true);
  spec.set_backoff_limit(2);
  spec.set_active_deadline_seconds(60);
  spec.set_ttl_seconds_after_finished(60);
  spec.set_max_failed_indexes(3);
  spec.set_pod_replacement_policy("Failed");
  spec.set_manual_selector(true);
  auto& metadata = *job.mutable_metadata();
  (*metadata.mutable_labels())["l"] = "1";
  (*metadata.mutable_annotations())["a"] = "1";
  metadata.add_finalizers("acme.io/keep");
  auto& owner = *metadata.add_owner_references();
  owner.set_api_version("v1");
  owner.set_kind("ConfigMap");
  owner.set_name("c");
  owner.set_uid("u");
  EXPECT_EQ(update_errors(old_job, job), Texts{});
  // Within J80.
  job.mutable_spec()->set_pod_replacement_policy("Never");
  EXPECT_EQ(update_errors(old_job, job).size(), 2U);
}

Job suspended_job() {
  Job job = minimal_job();
  job.mutable_spec()->set_suspend(true);
  testing::label(job, "own") = "1";
  return created(job);
}

// Changes everything that J104 lists.
Job with_directives(Job job) {
  auto& pod = pod_of(job);
  auto& term = *pod.mutable_affinity()
                    ->mutable_node_affinity()
                    ->mutable_required_during_scheduling_ignored_during_execution()
                    ->add_node_selector_terms()
                    ->add_match_expressions();
  term.set_key("zone");
  term.set_operator_("Exists");
  (*pod.mutable_node_selector())["disk"] = "ssd";
  auto& toleration = *pod.add_tolerations();
  toleration.set_key("gpu");
  toleration.set_operator_("Exists");
  pod.add_scheduling_gates()->set_name("acme.io/wait");
  testing::label(job, "own") = "2";
  auto& metadata = *job.mutable_spec()->mutable_template_()->mutable_metadata();
  (*metadata.mutable_annotations())["a"] = "b";
  return job;
}

TEST(JobUpdate, J104_SchedulingDirectivesOfASuspendedJob) {
  const Job old_job = suspended_job();
  EXPECT_EQ(update_errors(old_job, with_directives(old_job)), Texts{});
  const Job running = created(minimal_job());
  expect_immutable(update_errors(running, with_directives(running)), "spec.template");
}

TEST(JobUpdate, J104_NodeAffinityMayBeCleared) {
  Job with_affinity = with_directives(suspended_job());
  Job cleared = with_affinity;
  pod_of(cleared).clear_affinity();
  EXPECT_EQ(update_errors(with_affinity, cleared), Texts{});

  // But not together with pod affinity, which is no directive.
  auto& term = *pod_of(with_affinity)
                    .mutable_affinity()
                    ->mutable_pod_affinity()
                    ->add_required_during_scheduling_ignored_during_execution();
  term.set_topology_key("zone");
  term.mutable_label_selector();
  expect_immutable(update_errors(with_affinity, cleared), "spec.template.spec");
}

TEST(JobUpdate, J105_OnlyWhenNothingRuns) {
  struct Case {
    std::string_view name;
    bool suspend;
    bool started;
    std::string_view suspended_condition;
    int32_t active;
    bool allowed;
  };
  const Case cases[] = {
      {"never started", true, false, "", 0, true},
      {"suspended again", true, true, "True", 0, true},
      {"condition not there yet", true, true, "", 0, false},
      {"condition false", true, true, "False", 0, false},
      {"pods still active", true, true, "True", 1, false},
      {"not suspended", false, false, "", 0, false},
  };
  for (const Case& c : cases) {
    Job old_job = suspended_job();
    old_job.mutable_spec()->set_suspend(c.suspend);
    if (c.started) {
      old_job.mutable_status()->mutable_start_time()->set_seconds(1);
    }
    if (!c.suspended_condition.empty()) {
      testing::set_condition(old_job, "Suspended", c.suspended_condition);
    }
    old_job.mutable_status()->set_active(c.active);
    const Texts errors = update_errors(old_job, with_directives(old_job));
    EXPECT_EQ(errors.empty(), c.allowed) << c.name;
    if (!c.allowed) {
      expect_immutable(errors, "spec.template");
    }
  }
}

TEST(JobUpdate, J106_ResourcesOfASuspendedJob) {
  Job base = suspended_job();
  auto& setup = *pod_of(base).add_init_containers();
  setup.set_name("setup");
  setup.set_image("busybox:1.36");
  const Job old_job = created(base);
  Job job = old_job;
  auto& pod = pod_of(job);
  (*pod.mutable_containers(0)->mutable_resources()->mutable_limits())["cpu"].set_string("2");
  (*pod.mutable_init_containers(0)->mutable_resources()->mutable_limits())["cpu"].set_string("1");
  EXPECT_EQ(update_errors(old_job, job), Texts{});

  pod.mutable_containers(0)->set_image("busybox:1.37");
  expect_immutable(update_errors(old_job, job), "spec.template.spec");

  job = old_job;
  pod_of(job).mutable_containers(0)->set_name("renamed");
  expect_immutable(update_errors(old_job, job), "spec.template.spec");

  job = old_job;
  *pod_of(job).add_containers() = pod_of(job).containers(0);
  pod_of(job).mutable_containers(1)->set_name("second");
  expect_immutable(update_errors(old_job, job), "spec.template.spec");
}

TEST(JobUpdate, J106_TemplateMetadataIsNotCompared) {
  const Job old_job = suspended_job();
  Job job = old_job;
  job.mutable_spec()->mutable_template_()->mutable_metadata()->set_name("renamed");
  EXPECT_EQ(update_errors(old_job, job), Texts{});
}

TEST(JobUpdate, J107_TheOldJobDecides) {
  const Job old_job = suspended_job();
  Job job = with_directives(old_job);
  job.mutable_spec()->set_suspend(false);
  EXPECT_EQ(update_errors(old_job, job), Texts{});

  const Job running = created(minimal_job());
  Job suspending = with_directives(running);
  suspending.mutable_spec()->set_suspend(true);
  expect_immutable(update_errors(running, suspending), "spec.template");
}

TEST(JobUpdate, J108_GeneratedLabelsStay) {
  const Job old_job = suspended_job();
  for (const std::string key : {"controller-uid", "job-name", "batch.kubernetes.io/controller-uid",
                                "batch.kubernetes.io/job-name"}) {
    const std::string value = key.ends_with("uid") ? std::string(kUid) : "myjob";
    const std::string path = "spec.template.metadata.labels[" + key + "]";
    Job removed = old_job;
    removed.mutable_spec()->mutable_template_()->mutable_metadata()->mutable_labels()->erase(key);
    Texts errors = update_errors(old_job, removed);
    ASSERT_FALSE(errors.empty());
    EXPECT_EQ(errors[0], path + ": Required value: must be '" + value + "'");

    Job changed = old_job;
    testing::label(changed, key) = "other";
    errors = update_errors(old_job, changed);
    ASSERT_FALSE(errors.empty());
    EXPECT_TRUE(errors[0].starts_with(path + ": Invalid value: {")) << errors[0];
    EXPECT_TRUE(errors[0].ends_with(": must be '" + value + "'")) << errors[0];
  }
}

}  // namespace
}  // namespace windlass::api
