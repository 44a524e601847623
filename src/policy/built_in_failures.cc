#include <algorithm>
#include <set>

#include "policy/failure.h"

namespace windlass::policy {
namespace {

using Cause = Failure::Cause;

// A policy may name 20 times 255 codes; a table of them all is of no help.
constexpr size_t kMaxNamedCodes = 1000;

Failure exit_of(const std::string& container, int32_t code, Cause cause = Cause::exit) {
  Failure failure;
  failure.cause = cause;
  failure.container = container;
  failure.exit_code = code;
  return failure;
}

Failure of_cause(Cause cause, std::optional<int32_t> code) {
  Failure failure;
  failure.cause = cause;
  failure.exit_code = code;
  return failure;
}

bool applies_to(const engine::FailureRule& rule, const std::string& container) {
  return rule.on_exit_codes &&
         (!rule.on_exit_codes->container_name || *rule.on_exit_codes->container_name == container);
}

// The codes that rules for this container name. Exit code 0 is no failure (job-controller.md 6.6).
std::set<int32_t> named_codes(const Subject& subject, const std::string& container) {
  std::set<int32_t> codes;
  for (const engine::FailureRule& rule : subject.rules()) {
    if (applies_to(rule, container)) {
      codes.insert(rule.on_exit_codes->values.begin(), rule.on_exit_codes->values.end());
    }
  }
  codes.erase(0);
  return codes;
}

int32_t other_code(const std::set<int32_t>& named) {
  int32_t code = 1;
  while (named.contains(code)) {
    ++code;
  }
  return code;
}

void add_exits(const Subject& subject, const std::string& container, std::vector<Failure>& out) {
  const std::set<int32_t> named = named_codes(subject, container);
  size_t count = 0;
  for (const int32_t code : named) {
    if (count++ < kMaxNamedCodes) {
      out.push_back(exit_of(container, code));
    }
  }
  Failure other = exit_of(container, other_code(named));
  other.other_code = !named.empty();
  out.push_back(other);
  out.push_back(exit_of(container, kSigtermCode, Cause::signal));
  out.push_back(exit_of(container, kSigkillCode, Cause::signal));
  out.push_back(exit_of(container, kSigkillCode, Cause::oom_killed));
}

// A sidecar is stopped when the pod is over, and its exit code is there for the rules to see.
void add_sidecars(const Subject& subject, std::vector<Failure>& out) {
  const auto sidecar = std::find_if(subject.containers.begin(), subject.containers.end(),
                                    [](const ContainerInfo& info) { return info.sidecar; });
  if (sidecar == subject.containers.end()) {
    return;
  }
  const std::string& first = subject.containers.front().name;
  const std::set<int32_t> named = named_codes(subject, first);
  Failure failure = exit_of(first, named.empty() ? 1 : *named.begin());
  if (restarts_in_place(failure, subject)) {
    return;
  }
  failure.sidecar = sidecar->name;
  out.push_back(failure);
}

void add_conditions(const Subject& subject, std::vector<Failure>& out) {
  std::set<std::pair<std::string, engine::ConditionStatus>> seen = {
      {std::string(kDisruptionTarget), engine::ConditionStatus::is_true}};
  for (const engine::FailureRule& rule : subject.rules()) {
    for (const engine::ConditionPattern& pattern : rule.on_pod_conditions) {
      if (!rule.on_exit_codes && seen.insert({pattern.type, pattern.status}).second) {
        Failure failure = of_cause(Cause::condition, 1);
        failure.conditions.push_back(pattern);
        out.push_back(failure);
      }
    }
  }
}

}  // namespace

std::vector<Failure> built_in_failures(const Subject& subject) {
  std::vector<Failure> failures;
  for (const ContainerInfo& container : subject.containers) {
    if (!container.sidecar) {
      add_exits(subject, container.name, failures);
    }
  }
  add_sidecars(subject, failures);
  for (const Cause cause : {Cause::preemption, Cause::api_eviction, Cause::taint,
                            Cause::node_shutdown, Cause::node_pressure}) {
    // What a process that heeds SIGTERM ends with, and one that does not.
    failures.push_back(of_cause(cause, kSigkillCode));
    failures.push_back(of_cause(cause, kSigtermCode));
  }
  failures.push_back(of_cause(Cause::node_lost, std::nullopt));
  failures.push_back(of_cause(Cause::api_eviction, 0));
  failures.push_back(of_cause(Cause::deleted, kSigkillCode));
  failures.push_back(of_cause(Cause::deleted, kSigtermCode));
  failures.push_back(of_cause(Cause::deleted_while_pending, std::nullopt));
  failures.push_back(of_cause(Cause::admission, std::nullopt));
  failures.push_back(of_cause(Cause::storage_limit, kSigkillCode));
  add_conditions(subject, failures);
  return failures;
}

}  // namespace windlass::policy
