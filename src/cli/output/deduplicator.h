// Keeps a reader from being told the same thing twice about one object: neither an event that
// repeats, nor one that only says what a line about the object's status has said. Memory is
// bounded; texts that come when it is full count as duplicates.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace windlass::cli {

class Deduplicator {
 public:
  static constexpr size_t kMaxTexts = 32;

  // True the first time, for a text that is not part of an earlier one.
  [[nodiscard]] bool is_new(std::string_view text);
  // For a text that is printed in any case.
  void remember(std::string_view text) { static_cast<void>(is_new(text)); }

 private:
  std::vector<std::string> texts_;
};

// One line of at most kMaxWarningLength bytes, whatever a container has put into an event: a
// terminal obeys control characters.
constexpr size_t kMaxWarningLength = 1024;
std::string as_one_line(std::string_view text);

}  // namespace windlass::cli
