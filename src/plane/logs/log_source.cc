#include "plane/logs/log_source.h"

#include <fmt/format.h>

#include "base/time.h"
#include "node/container/cri_log.h"
#include "schema/core/v1/pod.pb.h"

namespace windlass::plane {
namespace {

using api::core::v1::ContainerStatus;
using api::core::v1::Pod;

const ContainerStatus* status_of(const Pod& pod, const std::string& container) {
  for (const auto* list :
       {&pod.status().container_statuses(), &pod.status().init_container_statuses()}) {
    for (const ContainerStatus& status : *list) {
      if (status.name() == container) {
        return &status;
      }
    }
  }
  return nullptr;
}

}  // namespace

std::string read_rotated_logs(env::Files& files, const std::string& path) {
  std::string all;
  for (int age = node::kRotatedFiles; age > 0; --age) {
    all += files.read(node::rotated_name(path, age), kMaxLogFileBytes).value_or("");
  }
  return all;
}

Result<int> chosen_attempt(const apiserver::LogRequest& request) {
  const ContainerStatus* status = status_of(*request.pod, request.container);
  const std::string& pod = request.pod->metadata().name();
  if (request.previous) {
    if (status == nullptr || !status->last_state().has_terminated()) {
      return fail(
          bad_request(fmt::format("previous terminated container \"{}\" in pod \"{}\" not "
                                  "found",
                                  request.container, pod)));
    }
    // While it waits for a restart the last run is the one before.
    return status->state().has_waiting() ? status->restart_count() : status->restart_count() - 1;
  }
  const bool started = status != nullptr &&
                       (!status->state().has_waiting() || status->last_state().has_terminated());
  if (!started) {
    const std::string reason =
        status == nullptr ? "ContainerCreating" : status->state().waiting().reason();
    return fail(bad_request(fmt::format("container \"{}\" in pod \"{}\" is waiting to start: {}",
                                        request.container, pod, reason)));
  }
  return status->restart_count();
}

bool run_is_over(const Pod& pod, const std::string& container, int attempt) {
  const ContainerStatus* status = status_of(pod, container);
  return status == nullptr || status->restart_count() > attempt || !status->state().has_running();
}

LogText::LogText(const apiserver::LogRequest& request, Time now) : timestamps_(request.timestamps) {
  if (request.since_seconds) {
    since_ = now - bounded_seconds(*request.since_seconds);
  } else {
    since_ = request.since_time;
  }
}

std::string LogText::take(std::string_view& log) {
  std::string out;
  while (const auto line = node::take_line(log)) {
    const auto parsed = node::parse_cri_line(*line);
    if (!parsed) {
      continue;
    }
    if (since_) {
      const Result<Time> time = parse_rfc3339(parsed->time);
      if (time && *time < *since_) {
        continue;
      }
    }
    if (timestamps_ && !continues_) {
      out.append(parsed->time).push_back(' ');
    }
    out.append(parsed->text);
    continues_ = !parsed->whole;
    if (parsed->whole) {
      out.push_back('\n');
    }
  }
  return out;
}

}  // namespace windlass::plane
