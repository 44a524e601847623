// Field selectors: `status.phase!=Failed,spec.nodeName=n1` (api.md M68). Which fields a kind has is
// not known here: the API server asks its strategies. A value; any thread.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace windlass::api {

struct FieldRequirement {
  std::string field;
  bool equal = true;  // false: !=
  std::string value;

  bool operator==(const FieldRequirement&) const = default;
};

class FieldSelector {
 public:
  FieldSelector() = default;  // matches everything
  // The error is a 400 with Kubernetes' text.
  static Result<FieldSelector> parse(std::string_view text);

  // `value_of` gives the value of a field; a field that the object lacks is "".
  bool matches(const std::function<std::string(std::string_view field)>& value_of) const;

  bool matches_everything() const { return requirements_.empty(); }
  const std::vector<FieldRequirement>& requirements() const { return requirements_; }
  // The one value this field must have, if the selector says so (metadata.name=x).
  std::optional<std::string_view> required_value(std::string_view field) const;
  // parse(text()) gives an equal selector.
  std::string text() const;
  bool operator==(const FieldSelector&) const = default;

 private:
  std::vector<FieldRequirement> requirements_;
};

}  // namespace windlass::api
