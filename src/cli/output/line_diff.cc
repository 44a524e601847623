#include "cli/output/line_diff.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace windlass::cli {
namespace {

constexpr size_t kContextLines = 3;
// Beyond so many pairs of lines all that differs is one change.
constexpr size_t kMaxPairs = 4'000'000;

using TextLines = std::vector<std::string_view>;

TextLines split(std::string_view text) {
  TextLines lines;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

struct DiffLine {
  char sign = ' ';
  std::string_view text;
};

// By the longest common subsequence of the lines.
std::vector<DiffLine> compare(const TextLines& before, const TextLines& after) {
  const size_t columns = after.size() + 1;
  const bool too_many = (before.size() + 1) * columns > kMaxPairs;
  // The length of that of the rests from (i, j) on.
  std::vector<uint32_t> common(too_many ? 0 : (before.size() + 1) * columns, 0);
  for (size_t i = before.size(); !too_many && i-- > 0;) {
    for (size_t j = after.size(); j-- > 0;) {
      common[i * columns + j] = before[i] == after[j] ? common[(i + 1) * columns + j + 1] + 1
                                                      : std::max(common[(i + 1) * columns + j],
                                                                 common[i * columns + j + 1]);
    }
  }
  std::vector<DiffLine> lines;
  size_t i = 0;
  size_t j = 0;
  while (i < before.size() || j < after.size()) {
    if (!too_many && i < before.size() && j < after.size() && before[i] == after[j]) {
      lines.push_back({' ', before[i++]});
      ++j;
    } else if (i < before.size() &&
               (too_many || j == after.size() ||
                common[(i + 1) * columns + j] >= common[i * columns + j + 1])) {
      lines.push_back({'-', before[i++]});
    } else {
      lines.push_back({'+', after[j++]});
    }
  }
  return lines;
}

// Whether a change is no more than kContextLines away.
std::vector<bool> near_changes(const std::vector<DiffLine>& lines) {
  std::vector<bool> near(lines.size(), false);
  for (size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].sign != ' ') {
      const size_t first = i - std::min(i, kContextLines);
      const size_t last = std::min(i + kContextLines, lines.size() - 1);
      std::fill(near.begin() + static_cast<std::ptrdiff_t>(first),
                near.begin() + static_cast<std::ptrdiff_t>(last) + 1, true);
    }
  }
  return near;
}

}  // namespace

std::string line_diff(std::string_view before, std::string_view after, size_t most) {
  if (before == after) {
    return "";
  }
  const std::vector<DiffLine> lines = compare(split(before), split(after));
  const std::vector<bool> shown = near_changes(lines);
  std::vector<std::string> out;
  for (size_t i = 0; i < lines.size(); ++i) {
    if (shown[i]) {
      out.push_back(fmt::format("{} {}", lines[i].sign, lines[i].text));
    } else if (i > 0 && shown[i - 1]) {
      out.emplace_back("  ...");
    }
  }
  if (out.size() > most) {
    const size_t left = out.size() - most;
    out.resize(most);
    out.push_back(fmt::format("... and {} more lines", left));
  }
  return fmt::format("{}\n", fmt::join(out, "\n"));
}

}  // namespace windlass::cli
