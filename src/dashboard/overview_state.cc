#include "dashboard/overview_state.h"

#include <limits>
#include <string_view>

#include "api/codec/wire_time.h"
#include "base/index_set.h"
#include "base/json_writer.h"
#include "explain/explain.h"
#include "explain/headline.h"
#include "schema/batch/v1/job.pb.h"
#include "schema/core/v1/node.pb.h"

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

// Pods are not looked at: the page of a Job is for that.
std::string job_row(const api::ObjectPtr& object, Time now) {
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
  json.close_object();
  return text;
}

std::string node_row(const api::ObjectPtr& object) {
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
  json.close_object();
  return text;
}

}  // namespace

bool OverviewState::replace(Rows& rows, const std::string& kind, const std::string& key,
                            std::string json) {
  if (json.empty()) {
    gone_.emplace_back(version_ + 1, kind + "/" + key);
    return rows.erase(key) > 0;
  }
  Row& row = rows[key];
  if (row.json == json) {
    return false;
  }
  row = {std::move(json), version_ + 1};
  return true;
}

void OverviewState::update(const Changes& changes) {
  bool changed = version_ == 0;
  now_ = changes.now;
  for (const auto& [key, job] : changes.jobs) {
    changed = replace(jobs_, "job", key, job ? job_row(job, now_) : "") || changed;
  }
  for (const auto& [key, node] : changes.nodes) {
    changed = replace(nodes_, "node", key, node ? node_row(node) : "") || changed;
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
