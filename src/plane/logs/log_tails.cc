#include "plane/logs/log_tails.h"

#include <utility>

#include "node/pod/pod_files.h"
#include "schema/core/v1/pod.pb.h"

namespace windlass::plane {
namespace {

using api::core::v1::Pod;

// Of the run that ended last.
int last_run(const Pod& pod, const std::string& container) {
  for (const auto* statuses :
       {&pod.status().container_statuses(), &pod.status().init_container_statuses()}) {
    for (const auto& status : *statuses) {
      if (status.name() == container) {
        return status.state().has_running() ? status.restart_count() - 1 : status.restart_count();
      }
    }
  }
  return 0;
}

}  // namespace

evidence::ReadLogTail local_log_tails(
    env::Files& files, env::Log& log,
    std::function<std::optional<std::string>(const std::string& node)> find_node) {
  return [&files, &log, find_node = std::move(find_node)](
             const api::ObjectPtr& object, const std::string& container, size_t bytes,
             const std::function<void(std::optional<evidence::LogTail>)>& done) {
    const auto& pod = static_cast<const Pod&>(*object);
    const auto directory = find_node(pod.spec().node_name());
    if (!directory) {
      return done(std::nullopt);
    }
    const node::PodFiles pod_files(files, log, *directory, pod.metadata().namespace_(),
                                   pod.metadata().name(), pod.metadata().uid());
    node::PodFiles::LogEnd end = pod_files.log_tail(container, last_run(pod, container), bytes);
    done(evidence::LogTail{std::move(end.text), end.truncated, ""});
  };
}

}  // namespace windlass::plane
