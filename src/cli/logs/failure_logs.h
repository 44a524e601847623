// The last lines that containers wrote before they failed, until a report asks for them. Lives on
// the executor of the nodes.
#pragma once

#include <deque>
#include <map>
#include <string>
#include <vector>

#include "env/files.h"
#include "node/config.h"

namespace windlass::cli {

class FailureLogs final : public node::ContainerObserver {
 public:
  static constexpr size_t kLines = 10;
  // Of pods; the oldest go first.
  static constexpr size_t kMaxKept = 1000;

  explicit FailureLogs(env::Files& files) : files_(files) {}

  void on_container_started(const node::ContainerLog&) override {}
  void on_container_ended(const node::ContainerLog& log, int exit_code) override;

  // As terminal_line() has them, of the last container of this pod that failed; none if they are
  // not known.
  std::vector<std::string> lines_of(const std::string& pod_uid) const;

 private:
  env::Files& files_;
  std::map<std::string, std::string> texts_;  // by UID of the pod
  std::deque<std::string> order_;             // the same UIDs, oldest first
};

}  // namespace windlass::cli
