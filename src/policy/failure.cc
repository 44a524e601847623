#include "policy/failure.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace windlass::policy {
namespace {

using Cause = Failure::Cause;

constexpr std::array kCauses = {
    CauseInfo{Cause::exit, "", "exit", ""},
    CauseInfo{Cause::signal, "", "signal", ""},
    CauseInfo{Cause::oom_killed, "OOMKilled", "OOMKilled", ""},
    CauseInfo{Cause::storage_limit, "EphemeralStorageLimit", "over its ephemeral-storage limit",
              ""},
    CauseInfo{Cause::preemption, "PreemptionByScheduler", "preempted by the scheduler",
              "PreemptionByScheduler"},
    CauseInfo{Cause::api_eviction, "EvictionByEvictionAPI", "drained (eviction API)",
              "EvictionByEvictionAPI"},
    CauseInfo{Cause::taint, "DeletionByTaintManager", "node tainted NoExecute",
              "DeletionByTaintManager"},
    CauseInfo{Cause::node_lost, "DeletionByPodGC", "node lost", "DeletionByPodGC"},
    CauseInfo{Cause::node_shutdown, "NodeShutdown", "node shut down", "TerminationByKubelet"},
    CauseInfo{Cause::node_pressure, "NodePressure", "node under pressure", "TerminationByKubelet"},
    CauseInfo{Cause::admission, "AdmissionError", "refused by the node", ""},
    CauseInfo{Cause::deleted_while_pending, "DeletedWhilePending", "deleted while pending", ""},
    CauseInfo{Cause::deleted, "Deleted", "deleted by a user", ""},
    CauseInfo{Cause::condition, "", "condition", ""},
};

// The reason that the condition itself has stands for either of its causes: no rule can tell.
constexpr std::string_view kTerminationByKubelet = "TerminationByKubelet";

std::string exit_text(const std::string& codes) {
  return codes.empty() ? "" : ", exit " + codes;
}

std::string_view signal_name(int32_t exit_code) {
  switch (exit_code) {
    case kSigtermCode:
      return "SIGTERM";
    case kSigkillCode:
      return "SIGKILL";
    default:
      return "signal";
  }
}

std::string conditions_text(const Failure& failure) {
  std::string text;
  for (const engine::ConditionPattern& pattern : failure.conditions) {
    const char* status = pattern.status == engine::ConditionStatus::is_true    ? "True"
                         : pattern.status == engine::ConditionStatus::is_false ? "False"
                                                                               : "Unknown";
    text += fmt::format("{}condition {}={}", text.empty() ? "" : ", ", pattern.type, status);
  }
  return text;
}

// The failure with `codes` in the place of its exit code.
std::string text_with(const Failure& failure, const std::string& codes) {
  const std::string where = failure.container.empty() ? "" : " in " + failure.container;
  const std::string beside = failure.sidecar.empty()
                                 ? ""
                                 : fmt::format(", {} ends with {}", failure.sidecar, kSigtermCode);
  std::string text;
  switch (failure.cause) {
    case Cause::exit:
      text = (failure.other_code ? "any other exit code (" + codes + ")" : "exit " + codes) + where;
      break;
    case Cause::signal:
      text = fmt::format("{} ({}){}", signal_name(failure.exit_code.value_or(0)), codes, where);
      break;
    case Cause::oom_killed:
      text = fmt::format("OOMKilled ({}){}", codes, where);
      break;
    case Cause::condition:
      return conditions_text(failure) + exit_text(codes) + where;
    default:
      text = std::string(cause_info(failure.cause).text) + exit_text(codes) + where;
      break;
  }
  const std::string further = conditions_text(failure);
  return text + beside + (further.empty() ? "" : ", " + further);
}

// 40-42; 1, 2 or 7
std::string codes_text(std::vector<int32_t> codes) {
  std::sort(codes.begin(), codes.end());
  std::string text;
  for (size_t first = 0; first < codes.size();) {
    size_t last = first;
    while (last + 1 < codes.size() && codes[last + 1] == codes[last] + 1) {
      ++last;
    }
    // Two in a row read better as two.
    last = last - first < 2 ? first : last;
    text += text.empty() ? "" : last + 1 == codes.size() ? " or " : ", ";
    text += first == last ? std::to_string(codes[first])
                          : fmt::format("{}-{}", codes[first], codes[last]);
    first = last + 1;
  }
  return text;
}

}  // namespace

const CauseInfo* find_cause(std::string_view name) {
  if (name == kTerminationByKubelet) {
    return &cause_info(Cause::node_pressure);
  }
  const auto found = std::find_if(kCauses.begin(), kCauses.end(), [name](const CauseInfo& info) {
    return !info.name.empty() && info.name == name;
  });
  return found == kCauses.end() ? nullptr : &*found;
}

const CauseInfo& cause_info(Failure::Cause cause) {
  return kCauses[static_cast<size_t>(cause)];
}

std::vector<std::string_view> cause_names() {
  std::vector<std::string_view> names;
  for (const CauseInfo& info : kCauses) {
    if (!info.name.empty()) {
      names.push_back(info.name);
    }
  }
  names.push_back(kTerminationByKubelet);
  return names;
}

std::string failure_text(const Failure& failure) {
  return text_with(failure, failure.exit_code ? std::to_string(*failure.exit_code) : "");
}

std::string failures_text(const std::vector<Failure>& failures) {
  std::vector<int32_t> codes;
  for (const Failure& failure : failures) {
    if (failure.exit_code) {
      codes.push_back(*failure.exit_code);
    }
  }
  return text_with(failures.front(), codes_text(codes));
}

}  // namespace windlass::policy
