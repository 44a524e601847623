#include "cli/logs/log_keeper.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/job/job_constants.h"
#include "base/ascii.h"
#include "schema/core/v1/pod.pb.h"

namespace windlass::cli {
namespace {

using api::core::v1::Pod;

// The Job that made it; "" without one.
std::string job_of(const Pod& pod) {
  for (const auto& owner : pod.metadata().owner_references()) {
    if (owner.controller() && owner.kind() == "Job") {
      return owner.name();
    }
  }
  return "";
}

// `7.`; "" without one. A pod from a manifest may have any text there.
std::string index_part(const Pod& pod) {
  const auto& annotations = pod.metadata().annotations();
  const auto index = annotations.find(std::string(api::kCompletionIndexKey));
  const bool is_number = index != annotations.end() && !index->second.empty() &&
                         std::all_of(index->second.begin(), index->second.end(), is_digit);
  return is_number ? index->second + "." : "";
}

}  // namespace

void LogKeeper::pod_seen(const Pod& pod) {
  const std::string& uid = pod.metadata().uid();
  if (pods_.contains(uid)) {
    return;
  }
  const std::string& ns = pod.metadata().namespace_();
  const std::string job = job_of(pod);
  std::string name = ns == default_namespace_ ? "" : ns + "/";
  if (job.empty()) {
    name += pod.metadata().name();
  } else {
    name += job + "/" + index_part(pod);
    const int64_t attempt = ++attempts_[name];
    name += std::to_string(attempt);
  }
  pods_.emplace(uid, std::move(name));
}

std::string LogKeeper::name_of(const node::ContainerLog& log) const {
  const auto pod = pods_.find(log.pod_uid);
  return fmt::format("{}.{}{}.log", pod == pods_.end() ? log.pod : pod->second, log.container,
                     log.restart == 0 ? "" : fmt::format(".restart{}", log.restart));
}

void LogKeeper::log_grew(const node::ContainerLog& log, std::string_view bytes) {
  append(log, bytes);
}

void LogKeeper::log_ended(const node::ContainerLog& log, int /*exit_code*/) {
  append(log, "");
}

void LogKeeper::append(const node::ContainerLog& log, std::string_view bytes) {
  const std::string name = name_of(log);
  const Result<void> added = files_.append(name, bytes);
  if (added) {
    return;
  }
  // The first one tells enough: on a full disk there are as many as attempts.
  if (incomplete_.empty()) {
    output_.err(fmt::format("warning: log not kept: {}\n", added.error().message));
  }
  incomplete_.insert(name);
}

}  // namespace windlass::cli
