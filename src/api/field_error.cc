#include "api/field_error.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "api/codec/json/json.h"
#include "base/check.h"
#include "base/quote.h"

namespace windlass::api {
namespace {

std::string_view body_prefix(FieldErrorType type) {
  switch (type) {
    case FieldErrorType::required:
      return "Required value";
    case FieldErrorType::invalid:
    case FieldErrorType::type_invalid:
      return "Invalid value";
    case FieldErrorType::not_supported:
      return "Unsupported value";
    case FieldErrorType::duplicate:
      return "Duplicate value";
    case FieldErrorType::forbidden:
      return "Forbidden";
    case FieldErrorType::too_long:
      return "Too long";
    case FieldErrorType::too_many:
      return "Too many";
    case FieldErrorType::not_found:
      return "Not found";
  }
  return "";
}

// api.md M27
std::string_view cause_reason(FieldErrorType type) {
  switch (type) {
    case FieldErrorType::required:
      return "FieldValueRequired";
    case FieldErrorType::invalid:
      return "FieldValueInvalid";
    case FieldErrorType::type_invalid:
      return "FieldValueTypeInvalid";
    case FieldErrorType::not_supported:
      return "FieldValueNotSupported";
    case FieldErrorType::duplicate:
      return "FieldValueDuplicate";
    case FieldErrorType::forbidden:
      return "FieldValueForbidden";
    case FieldErrorType::too_long:
      return "FieldValueTooLong";
    case FieldErrorType::too_many:
      return "FieldValueTooMany";
    case FieldErrorType::not_found:
      return "FieldValueNotFound";
  }
  return "";
}

std::string body_without_value(FieldErrorType type, std::string_view detail) {
  if (detail.empty()) {
    return std::string(body_prefix(type));
  }
  return fmt::format("{}: {}", body_prefix(type), detail);
}

std::string body_with_value(FieldErrorType type, const BadValue& value, std::string_view detail) {
  if (value.is_omitted()) {
    return body_without_value(type, detail);
  }
  if (detail.empty()) {
    return fmt::format("{}: {}", body_prefix(type), value.text());
  }
  return fmt::format("{}: {}: {}", body_prefix(type), value.text(), detail);
}

}  // namespace

FieldPath::FieldPath(const FieldPath& other) : depth_(other.depth_) {
  std::copy_n(other.segments_.begin(), depth_, segments_.begin());
}

FieldPath& FieldPath::operator=(const FieldPath& other) {
  depth_ = other.depth_;
  std::copy_n(other.segments_.begin(), depth_, segments_.begin());
  return *this;
}

void FieldPath::push(std::string_view name, int64_t index_or_form) {
  CHECK(depth_ < kMaxDepth, "field path deeper than the schema");
  segments_[depth_++] = {name.data(), name.size(), index_or_form};
}

FieldPath FieldPath::with(std::string_view name, int64_t index_or_form) const {
  FieldPath path(*this);
  path.push(name, index_or_form);
  return path;
}

std::string FieldPath::text() const {
  std::string text;
  for (size_t i = 0; i < depth_; ++i) {
    const Segment& segment = segments_[i];
    const std::string_view name(segment.name, segment.name_size);
    if (segment.index_or_form >= 0) {
      fmt::format_to(std::back_inserter(text), "[{}]", segment.index_or_form);
    } else if (segment.index_or_form == kKey || name.empty()) {
      // A nameless segment prints as `[]`, which is how errors about a whole object appear (N60).
      text.append("[").append(name).append("]");
    } else {
      if (i > 0) {
        text += '.';
      }
      text += name;
    }
  }
  return text;
}

std::string go_quote(std::string_view text) {
  return quote(text);
}

std::string FieldError::text() const {
  return fmt::format("{}: {}", field, body);
}

BadValue::BadValue(std::string_view text) : text_(go_quote(text)) {}

BadValue BadValue::number(int64_t value) {
  return json(fmt::format("{}", value));
}

BadValue BadValue::json(std::string text) {
  BadValue value;
  value.text_ = std::move(text);
  return value;
}

BadValue BadValue::omitted() {
  BadValue value;
  value.omitted_ = true;
  return value;
}

BadValue BadValue::message(const Message& value) {
  return json(to_json(value));
}

void FieldErrors::add(FieldErrorType type, const FieldPath& path, std::string body) {
  if (!is_full()) {
    keep({type, path.text(), std::move(body)});
  }
}

bool FieldErrors::is_full() const {
  return errors_.size() >= kMaxFieldErrors || bytes_ >= kMaxFieldErrorBytes;
}

void FieldErrors::keep(FieldError error) {
  bytes_ += error.field.size() + error.body.size();
  errors_.push_back(std::move(error));
}

void FieldErrors::required(const FieldPath& path, std::string_view detail) {
  add(FieldErrorType::required, path, body_without_value(FieldErrorType::required, detail));
}

void FieldErrors::invalid(const FieldPath& path, const BadValue& value, std::string_view detail) {
  add(FieldErrorType::invalid, path, body_with_value(FieldErrorType::invalid, value, detail));
}

void FieldErrors::not_supported(const FieldPath& path, const BadValue& value,
                                const std::vector<std::string_view>& supported) {
  std::string detail;
  for (std::string_view choice : supported) {
    detail += detail.empty() ? "supported values: " : ", ";
    detail += go_quote(choice);
  }
  add(FieldErrorType::not_supported, path,
      body_with_value(FieldErrorType::not_supported, value, detail));
}

void FieldErrors::duplicate(const FieldPath& path, const BadValue& value, std::string_view detail) {
  add(FieldErrorType::duplicate, path, body_with_value(FieldErrorType::duplicate, value, detail));
}

void FieldErrors::forbidden(const FieldPath& path, std::string_view detail) {
  add(FieldErrorType::forbidden, path, body_without_value(FieldErrorType::forbidden, detail));
}

void FieldErrors::too_long(const FieldPath& path, size_t max_bytes) {
  add(FieldErrorType::too_long, path,
      fmt::format("Too long: may not be more than {} bytes", max_bytes));
}

void FieldErrors::too_many(const FieldPath& path, size_t actual, size_t max_items) {
  add(FieldErrorType::too_many, path,
      fmt::format("Too many: {}: must have at most {} items", actual, max_items));
}

void FieldErrors::not_found(const FieldPath& path, const BadValue& value) {
  add(FieldErrorType::not_found, path, body_with_value(FieldErrorType::not_found, value, {}));
}

void FieldErrors::append(const FieldErrors& other) {
  for (const FieldError& error : other.errors_) {
    if (!is_full()) {
      keep(error);
    }
  }
}

Status FieldErrors::to_status(const Kind& kind, std::string_view name) const {
  CHECK(!errors_.empty(), "a Status needs an error");
  std::set<std::string> seen;
  std::string texts;
  Status status;
  for (const FieldError& error : errors_) {
    status.details.causes.push_back(
        {std::string(cause_reason(error.type)), error.body, error.field});
    std::string text = error.text();
    if (seen.insert(text).second) {
      texts += texts.empty() ? "" : ", ";
      texts += text;
    }
  }
  if (seen.size() > 1) {
    texts = fmt::format("[{}]", texts);
  }
  status.code = 422;
  status.reason = "Invalid";
  status.message = fmt::format("{}{}{} {} is invalid: {}", kind.kind, kind.group.empty() ? "" : ".",
                               kind.group, go_quote(name), texts);
  status.details.name = name;
  status.details.group = kind.group;
  status.details.kind = kind.kind;
  return status;
}

}  // namespace windlass::api
