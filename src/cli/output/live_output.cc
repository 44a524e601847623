#include "cli/output/live_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cli/output/text.h"

namespace windlass::cli {

// From the end of the last line of the block to the beginning of its first. A terminal that became
// narrower has wrapped the lines: they take more rows than were drawn.
std::string LiveOutput::erased() const {
  if (lines_.empty()) {
    return "";
  }
  const size_t columns = std::max<size_t>(terminal_.columns(), 1);
  size_t rows = 0;
  for (const std::string& line : lines_) {
    rows += std::max<size_t>(1, (shown_columns(line) + columns - 1) / columns);
  }
  return rows > 1 ? fmt::format("\r\x1b[{}A\x1b[J", rows - 1) : "\r\x1b[J";
}

std::string LiveOutput::drawn() const {
  return fmt::format("{}{}", mid_line_ ? "\n" : "", fmt::join(lines_, "\n"));
}

void LiveOutput::out(std::string_view text) {
  if (lines_.empty() || text.empty()) {
    return terminal_.out(text);
  }
  // Often the same terminal: cleared before, drawn again after.
  terminal_.err(erased());
  terminal_.out(text);
  mid_line_ = !text.ends_with('\n');
  terminal_.err(drawn());
}

void LiveOutput::err(std::string_view text) {
  if (lines_.empty() || text.empty()) {
    return terminal_.err(text);
  }
  const std::string before = erased();
  mid_line_ = !text.ends_with('\n');
  terminal_.err(fmt::format("{}{}{}", before, text, drawn()));
}

void LiveOutput::abandon() {
  lines_.clear();
  mid_line_ = false;
}

void LiveOutput::show(std::vector<std::string> lines) {
  if (lines == lines_) {
    return;
  }
  const std::string before = erased();
  lines_ = std::move(lines);
  mid_line_ = false;
  terminal_.err(before + drawn());
}

}  // namespace windlass::cli
