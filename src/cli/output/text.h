// Small pieces of text that several commands print. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace windlass::cli {

// The width of help texts.
inline constexpr size_t kTextColumns = 80;

// `1 pod`, `2 pods`
std::string counted(size_t count, std::string_view noun);

// `2 pods keep running. Stop them with: windlass down --data-dir DIR`, as one line.
std::string kept_pods_text(size_t pods, const std::string& data_dir);

// `path` as one word of a shell command, in quotes where it needs them.
std::string shell_word(const std::string& path);

// `text` broken between words, or after the commas of a long word, into lines of at most
// kTextColumns. Each line but the first is indented by `indent` columns; the first begins at that
// column.
std::string wrapped(std::string_view text, size_t indent = 0);

// `10,000`
std::string grouped(int64_t number);

enum class Colour { green, yellow, red };
std::string coloured(Colour colour, std::string_view text);

// The columns that a terminal needs for `text`, or somewhat more: colours need none, and a
// character that may be wide counts twice.
size_t shown_columns(std::string_view text);
// The beginning of `text` that fits. Colours end with it.
std::string cut_to_columns(std::string_view text, size_t columns);

}  // namespace windlass::cli
