// How a string is written in block YAML so that kubectl, and any other YAML 1.1 or 1.2 parser,
// reads the same string. Pure; any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace windlass::api {

// On one line: plain where that is safe, in double quotes where it would be taken for another type
// or has characters to escape, else in single quotes.
std::string yaml_inline_string(std::string_view text);

// Whether `|` can carry the text: several printable lines without surprises at their ends.
bool can_be_literal(std::string_view text);

// `|` with its chomping indicator, then the lines, indented. Ends with a line break.
void append_literal(std::string_view text, size_t indent, std::string& out);

}  // namespace windlass::api
