#include "cli/logs/failure_logs.h"

#include "cli/logs/log_follower.h"
#include "cli/output/terminal_text.h"

namespace windlass::cli {

void FailureLogs::on_container_ended(const node::ContainerLog& log, int exit_code) {
  if (exit_code == 0) {
    return;
  }
  std::string text = last_log_lines(files_, log.path, kLines);
  if (texts_.insert_or_assign(log.pod_uid, std::move(text)).second) {
    order_.push_back(log.pod_uid);
  }
  if (order_.size() > kMaxKept) {
    texts_.erase(order_.front());
    order_.pop_front();
  }
}

std::vector<std::string> FailureLogs::lines_of(const std::string& pod_uid) const {
  std::vector<std::string> lines;
  const auto found = texts_.find(pod_uid);
  std::string_view rest = found == texts_.end() ? "" : std::string_view(found->second);
  while (!rest.empty()) {
    const size_t end = rest.find('\n');
    if (std::string line = terminal_line(rest.substr(0, end)); !line.empty()) {
      lines.push_back(std::move(line));
    }
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  }
  return lines;
}

}  // namespace windlass::cli
