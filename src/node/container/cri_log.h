// Reads container logs in the CRI text format: `<time> stdout|stderr F|P <text>`, a line each; P is
// a piece of a line that goes on with the next. Pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace windlass::node {

struct CriLine {
  std::string_view time;  // RFC 3339 with nanoseconds
  std::string_view text;
  bool whole = true;  // a line feed follows
};

// Nothing when it is not in the format.
std::optional<CriLine> parse_cri_line(std::string_view line);

// Takes the first line, with its line feed, off `text`; nothing when there is no whole one.
std::optional<std::string_view> take_line(std::string_view& text);

// All that was written, as it was written; what is not in the format stays as it is.
std::string cri_text(std::string_view log);

// The last of `text`: at most so many lines, and so many bytes.
std::string_view last_text(std::string_view text, size_t max_lines, size_t max_bytes);

// Oldest first: what a file was moved to when it was full (supervisor/log_file.h), then the file.
std::string rotated_name(const std::string& path, int age);
inline constexpr int kRotatedFiles = 4;

}  // namespace windlass::node
