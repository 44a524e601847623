// Reads the message that a Job's condition has when a rule of the failure policy ended the Job: it
// names pod, container, exit code and rule, also when the pod is long gone (job-controller.md 6.10,
// 6.11). Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace windlass::explain {

struct VerdictText {
  std::string pod;  // its name, without the namespace
  std::string container;
  std::optional<int32_t> exit_code;
  std::string condition;  // where it was one, and no exit code
  std::string action;
  int32_t rule = -1;

  bool operator==(const VerdictText&) const = default;
};

// Nothing when it is another message.
std::optional<VerdictText> parse_verdict(std::string_view message);

}  // namespace windlass::explain
