// Validation errors with the texts of Kubernetes (api.md M25-M27), and the paths they are about.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "api/kind.h"
#include "base/status.h"

namespace windlass::api {

// spec.template.spec.containers[0].name, built from the outside in. A value: copying one copies a
// few pointers, and the text is made only when an error needs it. The names it is given (literals,
// or keys inside the object under validation) must outlive it.
class FieldPath {
 public:
  FieldPath() = default;              // the root: no text
  FieldPath(const FieldPath& other);  // copies the segments in use
  FieldPath& operator=(const FieldPath& other);
  explicit FieldPath(std::string_view name) { push(name, kName); }

  FieldPath child(std::string_view name) const { return with(name, kName); }
  FieldPath index(size_t i) const { return with({}, static_cast<int64_t>(i)); }
  FieldPath key(std::string_view name) const { return with(name, kKey); }

  std::string text() const;

 private:
  // The deepest path of the schema has fewer than 20 segments.
  static constexpr size_t kMaxDepth = 24;
  static constexpr int64_t kName = -1;
  static constexpr int64_t kKey = -2;
  // Left without a default value, so that an empty path costs nothing to make.
  struct Segment {
    const char* name;
    size_t name_size;
    int64_t index_or_form;
  };

  void push(std::string_view name, int64_t index_or_form);
  FieldPath with(std::string_view name, int64_t index_or_form) const;

  std::array<Segment, kMaxDepth> segments_;
  size_t depth_ = 0;
};

enum class FieldErrorType {
  required,
  invalid,
  not_supported,
  duplicate,
  forbidden,
  too_long,
  too_many,
  not_found,
  type_invalid,
};

struct FieldError {
  FieldErrorType type = FieldErrorType::invalid;
  std::string field;
  std::string body;  // `Invalid value: -1: must be greater than or equal to 0`

  std::string text() const;  // `spec.parallelism: Invalid value: -1: must be ...`
  bool operator==(const FieldError&) const = default;
};

// How a bad value is printed: strings quoted as Go does, numbers plain, other values as JSON, or
// nothing at all where a rule prints no value.
class BadValue {
 public:
  BadValue(std::string_view text);  // NOLINT: a string is the usual bad value
  BadValue(const char* text) : BadValue(std::string_view(text)) {}         // NOLINT
  BadValue(const std::string& text) : BadValue(std::string_view(text)) {}  // NOLINT
  static BadValue number(int64_t value);
  static BadValue json(std::string text);  // printed as it is
  static BadValue null() { return json("null"); }
  static BadValue omitted();
  static BadValue message(const Message& value);  // its JSON form

  const std::string& text() const { return text_; }
  bool is_omitted() const { return omitted_; }

 private:
  BadValue() = default;
  std::string text_;
  bool omitted_ = false;
};

// More than these do not help, and many print what is wrong in full.
inline constexpr size_t kMaxFieldErrors = 1000;
inline constexpr size_t kMaxFieldErrorBytes = size_t{4} << 20;

// Errors in the order they were found; nothing short-circuits, but what comes after the limits
// above is not kept.
class FieldErrors {
 public:
  void required(const FieldPath& path, std::string_view detail = {});
  void invalid(const FieldPath& path, const BadValue& value, std::string_view detail);
  void not_supported(const FieldPath& path, const BadValue& value,
                     const std::vector<std::string_view>& supported);
  void duplicate(const FieldPath& path, const BadValue& value, std::string_view detail = {});
  void forbidden(const FieldPath& path, std::string_view detail);
  void too_long(const FieldPath& path, size_t max_bytes);
  void too_many(const FieldPath& path, size_t actual, size_t max_items);
  void not_found(const FieldPath& path, const BadValue& value);

  void append(const FieldErrors& other);
  bool empty() const { return errors_.empty(); }
  size_t size() const { return errors_.size(); }
  const std::vector<FieldError>& all() const { return errors_; }

  // 422 Invalid for this object: `Job.batch "x" is invalid: [e1, e2]` (M25).
  Status to_status(const Kind& kind, std::string_view name) const;

 private:
  bool is_full() const;
  void add(FieldErrorType type, const FieldPath& path, std::string body);
  void keep(FieldError error);
  std::vector<FieldError> errors_;
  size_t bytes_ = 0;  // of their texts
};

// A Go-quoted string: "a\"b".
std::string go_quote(std::string_view text);

}  // namespace windlass::api
