#include "ledger/causes/cause_key.h"

#include <fmt/format.h>
#include <string.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <span>

#include "base/plain_line.h"
#include "ledger/causes/line_pattern.h"
#include "ledger/causes/telling_line.h"
#include "schema/ledger/v1/attempt.pb.h"

namespace windlass::ledger {
namespace {

using api::ledger::v1::Attempt;
using api::ledger::v1::AttemptContainer;

constexpr std::string_view kOutOfMemory = "OOMKilled";
constexpr std::string_view kByNode = "TerminationByKubelet";
// What a shell and container runtimes add to the number of a signal.
constexpr int32_t kSignalBase = 128;
constexpr int32_t kLastSignal = 31;
constexpr size_t kMaxReasonBytes = 60;

bool is_one_of_words(std::string_view text, std::span<const std::string_view> words) {
  return std::find(words.begin(), words.end(), text) != words.end();
}

bool has_own_reason(const AttemptContainer& container) {
  constexpr auto kPlain = std::to_array<std::string_view>(
      {"", "Error", "Completed", kOutOfMemory, "ContainerCreating", "PodInitializing"});
  return !is_one_of_words(container.reason(), kPlain);
}

bool ended_badly(const AttemptContainer& container) {
  return container.exit_code() != 0 || container.signal() != 0;
}

// The one that the record names; else the first that ended badly, app containers before init
// containers; else the first that never ran and says why.
const AttemptContainer* deciding_container(const Attempt& attempt) {
  const auto first = [&attempt](auto fits) -> const AttemptContainer* {
    const auto& all = attempt.containers();
    const auto found = std::find_if(all.begin(), all.end(), fits);
    return found == all.end() ? nullptr : &*found;
  };
  if (!attempt.deciding_container().empty()) {
    return first([&attempt](const AttemptContainer& container) {
      return container.name() == attempt.deciding_container();
    });
  }
  const AttemptContainer* found = first([](const AttemptContainer& container) {
    return !container.init() && ended_badly(container);
  });
  found = found == nullptr ? first(ended_badly) : found;
  return found != nullptr ? found : first([](const AttemptContainer& container) {
    return !container.has_exit_code() && has_own_reason(container);
  });
}

// The signal that ended it, also where only the exit code tells.
int32_t signal_of(std::optional<int32_t> exit_code, int32_t signal) {
  const int32_t coded = exit_code.value_or(0) - kSignalBase;
  return signal == 0 && coded > 0 && coded <= kLastSignal ? coded : signal;
}

// Sent from outside: where the program was at that time says nothing.
bool is_from_outside(int32_t signal) {
  return signal == SIGKILL || signal == SIGTERM || signal == SIGINT || signal == SIGHUP;
}

std::string_view first_sentence(std::string_view text) {
  text = text.substr(0, text.find('\n'));
  return text.substr(0, text.find(". "));
}

EndKind end_of(const Attempt& attempt, const AttemptContainer* container) {
  if (attempt.has_disruption()) {
    return EndKind::disruption;
  }
  if (container != nullptr && (container->oom_killed() || container->reason() == kOutOfMemory)) {
    return EndKind::out_of_memory;
  }
  if (!attempt.reason().empty()) {
    return EndKind::pod_reason;
  }
  if (container != nullptr && has_own_reason(*container)) {
    return EndKind::container_reason;
  }
  if (container != nullptr && container->exit_code() != 0) {
    return EndKind::exit_code;
  }
  if (container != nullptr && container->signal() != 0) {
    return EndKind::signal;
  }
  return attempt.phase() == "Unknown" ? EndKind::vanished : EndKind::unknown;
}

std::string_view last_line(const Attempt& attempt, const AttemptContainer* container) {
  const std::string_view line = telling_line(attempt.log().tail());
  return line.empty() && container != nullptr ? telling_line(container->message()) : line;
}

// The line that tells the cause; "" where none does.
std::string_view line_of(const Attempt& attempt, const CauseKey& key,
                         const AttemptContainer* container) {
  switch (key.end) {
    case EndKind::disruption:
      return key.reason == kByNode ? first_sentence(attempt.message()) : std::string_view();
    case EndKind::pod_reason:
      return key.reason == "DeadlineExceeded" ? std::string_view()
                                              : first_sentence(attempt.message());
    case EndKind::container_reason:
      return key.reason == "ContainerStatusUnknown" ? std::string_view()
                                                    : telling_line(container->message());
    case EndKind::exit_code:
    case EndKind::signal:
      return is_from_outside(signal_of(key.exit_code, key.signal)) ? std::string_view()
                                                                   : last_line(attempt, container);
    case EndKind::out_of_memory:
    case EndKind::vanished:
    case EndKind::unknown:
      break;
  }
  return {};
}

// Objects of other servers may hold anything.
std::string printable(std::string_view text) {
  return plain_line(text, kMaxReasonBytes);
}

std::string reason_of(const Attempt& attempt, EndKind end, const AttemptContainer* container) {
  switch (end) {
    case EndKind::disruption:
      return printable(attempt.disruption().reason());
    case EndKind::pod_reason:
      return printable(attempt.reason());
    case EndKind::container_reason:
      return printable(container->reason());
    case EndKind::out_of_memory:
    case EndKind::exit_code:
    case EndKind::signal:
    case EndKind::vanished:
    case EndKind::unknown:
      break;
  }
  return "";
}

bool has_failed(const Attempt& attempt) {
  constexpr auto kFailures = std::to_array<std::string_view>({"Failed", "Ignored"});
  return attempt.has_verdict() ? is_one_of_words(attempt.verdict().counted(), kFailures)
                               : attempt.phase() == "Failed";
}

void add_rule(const Attempt& attempt, CauseKey& key) {
  const auto& verdict = attempt.verdict();
  key.ignored = verdict.counted() == "Ignored";
  if (verdict.has_rule()) {
    key.rule = verdict.rule();
    key.rule_name = printable(verdict.rule_name());
    key.action = printable(verdict.action());
  }
}

// Exit codes follow from the disruption, the deadline or the lack of memory.
void add_container(const AttemptContainer& container, CauseKey& key) {
  const bool by_itself = key.end == EndKind::exit_code || key.end == EndKind::signal;
  if (key.end != EndKind::disruption && key.end != EndKind::pod_reason) {
    key.container = printable(container.name());
  }
  if (by_itself && container.has_exit_code()) {
    key.exit_code = container.exit_code();
  }
  if (by_itself) {
    key.signal = signal_of(key.exit_code, container.signal());
  }
}

std::string disruption_words(const std::string& reason) {
  struct Words {
    std::string_view reason;
    std::string_view text;
  };
  constexpr auto kWords = std::to_array<Words>({
      {"PreemptionByScheduler", "evicted by preemption"},
      {"EvictionByEvictionAPI", "evicted through the API"},
      {"DeletionByTaintManager", "evicted by a taint of its node"},
      {"DeletionByPodGC", "deleted with its node"},
      {kByNode, "ended by its node"},
  });
  for (const Words& words : kWords) {
    if (words.reason == reason) {
      return std::string(words.text);
    }
  }
  return reason.empty() ? "disrupted" : "disrupted: " + reason;
}

// SIGSEGV, or its number.
std::string signal_words(int32_t signal) {
  const char* name = ::sigabbrev_np(signal);
  return name == nullptr ? fmt::format("signal {}", signal) : fmt::format("SIG{}", name);
}

std::string exit_words(const CauseKey& key) {
  std::string text = fmt::format("exit {}", key.exit_code.value_or(0));
  return key.signal == 0 ? text : fmt::format("{} ({})", text, signal_words(key.signal));
}

std::string end_words(const CauseKey& key) {
  switch (key.end) {
    case EndKind::disruption:
      return disruption_words(key.reason);
    case EndKind::out_of_memory:
      return std::string(kOutOfMemory);
    case EndKind::pod_reason:
    case EndKind::container_reason:
      return key.reason.empty() ? "failed for another reason" : key.reason;
    case EndKind::exit_code:
      return exit_words(key);
    case EndKind::signal:
      return "killed by " + signal_words(key.signal);
    case EndKind::vanished:
      return "gone before its end was seen";
    case EndKind::unknown:
      break;
  }
  return "failed without a reason";
}

}  // namespace

std::optional<AttemptCause> cause_of(const Attempt& attempt) {
  if (!has_failed(attempt)) {
    return std::nullopt;
  }
  AttemptCause cause;
  CauseKey& key = cause.key;
  const AttemptContainer* container = deciding_container(attempt);
  key.end = end_of(attempt, container);
  key.reason = reason_of(attempt, key.end, container);
  add_rule(attempt, key);
  if (container != nullptr) {
    add_container(*container, key);
  }
  cause.has_other_containers = attempt.containers_size() > 1;
  cause.line = line_of(attempt, key, container);
  key.line = line_pattern(cause.line, {attempt.pod_name(), attempt.node_name()});
  if (cause.line.empty()) {
    cause.line = last_line(attempt, container);
  }
  return cause;
}

std::string cause_title(const CauseKey& key, bool has_other_containers) {
  std::string title = end_words(key);
  if (!key.container.empty() && has_other_containers) {
    title += " in " + key.container;
  }
  if (key.other_lines) {
    return title + ", other lines";
  }
  if (key.line.empty()) {
    return title;
  }
  // Deleted `Deleted while pending` says it twice.
  return key.line.starts_with(title) ? key.line : fmt::format("{} `{}`", title, key.line);
}

}  // namespace windlass::ledger
