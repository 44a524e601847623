#include "node/shutdown/shutdown_mark.h"

#include <algorithm>

namespace windlass::node {
namespace {

constexpr unsigned kMode = 0600;
constexpr size_t kMaxBytes = 100;

}  // namespace

Result<void> ShutdownMark::set(Time since) {
  return files_.write(path_, format_rfc3339_nano(since), kMode);
}

Result<void> ShutdownMark::clear() {
  return files_.remove_tree(path_);
}

std::optional<Time> ShutdownMark::read() const {
  const auto text = files_.read(path_, kMaxBytes);
  const auto since = text ? parse_rfc3339(*text) : Result<Time>(fail(text.error()));
  return since ? std::optional(*since) : std::nullopt;
}

bool ended_by_shutdown(const PodRuns& runs, Time since) {
  return std::any_of(runs.begin(), runs.end(), [since](const auto& container) {
    const env::ContainerRunInfo& newest = container.second.rbegin()->second;
    return !newest.over() || (newest.state == env::ContainerRunInfo::State::ended &&
                              (newest.exit.lost || newest.exit.finished_at >= since));
  });
}

}  // namespace windlass::node
