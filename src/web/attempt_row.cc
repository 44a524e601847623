#include "web/attempt_row.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "api/codec/wire_time.h"
#include "controllers/job/adapter.h"
#include "explain/pod_account.h"
#include "explain/pod_attempts.h"
#include "ledger/attempt_facts.h"
#include "schema/core/v1/pod.pb.h"
#include "schema/ledger/v1/attempt.pb.h"

namespace windlass::web {
namespace {

using api::core::v1::ContainerStatus;
using api::core::v1::Pod;
using api::ledger::v1::Attempt;

char letter_of_phase(const std::string& phase) {
  if (phase == "Succeeded" || phase == "Failed" || phase == "Running" || phase == "Pending") {
    return phase[0];
  }
  return 'U';
}

char letter_of_count(const std::string& counted) {
  return counted.empty() ? '-' : counted[0];
}

// Adds to a sum that is known as soon as one part is.
void add(std::optional<int64_t>& sum, int64_t part) {
  sum = sum.value_or(0) + part;
}

void read_containers(const Attempt& attempt, AttemptRow& row) {
  for (const auto& container : attempt.containers()) {
    if (container.name() == attempt.deciding_container()) {
      row.signal = container.signal();
      row.reason = row.reason.empty() ? container.reason() : row.reason;
    }
    // Containers run side by side: the pod needs the sum.
    if (container.has_peak_memory_bytes() && !container.init()) {
      add(row.peak_memory_bytes, container.peak_memory_bytes());
    }
    if (container.has_cpu_microseconds()) {
      add(row.cpu_microseconds, container.cpu_microseconds());
    }
  }
}

AttemptRow row_of(const Attempt& attempt) {
  AttemptRow row;
  row.uid = attempt.metadata().name();
  row.pod = attempt.pod_name();
  row.node = attempt.node_name();
  if (attempt.has_index()) {
    row.index = attempt.index();
  }
  row.number = attempt.number();
  const auto time = [](bool there, const api::meta::v1::Time& at) {
    return there ? std::optional(api::time_of(at)) : std::nullopt;
  };
  row.created = time(attempt.has_created_at(), attempt.created_at());
  row.started = time(attempt.has_started_at(), attempt.started_at());
  row.ended = time(attempt.has_ended_at(), attempt.ended_at());
  row.phase = letter_of_phase(attempt.phase());
  row.exit_code = ledger::exit_code_of(attempt);
  row.reason = attempt.reason();
  if (attempt.has_disruption() && row.reason.empty()) {
    row.reason = attempt.disruption().reason();
  }
  read_containers(attempt, row);
  row.rule = attempt.verdict().has_rule() ? attempt.verdict().rule() : -1;
  row.counted = letter_of_count(attempt.verdict().counted());
  if (attempt.has_log() && attempt.log().error().empty()) {
    row.log = attempt.log().tail();
  }
  return row;
}

std::optional<Time> start_of(const ContainerStatus& status) {
  if (status.state().running().has_started_at()) {
    return api::time_of(status.state().running().started_at());
  }
  if (status.state().terminated().has_started_at()) {
    return api::time_of(status.state().terminated().started_at());
  }
  return std::nullopt;
}

void read_start(const Pod& pod, AttemptRow& row) {
  const auto read = [&](const ContainerStatus& status) {
    if (const auto start = start_of(status); start && (!row.started || *start < *row.started)) {
      row.started = start;
    }
  };
  for (const ContainerStatus& status : pod.status().container_statuses()) {
    read(status);
  }
  for (const ContainerStatus& status : pod.status().init_container_statuses()) {
    read(status);
  }
}

// Of a pod that has not ended.
AttemptRow row_of(const explain::SeenPod& seen, const Pod& pod) {
  AttemptRow row;
  row.uid = seen.view.uid;
  row.pod = seen.account.name;
  row.node = seen.account.node;
  row.index = seen.account.index;
  row.number = seen.account.attempt;
  row.created = seen.view.created;
  row.phase = letter_of_phase(seen.account.phase);
  row.terminating = seen.terminating();
  row.waits_for = seen.view.phase == engine::Phase::pending ? seen.account.text : "";
  read_start(pod, row);
  return row;
}

}  // namespace

std::vector<AttemptRow> attempt_rows(const std::vector<ledger::AttemptPtr>& attempts,
                                     const api::Message& job_message,
                                     const std::vector<api::ObjectPtr>& pods,
                                     ledger::CauseGroups& causes) {
  std::vector<AttemptRow> rows;
  std::set<std::string> recorded;
  const auto add = [&](const ledger::AttemptPtr& attempt) {
    if (recorded.insert(attempt->metadata().name()).second) {
      rows.push_back(row_of(*attempt));
      rows.back().cause = causes.add(attempt);
    }
  };
  for (const ledger::AttemptPtr& attempt : attempts) {
    add(attempt);
  }
  for (const ledger::AttemptPtr& attempt : explain::attempts_of_pods(job_message, pods)) {
    add(attempt);
  }
  std::map<std::string, const Pod*> by_uid;
  for (const api::ObjectPtr& object : pods) {
    const auto pod = api::object_as<Pod>(object);
    by_uid[pod->metadata().uid()] = pod.get();  // `pods` keeps it
  }
  for (const explain::SeenPod& seen :
       explain::account_for(controllers::job::read_job(job_message), pods, {})) {
    if (!engine::is_terminal(seen.view.phase) && !recorded.contains(seen.view.uid)) {
      rows.push_back(row_of(seen, *by_uid.at(seen.view.uid)));
    }
  }
  std::sort(rows.begin(), rows.end(), [](const AttemptRow& a, const AttemptRow& b) {
    return std::tie(a.index, a.number, a.created, a.uid) <
           std::tie(b.index, b.number, b.created, b.uid);
  });
  return rows;
}

}  // namespace windlass::web
