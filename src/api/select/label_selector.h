// Label selectors: parsed from text (`a=b,c in (d,e),!f`) or made from a LabelSelector message, and
// matched against labels. A value without references to what it was made from. Any thread.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/field_error.h"
#include "api/string_map.h"
#include "base/result.h"

namespace windlass::api::meta::v1 {
class LabelSelector;
}

namespace windlass::api {

enum class LabelOperator {
  in,
  not_in,
  equals,
  double_equals,
  not_equals,
  exists,
  does_not_exist,
  greater_than,
  less_than,
};

struct LabelRequirement {
  std::string key;
  LabelOperator op = LabelOperator::exists;
  std::vector<std::string> values;  // sorted; unique, too, when parsed from text

  // nullptr: the object has no such label.
  bool matches(const std::string* label) const;
  std::string text() const;
  bool operator==(const LabelRequirement&) const = default;
};

class LabelSelector {
 public:
  LabelSelector() = default;  // matches everything
  static LabelSelector nothing();
  // api.md M68. The error is a 400 with Kubernetes' text.
  static Result<LabelSelector> parse(std::string_view text);
  // An absent message (nullptr) selects nothing, an empty one everything. Fails where the message
  // could not have passed validate_label_selector.
  static Result<LabelSelector> from_message(const meta::v1::LabelSelector* message);

  bool matches(const StringMap& labels) const;
  bool matches(const std::map<std::string, std::string>& labels) const;

  bool matches_everything() const { return !nothing_ && requirements_.empty(); }
  const std::vector<LabelRequirement>& requirements() const { return requirements_; }
  // parse(text()) gives an equal selector, except that `nothing` has no text.
  std::string text() const;
  bool operator==(const LabelSelector&) const = default;

 private:
  // All requirements on one key. A client may send tens of thousands of requirements; matching one
  // object then costs a look-up for each of its labels, not one for each requirement.
  struct KeyRule {
    std::string key = {};
    bool must_exist = false;
    bool must_not_exist = false;
    std::optional<std::vector<std::string>> allowed = {};  // sorted
    std::vector<std::string> excluded = {};                // sorted
    std::vector<LabelRequirement> bounds = {};             // at most one of each direction

    void add(const LabelRequirement& requirement);
    void add_bound(const LabelRequirement& requirement);
    bool matches(const std::string& label) const;
    bool operator==(const KeyRule&) const = default;
  };
  // Fewer requirements are looked at one by one.
  static constexpr size_t kManyRequirements = 16;

  void index_rules();
  template <class Labels>
  bool matches_all(const Labels& labels) const;
  template <class Labels>
  bool matches_rules(const Labels& labels) const;

  std::vector<LabelRequirement> requirements_;  // sorted by key
  std::vector<KeyRule> rules_;                  // of many requirements; sorted by key
  size_t keys_that_must_exist_ = 0;             // in rules_
  bool nothing_ = false;
};

// api.md J90
void validate_label_selector(FieldErrors& errors, const FieldPath& path,
                             const meta::v1::LabelSelector& selector);

}  // namespace windlass::api
