// Jobs: read_job and with_status.
#include <algorithm>

#include "api/codec/wire_time.h"
#include "api/job/job_policy.h"
#include "api/job/rule_names.h"
#include "client/object_identity.h"
#include "controllers/job/adapter.h"
#include "engine/policy/rule_budget.h"
#include "engine/state/record.h"
#include "schema/batch/v1/job.pb.h"

namespace windlass::controllers::job {

namespace {

namespace batch = api::batch::v1;

static_assert(api::kMaxTimedRuleBudget == engine::kMaxTimedBudget);
static_assert(api::kPolicyAnnotation == engine::kPolicyKey);

std::string condition_status_text(const engine::Condition& condition) {
  switch (condition.status) {
    case engine::ConditionStatus::is_true:
      return "True";
    case engine::ConditionStatus::is_false:
      return "False";
    case engine::ConditionStatus::unknown:
      return "Unknown";
    case engine::ConditionStatus::other:
      break;
  }
  return condition.other_status;
}

engine::Action read_action(const std::string& text) {
  const std::pair<const char*, engine::Action> actions[] = {
      {"FailJob", engine::Action::fail_job},
      {"FailIndex", engine::Action::fail_index},
      {"Ignore", engine::Action::ignore},
      {"Count", engine::Action::count},
  };
  for (const auto& [name, action] : actions) {
    if (text == name) {
      return action;
    }
  }
  return engine::Action::unknown;
}

engine::FailureRule read_rule(const batch::PodFailurePolicyRule& rule) {
  engine::FailureRule out;
  out.action = read_action(rule.action());
  if (rule.has_name()) {
    out.name = rule.name();
  }
  if (rule.has_on_exit_codes()) {
    const auto& codes = rule.on_exit_codes();
    engine::ExitCodes exit_codes;
    if (codes.has_container_name()) {
      exit_codes.container_name = codes.container_name();
    }
    exit_codes.op = codes.operator_() == "In"      ? engine::Operator::in
                    : codes.operator_() == "NotIn" ? engine::Operator::not_in
                                                   : engine::Operator::unknown;
    exit_codes.values.assign(codes.values().begin(), codes.values().end());
    out.on_exit_codes = std::move(exit_codes);
  }
  for (const auto& pattern : rule.on_pod_conditions()) {
    // An empty status means True: the API server fills it in, an older one may not have (6.8).
    out.on_pod_conditions.push_back(
        {pattern.type(), pattern.status().empty() ? engine::ConditionStatus::is_true
                                                  : read_condition_status(pattern.status())});
  }
  return out;
}

std::vector<engine::SuccessRule> read_success_policy(const batch::SuccessPolicy& policy) {
  std::vector<engine::SuccessRule> rules;
  for (const batch::SuccessPolicyRule& rule : policy.rules()) {
    engine::SuccessRule out;
    if (rule.has_succeeded_indexes()) {
      out.succeeded_indexes = rule.succeeded_indexes();
    }
    if (rule.has_succeeded_count()) {
      out.succeeded_count = rule.succeeded_count();
    }
    rules.push_back(std::move(out));
  }
  return rules;
}

engine::CompletionMode read_mode(const batch::JobSpec& spec) {
  if (!spec.has_completion_mode() || spec.completion_mode() == "NonIndexed") {
    return engine::CompletionMode::non_indexed;  // 0.18
  }
  return spec.completion_mode() == "Indexed" ? engine::CompletionMode::indexed
                                             : engine::CompletionMode::unknown;
}

engine::JobSpec read_spec(const batch::JobSpec& spec) {
  engine::JobSpec out;
  out.parallelism = spec.has_parallelism() ? spec.parallelism() : 1;
  if (spec.has_completions()) {
    out.completions = spec.completions();
  }
  out.mode = read_mode(spec);
  if (spec.has_backoff_limit()) {
    out.backoff_limit = spec.backoff_limit();
  }
  if (spec.has_backoff_limit_per_index()) {
    out.backoff_limit_per_index = spec.backoff_limit_per_index();
  }
  if (spec.has_max_failed_indexes()) {
    out.max_failed_indexes = spec.max_failed_indexes();
  }
  if (spec.has_active_deadline_seconds()) {
    out.active_deadline_seconds = spec.active_deadline_seconds();
  }
  out.suspend = spec.suspend();
  out.replace_only_failed = spec.pod_replacement_policy() == "Failed";
  out.restart_on_failure = spec.template_().spec().restart_policy() == "OnFailure";
  if (spec.has_pod_failure_policy()) {
    out.failure_policy.emplace();
    for (const auto& rule : spec.pod_failure_policy().rules()) {
      out.failure_policy->push_back(read_rule(rule));
    }
  }
  if (spec.has_success_policy()) {
    out.success_policy = read_success_policy(spec.success_policy());
  }
  out.managed_by = spec.managed_by();
  return out;
}

engine::RuleLimits read_limits(const api::RulePolicy& policy) {
  engine::RuleLimits limits{policy.budget, policy.window, policy.reset_on_success, std::nullopt};
  if (policy.backoff) {
    limits.backoff = {policy.backoff->base, policy.backoff->cap};
  }
  return limits;
}

// Annotation kPolicyKey: all of it, or nothing.
void read_policy(const batch::Job& job, engine::JobView& view) {
  api::FieldErrors errors;
  const api::JobPolicy policy = api::read_job_policy(job, errors);
  if (!errors.empty()) {
    view.policy_error = errors.all().front().text();
    return;
  }
  for (const auto& [rule, limits] : policy.rules) {
    (*view.spec.failure_policy)[rule].limits = read_limits(limits);
  }
}

engine::JobStatus read_status(const batch::JobStatus& status) {
  engine::JobStatus out;
  for (const batch::JobCondition& condition : status.conditions()) {
    out.conditions.push_back({condition.type(), read_condition_status(condition.status()),
                              api::time_of(condition.last_probe_time()),
                              api::time_of(condition.last_transition_time()), condition.reason(),
                              condition.message()});
    if (out.conditions.back().status == engine::ConditionStatus::other) {
      out.conditions.back().other_status = condition.status();
    }
  }
  if (status.has_start_time()) {
    out.start_time = api::time_of(status.start_time());
  }
  if (status.has_completion_time()) {
    out.completion_time = api::time_of(status.completion_time());
  }
  out.active = status.active();
  out.succeeded = status.succeeded();
  out.failed = status.failed();
  if (status.has_ready()) {
    out.ready = status.ready();
  }
  if (status.has_terminating()) {
    out.terminating = status.terminating();
  }
  out.completed_indexes = status.completed_indexes();
  if (status.has_failed_indexes()) {
    out.failed_indexes = status.failed_indexes();
  }
  if (status.has_uncounted_terminated_pods()) {
    const auto& uncounted = status.uncounted_terminated_pods();
    out.uncounted =
        engine::UncountedPods{{uncounted.succeeded().begin(), uncounted.succeeded().end()},
                              {uncounted.failed().begin(), uncounted.failed().end()}};
  }
  return out;
}

void write_conditions(const std::vector<engine::Condition>& conditions, batch::JobStatus& out) {
  for (const engine::Condition& condition : conditions) {
    batch::JobCondition& message = *out.add_conditions();
    message.set_type(condition.type);
    message.set_status(condition_status_text(condition));
    if (condition.last_probe != Time()) {
      api::set_time(*message.mutable_last_probe_time(), condition.last_probe);
    }
    if (condition.last_transition != Time()) {
      api::set_time(*message.mutable_last_transition_time(), condition.last_transition);
    }
    if (!condition.reason.empty()) {
      message.set_reason(condition.reason);
    }
    if (!condition.message.empty()) {
      message.set_message(condition.message);
    }
  }
}

// What a newer API server has put into a status, and this program does not know, goes back as it
// came.
void keep_unknown_fields(const batch::JobStatus& before, batch::JobStatus& out) {
  out.mutable_unknown_fields()->MergeFrom(before.unknown_fields());
  for (batch::JobCondition& condition : *out.mutable_conditions()) {
    for (const batch::JobCondition& old : before.conditions()) {
      if (old.type() == condition.type()) {
        condition.mutable_unknown_fields()->MergeFrom(old.unknown_fields());
        break;
      }
    }
  }
}

// Zero values are absent, except behind what Go has as a pointer (api/protobuf.h).
void write_counters(const engine::JobStatus& status, batch::JobStatus& out) {
  if (status.active != 0) {
    out.set_active(status.active);
  }
  if (status.succeeded != 0) {
    out.set_succeeded(status.succeeded);
  }
  if (status.failed != 0) {
    out.set_failed(status.failed);
  }
  if (status.ready) {
    out.set_ready(*status.ready);
  }
  if (status.terminating) {
    out.set_terminating(*status.terminating);
  }
  if (!status.completed_indexes.empty()) {
    out.set_completed_indexes(status.completed_indexes.str());
  }
  if (status.failed_indexes) {
    out.set_failed_indexes(status.failed_indexes->str());
  }
  if (status.uncounted) {
    auto& uncounted = *out.mutable_uncounted_terminated_pods();
    uncounted.mutable_succeeded()->Assign(status.uncounted->succeeded.begin(),
                                          status.uncounted->succeeded.end());
    uncounted.mutable_failed()->Assign(status.uncounted->failed.begin(),
                                       status.uncounted->failed.end());
  }
}

}  // namespace

engine::ConditionStatus read_condition_status(std::string_view text) {
  return text == "True"      ? engine::ConditionStatus::is_true
         : text == "False"   ? engine::ConditionStatus::is_false
         : text == "Unknown" ? engine::ConditionStatus::unknown
                             : engine::ConditionStatus::other;
}

engine::JobView read_job(const api::Message& message) {
  const auto& job = static_cast<const batch::Job&>(message);
  engine::JobView view;
  view.uid = job.metadata().uid();
  view.namespace_name = job.metadata().namespace_();
  view.name = job.metadata().name();
  view.rv = client::version_number(job.metadata().resource_version());
  view.generation = job.metadata().generation();
  view.deleting = job.metadata().has_deletion_timestamp();
  view.spec = read_spec(job.spec());
  if (view.spec.failure_policy) {
    // Where the API server drops the names of rules, an annotation has them.
    const api::RuleNames names = api::effective_rule_names(job);
    for (size_t i = 0; i < names.size(); ++i) {
      (*view.spec.failure_policy)[i].name = names[i];
    }
  }
  read_policy(job, view);
  view.status = read_status(job.status());
  const auto& annotations = job.metadata().annotations();
  if (const auto record = annotations.find(std::string(engine::kRecordKey));
      record != annotations.end()) {
    view.record = engine::own_record(record->second, job.metadata().uid());
  }
  if (const auto completed = annotations.find(std::string(engine::kCompletedIndexesKey));
      completed != annotations.end()) {
    view.completed_at_start = completed->second;
  }
  return view;
}

std::unique_ptr<api::Message> with_status(const api::Message& message,
                                          const engine::StatusWrite& write) {
  auto job = std::make_unique<batch::Job>(static_cast<const batch::Job&>(message));
  job->mutable_metadata()->set_resource_version(std::to_string(write.base_rv));
  if (write.record) {
    (*job->mutable_metadata()->mutable_annotations())[std::string(engine::kRecordKey)] =
        engine::sign_record(*write.record, job->metadata().uid());
  }
  batch::JobStatus& out = *job->mutable_status();
  const batch::JobStatus before = out;
  out.Clear();
  write_conditions(write.status.conditions, out);
  keep_unknown_fields(before, out);
  if (write.status.start_time) {
    api::set_time(*out.mutable_start_time(), *write.status.start_time);
  }
  if (write.status.completion_time) {
    api::set_time(*out.mutable_completion_time(), *write.status.completion_time);
  }
  write_counters(write.status, out);
  return job;
}

}  // namespace windlass::controllers::job
