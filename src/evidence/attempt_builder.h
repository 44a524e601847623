// An Attempt of the ledger, made from a pod that has ended and from what the engine judged of it.
// Whatever the pod holds, the record stays within the limits below. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "controllers/job/attempt_keeper.h"
#include "evidence/redactor.h"

namespace windlass::api::ledger::v1 {
class Attempt;
}

namespace windlass::evidence {

inline constexpr size_t kMaxContainers = 100;     // the one whose end decided is always among them
inline constexpr size_t kMaxResources = 16;       // of one container
inline constexpr size_t kMaxMessageBytes = 4096;  // as a node limits a termination message
inline constexpr size_t kMaxMessagesBytes = 32 * 1024;  // of all containers together
inline constexpr size_t kMaxNameBytes = 512;

// The end of a container's log, as it was read.
struct LogTail {
  std::string text = {};
  bool truncated = false;
  std::string error = {};  // why it could not be read
};

// What a container used, according to its node.
struct ContainerUsage {
  std::optional<int64_t> peak_memory_bytes = {};
  std::optional<int64_t> cpu_microseconds = {};
};
using FindUsage = std::function<std::optional<ContainerUsage>(const std::string& pod_uid,
                                                              const std::string& container)>;

// What is known besides the pod.
struct AttemptEvidence {
  int32_t number = 1;               // of the attempt
  std::optional<LogTail> log = {};  // none: the node keeps no logs, or no container decided
  size_t log_bytes = 0;             // at most of the tail
  Redactor redactor = {};
  // Why text that containers wrote is left out; empty: it is not.
  std::string withheld = {};
};

std::shared_ptr<const api::ledger::v1::Attempt> build_attempt(
    const controllers::job::AttemptEnd& end, const AttemptEvidence& evidence,
    const FindUsage& find_usage = {});

// Whether the pod has text that a container may have written.
bool has_messages(const api::Message& pod);

}  // namespace windlass::evidence
