#include "cli/output/text.h"

#include <fmt/format.h>

#include <algorithm>

namespace windlass::cli {
namespace {

// The length of the first word; of a word longer than `most`, up to a comma where it has one.
size_t piece_length(std::string_view text, size_t most) {
  const size_t word = std::min(text.find(' '), text.size());
  const size_t comma = text.substr(0, std::min(word, most)).rfind(',');
  return word <= most || comma == std::string_view::npos ? word : comma + 1;
}

}  // namespace

std::string counted(size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string kept_pods_text(size_t pods, const std::string& data_dir) {
  return fmt::format("{} {} running. Stop {} with: windlass down --data-dir {}\n",
                     counted(pods, "pod"), pods == 1 ? "keeps" : "keep", pods == 1 ? "it" : "them",
                     shell_word(data_dir));
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

std::string wrapped(std::string_view text, size_t indent) {
  std::string lines;
  size_t column = indent;
  bool after_space = false;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, piece_length(text, kTextColumns - indent));
    if (column > indent && column + (after_space ? 1 : 0) + word.size() > kTextColumns) {
      lines += "\n" + std::string(indent, ' ');
      column = indent;
    } else if (column > indent && after_space) {
      lines += ' ';
      ++column;
    }
    lines += word;
    column += word.size();
    text.remove_prefix(word.size());
    after_space = text.starts_with(' ');
    text.remove_prefix(after_space ? 1 : 0);
  }
  return lines;
}

}  // namespace windlass::cli
