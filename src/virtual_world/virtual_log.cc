#include "virtual_world/virtual_log.h"

#include <algorithm>

#include "env/log.h"

namespace windlass::virtual_world {

void VirtualLog::write(env::LogLevel level, std::string_view message,
                       std::initializer_list<env::LogField> fields) {
  std::string line(env::name_of(level));
  line += ' ';
  line += env::format_log_line(message, fields);
  if (lines_.size() == kMaxLines) {
    lines_.pop_front();
  }
  lines_.push_back(std::move(line));
  if (observer_) {
    observer_(lines_.back());
  }
}

bool VirtualLog::contains(std::string_view text) const {
  return std::any_of(lines_.begin(), lines_.end(),
                     [&](const std::string& line) { return line.find(text) != std::string::npos; });
}

}  // namespace windlass::virtual_world
