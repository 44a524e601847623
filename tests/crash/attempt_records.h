// What the attempt ledger of a `windlass up` has, read beside it. Stateless, any thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace windlass::crash {

struct AttemptRecord {
  std::string job = {};
  std::string phase = {};
  std::string counted = {};
  std::string reason = {};  // of the end of its first container
  std::optional<int32_t> index = {};
  std::optional<int32_t> exit_code = {};
};

// By UID of the pod; nothing when the ledger cannot be read.
std::optional<std::map<std::string, AttemptRecord>> read_attempt_records(
    const std::string& data_dir);

}  // namespace windlass::crash
