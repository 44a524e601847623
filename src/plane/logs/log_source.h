// The text of one run's log for `kubectl logs`: the attempt that a request selects, and its lines.
// Pure but for reading files.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "apiserver/rest/hooks.h"
#include "base/result.h"
#include "base/time.h"
#include "env/files.h"

namespace windlass::plane {

// Above the size at which a log file is rotated.
inline constexpr size_t kMaxLogFileBytes = 16 * 1024 * 1024;

// The rotated files of a run's log, oldest first.
std::string read_rotated_logs(env::Files& files, const std::string& path);

// The restart count of the requested run, or the error (P102).
Result<int> chosen_attempt(const apiserver::LogRequest& request);

// Whether the run has ended, according to the status of this pod.
bool run_is_over(const api::core::v1::Pod& pod, const std::string& container, int attempt);

// Turns lines of a log into text for the client: drops lines before `since`, keeps their time if
// the request asks for it, and removes the rest of the CRI format.
class LogText {
 public:
  LogText(const apiserver::LogRequest& request, Time now);

  // Whole lines of `log`; leaves the beginning of an incomplete line in it.
  std::string take(std::string_view& log);

 private:
  bool timestamps_;
  std::optional<Time> since_;
  bool continues_ = false;
};

}  // namespace windlass::plane
