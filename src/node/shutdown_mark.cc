#include "node/shutdown_mark.h"

#include <algorithm>

namespace windlass::node {
namespace {

constexpr unsigned kMode = 0600;
constexpr size_t kMaxBytes = 100;

}  // namespace

void ShutdownMark::set(Time since) {
  if (const auto written = files_.write(path_, format_rfc3339_nano(since), kMode); !written) {
    log_.warning("that the node shuts down cannot be written down",
                 {{"error", written.error().message}});
  }
}

void ShutdownMark::clear() {
  if (const auto removed = files_.remove_tree(path_); !removed) {
    log_.warning("a file cannot be removed", {{"error", removed.error().message}});
  }
}

std::optional<Time> ShutdownMark::read() const {
  const auto text = files_.read(path_, kMaxBytes);
  const auto since = text ? parse_rfc3339(*text) : Result<Time>(fail(text.error()));
  return since ? std::optional(*since) : std::nullopt;
}

bool ended_by_shutdown(const PodRuns& runs, Time since) {
  return std::any_of(runs.begin(), runs.end(), [since](const auto& container) {
    const env::ContainerRunInfo& newest = container.second.rbegin()->second;
    return newest.state == env::ContainerRunInfo::State::ended &&
           (newest.exit.lost || newest.exit.finished_at >= since);
  });
}

}  // namespace windlass::node
