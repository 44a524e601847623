#include "cli/output/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/utf8.h"

namespace windlass::cli {
namespace {

// The length of the first word; of a word longer than `most`, up to a comma where it has one.
size_t piece_length(std::string_view text, size_t most) {
  const size_t word = std::min(text.find(' '), text.size());
  const size_t comma = text.substr(0, std::min(word, most)).rfind(',');
  return word <= most || comma == std::string_view::npos ? word : comma + 1;
}

constexpr std::string_view kEscape = "\x1b[";
constexpr std::string_view kPlain = "\x1b[0m";
// The first of the scripts whose characters are wide.
constexpr char32_t kFirstWide = 0x1100;

// The bytes and columns of what is at `at`: a colour, or one character.
struct Piece {
  size_t bytes = 0;
  size_t columns = 0;
};

Piece piece_at(std::string_view text, size_t at) {
  if (text.substr(at).starts_with(kEscape)) {
    const size_t end = text.find('m', at);
    return {end == std::string_view::npos ? text.size() - at : end + 1 - at, 0};
  }
  const Utf8Character character = decode_utf8(text, at);
  const size_t columns = character.value < kFirstWide ? 1 : 2;
  return {std::max<size_t>(character.length, 1), columns};
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

std::string grouped(int64_t number) {
  std::string text = fmt::format("{}", number);
  for (size_t at = text.size(); at > 3 && text[at - 4] != '-';) {
    at -= 3;
    text.insert(at, ",");
  }
  return text;
}

std::string coloured(Colour colour, std::string_view text) {
  constexpr std::array<int, 3> kCodes = {32, 33, 31};  // as in Colour
  return fmt::format("{}{}m{}{}", kEscape, kCodes[static_cast<size_t>(colour)], text, kPlain);
}

size_t shown_columns(std::string_view text) {
  size_t columns = 0;
  for (size_t at = 0; at < text.size();) {
    const Piece piece = piece_at(text, at);
    at += piece.bytes;
    columns += piece.columns;
  }
  return columns;
}

std::string cut_to_columns(std::string_view text, size_t columns) {
  bool has_colour = false;
  for (size_t at = 0; at < text.size();) {
    const Piece piece = piece_at(text, at);
    if (piece.columns > columns) {
      return std::string(text.substr(0, at)) + std::string(has_colour ? kPlain : "");
    }
    has_colour = has_colour || piece.columns == 0;
    columns -= piece.columns;
    at += piece.bytes;
  }
  return std::string(text);
}

}  // namespace windlass::cli
