#include "node/container/cri_log.h"

#include <fmt/format.h>

#include <algorithm>

namespace windlass::node {
namespace {

std::string_view take_word(std::string_view& text) {
  const size_t space = text.find(' ');
  const std::string_view word = text.substr(0, space);
  text.remove_prefix(space == std::string_view::npos ? text.size() : space + 1);
  return word;
}

}  // namespace

std::optional<CriLine> parse_cri_line(std::string_view line) {
  CriLine parsed;
  parsed.time = take_word(line);
  const std::string_view stream = take_word(line);
  const std::string_view tag = take_word(line);
  if ((stream != "stdout" && stream != "stderr") || (tag != "F" && tag != "P")) {
    return std::nullopt;
  }
  parsed.whole = tag == "F";
  parsed.text = line;
  return parsed;
}

std::optional<std::string_view> take_line(std::string_view& text) {
  const size_t end = text.find('\n');
  if (end == std::string_view::npos) {
    return std::nullopt;
  }
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end + 1);
  return line;
}

std::string cri_text(std::string_view log) {
  std::string out;
  out.reserve(log.size());
  while (const auto line = take_line(log)) {
    const auto parsed = parse_cri_line(*line);
    out.append(parsed ? parsed->text : *line);
    if (!parsed || parsed->whole) {
      out.push_back('\n');
    }
  }
  return out;
}

std::string_view last_text(std::string_view text, size_t max_lines, size_t max_bytes) {
  size_t begin = text.size();
  for (size_t lines = 0; begin > 0; --begin) {
    // The line feed at the very end closes a line and begins none.
    if (begin < text.size() && text[begin - 1] == '\n' && ++lines == max_lines) {
      break;
    }
  }
  return text.substr(std::max(begin, text.size() - std::min(text.size(), max_bytes)));
}

std::string rotated_name(const std::string& path, int age) {
  return age == 0 ? path : fmt::format("{}.{}", path, age);
}

}  // namespace windlass::node
