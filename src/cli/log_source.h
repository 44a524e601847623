// The text of one run's log for `kubectl logs`: which attempt a request means, and which of its
// lines. Pure but for reading files.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "apiserver/rest/hooks.h"
#include "base/result.h"
#include "base/time.h"
#include "env/files.h"

namespace windlass::cli {

// More than a log file has before it is moved away.
inline constexpr size_t kMaxLogFileBytes = 16 * 1024 * 1024;

// The files that a run's log was moved to when it was full, oldest first.
std::string read_rotated_logs(env::Files& files, const std::string& path);

// The restart count of the run that is asked for, or why there is none (P102).
Result<int> chosen_attempt(const apiserver::LogRequest& request);

// The run is over, as far as this pod's status says.
bool run_is_over(const api::core::v1::Pod& pod, const std::string& container, int attempt);

// Turns lines of a log into what the client gets: no lines before `since`, with their time if that
// is wanted, without the rest of the format.
class LogText {
 public:
  LogText(const apiserver::LogRequest& request, Time now);

  // Whole lines of `log`; what is left of it starts a line that is not complete.
  std::string take(std::string_view& log);

 private:
  bool timestamps_;
  std::optional<Time> since_;
  bool continues_ = false;
};

}  // namespace windlass::cli
