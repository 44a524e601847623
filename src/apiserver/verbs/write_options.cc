#include "apiserver/verbs/write_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/quote.h"
#include "base/utf8.h"

namespace windlass::apiserver {
namespace {

std::string_view options_kind(WriteVerb verb) {
  switch (verb) {
    case WriteVerb::create:
      return "CreateOptions";
    case WriteVerb::update:
      return "UpdateOptions";
    case WriteVerb::patch:
    case WriteVerb::apply:
      return "PatchOptions";
  }
  return "";
}

bool is_printable(char c) {
  return c >= ' ' && c != '\x7f';
}

// `U+000A`, or nothing for a character that Go calls printable. A byte that is not UTF-8 is: Go
// reads it as the replacement character.
std::string unprintable_code(std::string_view character) {
  if (character.size() == 1) {
    const bool bad = !is_printable(character[0]) && static_cast<unsigned char>(character[0]) < 0x80;
    return bad ? fmt::format("U+{:04X}", static_cast<unsigned>(character[0])) : "";
  }
  const std::string quoted = quote(character);  // "\u00a0" where it is escaped
  if (quoted[1] != '\\') {
    return "";
  }
  uint32_t code = 0;
  std::from_chars(quoted.data() + 3, quoted.data() + quoted.size(), code, 16);
  return fmt::format("U+{:04X}", code);
}

void validate_manager(api::FieldErrors& errors, WriteVerb verb, const std::string& manager) {
  const api::FieldPath path("fieldManager");
  if (verb == WriteVerb::apply && manager.empty()) {
    errors.required(path, "is required for apply patch");
  }
  if (manager.size() > kMaxFieldManagerBytes) {
    errors.too_long(path, kMaxFieldManagerBytes);
  }
  for (size_t at = 0; at < manager.size();) {
    const std::string_view character =
        std::string_view(manager).substr(at, std::max<size_t>(1, utf8_length(manager, at)));
    if (const std::string code = unprintable_code(character); !code.empty()) {
      errors.invalid(path, manager, fmt::format("invalid character {} (at position {})", code, at));
    }
    at += character.size();
  }
}

std::optional<FieldValidation> field_validation(std::string_view text) {
  if (text.empty() || text == "Warn") {
    return FieldValidation::warn;
  }
  if (text == "Strict") {
    return FieldValidation::strict;
  }
  if (text == "Ignore") {
    return FieldValidation::ignore;
  }
  return std::nullopt;
}

// M105: the name of the program, without version and platform.
std::string manager_of(std::string_view user_agent) {
  std::string manager;
  for (const char c : user_agent.substr(0, user_agent.find('/'))) {
    if (is_printable(c) && manager.size() < kMaxFieldManagerBytes) {
      manager += c;
    }
  }
  return manager.empty() ? "unknown" : manager;
}

}  // namespace

void validate_dry_run(api::FieldErrors& errors, const std::vector<std::string>& values) {
  const bool good = std::ranges::all_of(values, [](const auto& value) { return value == "All"; });
  if (good) {
    return;
  }
  std::string list;
  for (const std::string& value : values) {
    list += (list.empty() ? "" : ",") + quote(value);
  }
  errors.not_supported(api::FieldPath("dryRun"), api::BadValue::json("[" + list + "]"), {"All"});
}

Result<WriteOptions> make_write_options(WriteVerb verb, const WriteQuery& query) {
  api::FieldErrors errors;
  if (verb != WriteVerb::apply && query.force) {
    errors.forbidden(api::FieldPath("force"), "may not be specified for non-apply patch");
  }
  validate_manager(errors, verb, query.field_manager);
  validate_dry_run(errors, query.dry_run);
  const auto validation = field_validation(query.field_validation);
  if (!validation) {
    errors.not_supported(api::FieldPath("fieldValidation"), query.field_validation,
                         {"", "Ignore", "Strict", "Warn"});
  }
  if (!errors.empty()) {
    api::Kind kind;
    kind.group = "meta.k8s.io";
    kind.kind = options_kind(verb);
    return fail(errors.to_status(kind, ""));
  }
  WriteOptions options;
  options.dry_run = !query.dry_run.empty();
  options.field_manager =
      query.field_manager.empty() ? manager_of(query.user_agent) : query.field_manager;
  options.field_validation = *validation;
  options.force = query.force.value_or(false);
  return options;
}

}  // namespace windlass::apiserver
