#include "cli/output/deduplicator.h"

#include <algorithm>

#include "base/utf8.h"

namespace windlass::cli {

bool Deduplicator::is_new(std::string_view text) {
  const bool known = std::any_of(texts_.begin(), texts_.end(), [text](const std::string& before) {
    return before.find(text) != std::string::npos;
  });
  if (known || texts_.size() >= kMaxTexts) {
    return false;
  }
  texts_.emplace_back(text);
  return true;
}

std::string as_one_line(std::string_view text) {
  const std::string line = one_line(text);
  return line.size() <= kMaxWarningLength ? line : readable(line, kMaxWarningLength) + "...";
}

}  // namespace windlass::cli
