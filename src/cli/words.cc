#include "cli/words.h"

#include <fmt/format.h>

namespace windlass::cli {

std::string pods_text(size_t count) {
  return fmt::format("{} {}", count, count == 1 ? "pod" : "pods");
}

std::string goes_text(size_t count) {
  return pods_text(count) + (count == 1 ? " goes" : " go");
}

std::string shell_word(const std::string& path) {
  const bool plain = path.find_first_not_of(
                         "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+,@") ==
                     std::string::npos;
  if (plain) {
    return path;
  }
  std::string word = "'";
  for (const char c : path) {
    word += c == '\'' ? "'\\''" : std::string(1, c);
  }
  return word + "'";
}

}  // namespace windlass::cli
