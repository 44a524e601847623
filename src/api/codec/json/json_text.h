// JSON as text, below any schema: compacting, indenting and unescaping (base/json_writer.h writes
// and escapes). Pure functions that append to the caller's buffer; any thread.
#pragma once

#include <string>
#include <string_view>

namespace windlass::api {

// The value without white space, escaped as base/json_writer.h does it. Appends nothing and returns
// false when the text is not exactly one JSON value.
bool append_compact_json(std::string_view json, std::string& out);

// Valid JSON, indented by two spaces as Go's json.MarshalIndent does it.
void append_pretty_json(std::string_view json, std::string& out);

// The content of a raw JSON string token (quotes included) that JsonScanner has accepted. A
// surrogate without its partner becomes U+FFFD, as in Go.
std::string unescape_json_string(std::string_view token);

}  // namespace windlass::api
