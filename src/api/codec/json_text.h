// JSON as text, below any schema: strings escaped as Go's encoding/json does it, compacting and
// indenting. Pure functions that append to the caller's buffer; any thread.
#pragma once

#include <string>
#include <string_view>

namespace windlass::api {

// The string in quotes. `<`, `>`, `&`, U+2028 and U+2029 are escaped as in HTML-safe Go output
// (api.md M4a); a byte that is not UTF-8 becomes \ufffd.
void append_json_string(std::string_view text, std::string& out);

// The value without white space and with the escapes above. Appends nothing and returns false when
// the text is not exactly one JSON value.
bool append_compact_json(std::string_view json, std::string& out);

// Valid JSON, indented by two spaces as Go's json.MarshalIndent does it.
void append_pretty_json(std::string_view json, std::string& out);

// The content of a raw JSON string token (quotes included) that JsonScanner has accepted. A
// surrogate without its partner becomes U+FFFD, as in Go.
std::string unescape_json_string(std::string_view token);

void append_utf8(char32_t character, std::string& out);

}  // namespace windlass::api
