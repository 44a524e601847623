#include "controllers/namespaces/deletion_conditions.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/codec/wire_time.h"
#include "schema/core/v1/namespace.pb.h"

namespace windlass::controllers::namespaces {
namespace {

using api::core::v1::Namespace;
using api::core::v1::NamespaceCondition;

struct ConditionChange {
  const char* type;
  bool status;
  const char* reason;
  std::string message;
};

std::string counted(const std::map<std::string, size_t>& counts, const char* verb) {
  std::string text;
  for (const auto& [name, count] : counts) {
    text +=
        fmt::format("{}{} {} {} resource instances", text.empty() ? "" : ", ", name, verb, count);
  }
  return text;
}

ConditionChange content_failure(const Leftovers& left) {
  constexpr const char* kType = "NamespaceDeletionContentFailure";
  if (left.errors.empty()) {
    return {kType, false, "ContentDeleted",
            "All content successfully deleted, may be waiting on finalization"};
  }
  std::vector<std::string> errors = left.errors;
  std::sort(errors.begin(), errors.end());
  return {kType, true, "ContentDeletionFailed",
          fmt::format("Failed to delete all resource types, {} remaining: {}", errors.size(),
                      fmt::join(errors, ", "))};
}

ConditionChange content_remaining(const Leftovers& left) {
  constexpr const char* kType = "NamespaceContentRemaining";
  if (left.objects.empty()) {
    return {kType, false, "ContentRemoved", "All content successfully removed"};
  }
  return {kType, true, "SomeResourcesRemain",
          "Some resources are remaining: " + counted(left.objects, "has")};
}

ConditionChange finalizers_remaining(const Leftovers& left) {
  constexpr const char* kType = "NamespaceFinalizersRemaining";
  if (left.finalizers.empty()) {
    return {kType, false, "ContentHasNoFinalizers", "All content-preserving finalizers finished"};
  }
  return {
      kType, true, "SomeFinalizersRemain",
      "Some content in the namespace has finalizers remaining: " + counted(left.finalizers, "in")};
}

bool set_condition(Namespace& ns, const ConditionChange& verdict, Time now) {
  auto& conditions = *ns.mutable_status()->mutable_conditions();
  const auto found = std::ranges::find(conditions, verdict.type, &NamespaceCondition::type);
  const char* status = verdict.status ? "True" : "False";
  if (found != conditions.end() && found->status() == status && found->reason() == verdict.reason &&
      found->message() == verdict.message) {
    return false;
  }
  NamespaceCondition& condition = found == conditions.end() ? *conditions.Add() : *found;
  if (condition.status() != status) {
    api::set_time(*condition.mutable_last_transition_time(), now);
  }
  condition.set_type(verdict.type);
  condition.set_status(status);
  condition.set_reason(verdict.reason);
  condition.set_message(verdict.message);
  return true;
}

}  // namespace

bool set_deletion_conditions(Namespace& ns, const Leftovers& left, Time now) {
  // The first two cannot fail here: the kinds are part of the program.
  const ConditionChange verdicts[] = {
      {"NamespaceDeletionDiscoveryFailure", false, "ResourcesDiscovered",
       "All resources successfully discovered"},
      {"NamespaceDeletionGroupVersionParsingFailure", false, "ParsedGroupVersions",
       "All legacy kube types successfully parsed"},
      content_failure(left),
      content_remaining(left),
      finalizers_remaining(left)};
  bool changed = false;
  for (const ConditionChange& verdict : verdicts) {
    changed = set_condition(ns, verdict, now) || changed;
  }
  return changed;
}

}  // namespace windlass::controllers::namespaces
