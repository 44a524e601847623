// What a plain YAML scalar is: the YAML 1.1 rules as kubectl applies them (go-yaml v2), where `yes`
// is a boolean, 0644 is octal and a date is a string. Pure; any thread.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "api/codec/yaml/yaml_node.h"

namespace windlass::api {

struct YamlScalar {
  enum class Type { null, boolean, integer, floating, string };
  Type type = Type::string;
  bool truth = false;     // of a boolean
  double number = 0;      // of a floating
  std::string_view text;  // of a string: the scalar as it was given
  std::string decimal;    // of an integer, in JSON's form

  // As JSON; false for infinities and NaN, which JSON does not have.
  bool append_json(std::string& out) const;
  // As the key of a JSON object; nothing for null and for integers above 2^63, which kubectl
  // refuses.
  std::optional<std::string> key() const;
};

YamlScalar resolve_plain_scalar(std::string_view text);

// With an explicit tag; nothing when the text is not of that type.
std::optional<YamlScalar> resolve_tagged_scalar(YamlTag tag, std::string_view text);

// A double as Go's encoding/json writes it.
void append_json_number(double number, std::string& out);

// How a string is written in block YAML so that kubectl, and any other YAML 1.1 or 1.2 parser,
// reads the same string. Pure; any thread.

// On one line: plain where that is safe, in double quotes where it would be taken for another type
// or has characters to escape, else in single quotes.
std::string yaml_inline_string(std::string_view text);

// Whether `|` can carry the text: several printable lines without surprises at their ends.
bool can_be_literal(std::string_view text);

// `|` with its chomping indicator, then the lines, indented. Ends with a line break.
void append_literal(std::string_view text, size_t indent, std::string& out);

}  // namespace windlass::api
