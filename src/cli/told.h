// What a reader has been told of one object, so that nothing is said twice: neither an event that
// repeats itself nor one that only says what a line about the object's status has said. Memory is
// bounded; what comes when it is full is not said.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace windlass::cli {

class Told {
 public:
  static constexpr size_t kMaxTexts = 32;

  // Whether to say it; remembers it then.
  [[nodiscard]] bool is_news(std::string_view text);
  // It is being said, news or not.
  void remember(std::string_view text) { static_cast<void>(is_news(text)); }

 private:
  std::vector<std::string> texts_;
};

// One line of at most kMaxWarningLength bytes, whatever a container has put into an event: a
// terminal obeys control characters.
constexpr size_t kMaxWarningLength = 1024;
std::string as_one_line(std::string_view text);

}  // namespace windlass::cli
