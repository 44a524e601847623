#include "cli/told.h"

#include <algorithm>

namespace windlass::cli {

bool Told::is_news(std::string_view text) {
  const bool said = std::any_of(texts_.begin(), texts_.end(), [text](const std::string& before) {
    return before.find(text) != std::string::npos;
  });
  if (said || texts_.size() >= kMaxTexts) {
    return false;
  }
  texts_.emplace_back(text);
  return true;
}

std::string as_one_line(std::string_view text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) {
    text.remove_suffix(1);
  }
  std::string line(text.substr(0, kMaxWarningLength));
  if (line.size() < text.size()) {
    // Not within a character.
    while (!line.empty() && (static_cast<unsigned char>(line.back()) & 0xC0U) == 0x80U) {
      line.pop_back();
    }
    if (!line.empty() && static_cast<unsigned char>(line.back()) >= 0x80U) {
      line.pop_back();
    }
    line += "...";
  }
  for (char& c : line) {
    const auto byte = static_cast<unsigned char>(c);
    c = byte < 0x20 || byte == 0x7F ? ' ' : c;
  }
  return line;
}

}  // namespace windlass::cli
