#include "node/shutdown/shutdown_manager.h"

#include <utility>

namespace windlass::node {

ShutdownManager::ShutdownManager(Host host, const AgentConfig& config)
    : host_(std::move(host)),
      groups_({host_.env.executor, host_.pods, host_.stop}, config.shutdown),
      mark_(host_.env.files, config.data_dir) {}

void ShutdownManager::load() {
  earlier_ = mark_.read();
}

void ShutdownManager::begin() {
  begun_ = true;
  clear_old_mark();
  decide();
}

void ShutdownManager::set_ordered(bool ordered) {
  ordered_ = ordered;
  decide();
}

void ShutdownManager::set_machine_down(bool down) {
  if (down && !machine_down_) {
    warn_if_failed(mark_.set(host_.env.clock.now()));
  } else if (!down) {
    warn_if_failed(mark_.clear());
  }
  machine_down_ = down;
  decide();
}

// K-71, K-72.
void ShutdownManager::decide() {
  const bool wanted = ordered_ || machine_down_;
  if (!begun_ || wanted == groups_.active()) {
    return;
  }
  if (wanted) {
    host_.emit_event("Shutdown manager detected shutdown event");
    groups_.begin();
  } else {
    groups_.cancel();
    host_.emit_event("Shutdown manager detected shutdown cancellation");
  }
  host_.on_change();
}

bool ShutdownManager::claims(const std::string& uid, const PodRuns& runs) {
  const bool ends = earlier_ && ended_by_shutdown(runs, *earlier_);
  if (ends) {
    ended_earlier_.insert(uid);
  }
  return ends;
}

void ShutdownManager::pod_done(const std::string& uid) {
  ended_earlier_.erase(uid);
  clear_old_mark();
  groups_.look_again();
}

void ShutdownManager::all_done() {
  if (machine_down_) {
    warn_if_failed(mark_.clear());
  }
}

// Once the API has the ends of all pods that it explains.
void ShutdownManager::clear_old_mark() {
  if (earlier_ && begun_ && ended_earlier_.empty() && !machine_down_) {
    earlier_.reset();
    warn_if_failed(mark_.clear());
  }
}

void ShutdownManager::warn_if_failed(const Result<void>& marked) {
  if (!marked) {
    host_.env.log.warning("recording the node's shutdown in its data directory failed",
                          {{"error", marked.error().message}});
  }
}

}  // namespace windlass::node
