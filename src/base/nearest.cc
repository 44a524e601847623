#include "base/nearest.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace windlass {
namespace {

// Names of fields and flags are shorter; longer text is not a misspelt one.
constexpr size_t kMaxLength = 100;

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool same_letters(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return lower(x) == lower(y); });
}

}  // namespace

size_t edit_distance(std::string_view a, std::string_view b, size_t limit) {
  if (a == b) {
    return 0;
  }
  if (same_letters(a, b)) {
    return std::min<size_t>(1, limit + 1);
  }
  // Optimal string alignment: three rows of the table are enough to see swapped neighbours.
  std::vector<size_t> before_previous(b.size() + 1);
  std::vector<size_t> previous(b.size() + 1);
  std::vector<size_t> current(b.size() + 1);
  std::iota(previous.begin(), previous.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    current[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t replace = previous[j - 1] + (lower(a[i - 1]) == lower(b[j - 1]) ? 0U : 1U);
      current[j] = std::min({previous[j] + 1, current[j - 1] + 1, replace});
      const bool swapped = i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
                           lower(a[i - 2]) == lower(b[j - 1]);
      if (swapped) {
        current[j] = std::min(current[j], before_previous[j - 2] + 1);
      }
    }
    std::swap(before_previous, previous);
    std::swap(previous, current);
  }
  return std::min(previous[b.size()], limit + 1);
}

std::optional<std::string_view> nearest_name(std::string_view text,
                                             std::span<const std::string_view> names) {
  if (text.size() > kMaxLength) {
    return std::nullopt;
  }
  std::optional<std::string_view> nearest;
  size_t limit = std::max<size_t>(1, text.size() / 3);
  for (const std::string_view name : names) {
    const size_t longer = std::max(name.size(), text.size());
    if (longer > kMaxLength || longer - std::min(name.size(), text.size()) > limit) {
      continue;
    }
    const size_t distance = edit_distance(text, name, limit);
    if (distance > limit) {
      continue;
    }
    nearest = name;
    if (distance == 0) {
      break;
    }
    limit = distance - 1;  // only something nearer from here on
  }
  return nearest;
}

}  // namespace windlass
