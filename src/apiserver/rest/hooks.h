// What the API server leaves to others: the logs that only nodes have, the attempts of the ledger,
// the metrics of controllers.
// All are called on the core executor.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "apiserver/rest/streams/container_streams.h"
#include "apiserver/server.h"
#include "base/time.h"
#include "http/handler.h"
#include "ledger/ledger.h"

namespace windlass::api::core::v1 {
class Pod;
}

namespace windlass::apiserver {

// pods/NAME/log, checked (api.md P100-P103).
struct LogRequest {
  std::shared_ptr<const api::core::v1::Pod> pod = {};
  std::string container = {};
  bool follow = false;
  bool previous = false;
  bool timestamps = false;
  std::optional<int64_t> since_seconds = {};
  std::optional<Time> since_time = {};
  std::optional<int64_t> tail_lines = {};
  std::optional<int64_t> limit_bytes = {};
};

struct RestHooks {
  // Answers the exchange itself. Without one the node is said to be gone.
  std::function<void(LogRequest, std::shared_ptr<http::Exchange>)> read_log = {};
  // Runs commands in containers. Without one the node is said to be gone.
  OpenCommand open_command = {};
  // Where attempts are found; without it that API group is not served. It outlives the handler.
  ledger::AttemptSource* attempts = nullptr;
  // What else of the process belongs on /metrics, as text.
  std::function<std::string()> more_metrics = {};
  // What is wrong with the attempt ledger, for /readyz; "" for nothing.
  std::function<std::string()> ledger_trouble = {};
  // The settings of the process, for /configz, as JSON; "" where it tells none.
  std::string settings = {};
};

}  // namespace windlass::apiserver
