#include "dashboard/overview_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string_view>

#include "api/codec/wire_time.h"
#include "base/index_set.h"
#include "base/json_writer.h"
#include "client/object_identity.h"
#include "explain/explain.h"
#include "explain/headline.h"
#include "schema/batch/v1/job.pb.h"
#include "schema/core/v1/node.pb.h"
#include "schema/ledger/v1/attempt.pb.h"

namespace windlass::dashboard {
namespace {

using api::batch::v1::Job;
using api::core::v1::Node;

template <class Conditions>
bool is_true(const Conditions& conditions, std::string_view type) {
  for (const auto& condition : conditions) {
    if (condition.type() == type && condition.status() == "True") {
      return true;
    }
  }
  return false;
}

std::string_view state_of(const Job& job) {
  const auto& conditions = job.status().conditions();
  if (is_true(conditions, "Complete")) {
    return "Complete";
  }
  if (is_true(conditions, "Failed")) {
    return "Failed";
  }
  if (is_true(conditions, "FailureTarget")) {
    return "Failing";
  }
  if (is_true(conditions, "SuccessCriteriaMet")) {
    return "Completing";
  }
  if (job.spec().suspend()) {
    return "Suspended";
  }
  return job.status().ready() > 0 ? "Running" : "Waiting";
}

void write_seconds(JsonWriter& json, std::string_view name, bool known,
                   const api::meta::v1::Time& time) {
  json.key(name);
  known ? json.number(time.seconds()) : json.null();
}

// The most frequent causes, and all rules that have matched a failure.
void write_failures(JsonWriter& json, const ledger::CauseGroups& groups) {
  const std::vector<const ledger::FailureCause*> causes = groups.causes();
  json.key("causes").open_list();
  for (size_t i = 0; i < std::min(causes.size(), OverviewState::kShownCauses); ++i) {
    json.open_object();
    json.member("title", causes[i]->full_title());
    json.key("count").number(causes[i]->count);
    json.close_object();
  }
  json.close_list();
  json.key("moreCauses")
      .number(static_cast<int64_t>(causes.size() -
                                   std::min(causes.size(), OverviewState::kShownCauses)));
  std::vector<std::string> rules;
  for (const ledger::FailureCause* cause : causes) {
    if (cause->key.rule) {
      rules.push_back(cause->key.rule_name.empty() ? fmt::format("rule {}", *cause->key.rule)
                                                   : cause->key.rule_name);
    }
  }
  std::sort(rules.begin(), rules.end());
  rules.erase(std::unique(rules.begin(), rules.end()), rules.end());
  json.strings("rules", rules);
}

// Pods are not looked at: the page of a Job is for that.
std::string job_row(const api::ObjectPtr& object, const ledger::CauseGroups& groups, Time now) {
  const auto job = api::object_as<Job>(object);
  const auto& spec = job->spec();
  const auto& status = job->status();
  const auto& metadata = job->metadata();
  explain::Evidence evidence;
  evidence.job = object;
  evidence.now = now;
  const explain::Explanation explanation = explain::explain(evidence);
  using State = explain::Explanation::State;
  const bool is_open = explanation.state == State::unfinished;
  const bool is_over = explanation.state == State::complete || explanation.state == State::failed;
  std::string text;
  JsonWriter json(text);
  json.open_object();
  json.member("namespace", metadata.namespace_());
  json.member("name", metadata.name());
  json.member("state", state_of(*job));
  json.member("headline", is_open ? "" : explain::headline(explanation));
  json.member("message", explanation.message);
  json.key("indexed").boolean(spec.completion_mode() == "Indexed");
  json.key("completions");
  spec.has_completions() ? json.number(spec.completions()) : json.null();
  json.key("active").number(status.active());
  json.key("ready").number(status.ready());
  json.key("succeeded").number(status.succeeded());
  json.key("failedPods").number(status.failed());
  json.key("failedIndexes");
  status.has_failed_indexes()
      ? json.number(
            IndexSet::parse_stored(status.failed_indexes(), std::numeric_limits<int32_t>::max())
                .set.size())
      : json.null();
  json.key("terminating").number(status.terminating());
  write_seconds(json, "created", metadata.has_creation_timestamp(), metadata.creation_timestamp());
  write_seconds(json, "started", status.has_start_time(), status.start_time());
  json.key("ended");
  explanation.since&& is_over ? json.number(std::chrono::duration_cast<std::chrono::seconds>(
                                                explanation.since->time_since_epoch())
                                                .count())
                              : json.null();
  write_failures(json, groups);
  json.close_object();
  return text;
}

std::string node_row(const api::ObjectPtr& object, int64_t failures) {
  const auto node = api::object_as<Node>(object);
  std::vector<std::string> pressures;
  for (const auto& condition : node->status().conditions()) {
    if (condition.status() == "True" && condition.type() != "Ready") {
      pressures.push_back(condition.type());
    }
  }
  std::string text;
  JsonWriter json(text);
  json.open_object();
  json.member("name", node->metadata().name());
  json.key("ready").boolean(is_true(node->status().conditions(), "Ready"));
  json.key("cordoned").boolean(node->spec().unschedulable());
  json.strings("troubles", pressures);
  json.key("failures").number(failures);
  json.close_object();
  return text;
}

}  // namespace

bool OverviewState::replace(Rows& rows, const std::string& kind, const std::string& key,
                            std::string json) {
  if (json.empty()) {
    const bool was_there = rows.erase(key) > 0;
    if (was_there) {
      gone_.emplace_back(version_ + 1, kind + "/" + key);
    }
    return was_there;
  }
  Row& row = rows[key];
  if (row.json == json) {
    return false;
  }
  row = {std::move(json), version_ + 1};
  return true;
}

void OverviewState::forget_job(const std::string& key, Touched& touched) {
  const auto found = known_jobs_.find(key);
  if (found == known_jobs_.end()) {
    return;
  }
  for (const ledger::FailureCause* cause : found->second.causes.causes()) {
    for (const auto& [node, failures] : cause->nodes) {
      failures_on_[node] -= cause->key.ignored ? 0 : failures;
      touched.nodes.insert(node);
    }
  }
  jobs_by_uid_.erase(found->second.uid);
  known_jobs_.erase(found);
}

void OverviewState::take_job(const std::string& key, const api::ObjectPtr& job, Touched& touched) {
  touched.jobs.insert(key);
  const std::string uid = job == nullptr ? "" : client::uid_of(*job);
  if (const auto known = known_jobs_.find(key);
      known != known_jobs_.end() && known->second.uid == uid) {
    known->second.job = job;
    return;
  }
  forget_job(key, touched);
  if (job != nullptr) {
    known_jobs_[key] = {job, uid, {}};
    jobs_by_uid_[uid] = key;
  }
}

// Those of Jobs that are gone are the ledger's alone.
void OverviewState::take_failure(const ledger::AttemptPtr& attempt, Touched& touched) {
  const auto key = jobs_by_uid_.find(attempt->job().uid());
  if (key == jobs_by_uid_.end()) {
    return;
  }
  const ledger::FailureCause* cause = known_jobs_.at(key->second).causes.add(attempt);
  if (cause == nullptr) {
    return;
  }
  touched.jobs.insert(key->second);
  if (!cause->key.ignored && !attempt->node_name().empty()) {
    ++failures_on_[attempt->node_name()];
    touched.nodes.insert(attempt->node_name());
  }
}

void OverviewState::update(const Changes& changes) {
  bool changed = version_ == 0 || has_ledger_ != changes.has_ledger;
  now_ = changes.now;
  has_ledger_ = changes.has_ledger;
  Touched touched;
  for (const auto& [key, job] : changes.jobs) {
    take_job(key, job, touched);
  }
  for (const auto& [key, node] : changes.nodes) {
    known_nodes_[key] = node;
    touched.nodes.insert(key);
  }
  for (const ledger::AttemptPtr& attempt : changes.failures) {
    take_failure(attempt, touched);
  }
  for (const std::string& key : touched.jobs) {
    const auto known = known_jobs_.find(key);
    changed = replace(jobs_, "job", key,
                      known == known_jobs_.end()
                          ? ""
                          : job_row(known->second.job, known->second.causes, now_)) ||
              changed;
  }
  for (const std::string& key : touched.nodes) {
    const auto known = known_nodes_.find(key);
    const bool is_there = known != known_nodes_.end() && known->second != nullptr;
    changed =
        replace(nodes_, "node", key, is_there ? node_row(known->second, failures_on_[key]) : "") ||
        changed;
    if (!is_there) {
      known_nodes_.erase(key);
    }
  }
  for (; gone_.size() > kMaxGone; gone_.pop_front()) {
    oldest_ = gone_.front().first;
  }
  version_ += changed ? 1 : 0;
}

std::string OverviewState::members_since(uint64_t version) const {
  const bool full = version < oldest_ || version > version_;
  const uint64_t after = full ? 0 : version;
  std::string text = full ? R"("full":true,"overview":)" : R"("full":false,"overview":)";
  JsonWriter json(text);
  json.open_object();
  json.key("now").number(
      std::chrono::duration_cast<std::chrono::seconds>(now_.time_since_epoch()).count());
  const auto write = [&](std::string_view name, const Rows& rows) {
    json.key(name).open_list();
    for (const auto& [key, row] : rows) {
      if (row.changed > after) {
        json.raw(row.json);
      }
    }
    json.close_list();
  };
  json.key("ledger").boolean(has_ledger_);
  write("jobs", jobs_);
  write("nodes", nodes_);
  json.key("gone").open_list();
  for (const auto& [when, key] : gone_) {
    if (when > after && !full) {
      json.string(key);
    }
  }
  json.close_list();
  json.close_object();
  return text;
}

}  // namespace windlass::dashboard
