#include "api/job/job_policy.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <utility>
#include <vector>

#include "api/codec/json/json_value.h"
#include "api/codec/yaml/yaml.h"
#include "api/job/job_constants.h"
#include "api/job/rule_names.h"
#include "base/utf8.h"
#include "schema/batch/v1/job.pb.h"

namespace windlass::api {
namespace {

using batch::v1::Job;

// What the text may grow to when aliases are expanded.
constexpr YamlBudget kPolicyBudget = {5'000, 2 * kMaxPolicyBytes};
// Long values are cut in error messages.
constexpr size_t kMaxPolicyShown = 200;
constexpr Duration kMaxPolicyDuration = hours(24 * 366);
// RuleBudgetExceeded_<name> is a condition's reason, of which 128 bytes are shown.
constexpr size_t kMaxBudgetName = 128 - kRuleBudgetReasonPrefix.size();

// Planned, and not obeyed yet: accepting them would promise what does not happen.
constexpr auto kLaterFields = std::to_array<std::string_view>(
    {"oomRule", "pending", "attempt", "index", "checkpoint", "lostNode"});

FieldPath policy_path() {
  return FieldPath("metadata").child("annotations").key(kPolicyAnnotation);
}

// nullptr: none.
const std::string* policy_text(const Job& job) {
  const auto& annotations = job.metadata().annotations();
  const auto found = annotations.find(std::string(kPolicyAnnotation));
  return found == annotations.end() ? nullptr : &found->second;
}

// A value of the annotation: its path in the Job, and in the text.
struct PolicyPlace {
  FieldPath path;
  FieldPath within;

  PolicyPlace child(std::string_view name) const { return {path.child(name), within.child(name)}; }
};

class PolicyReader {
 public:
  PolicyReader(const Job& job, const SourceMap& positions, FieldErrors& errors)
      : job_(job), names_(effective_rule_names(job)), positions_(positions), errors_(errors) {}

  JobPolicy read(const JsonValue& root) {
    const PolicyPlace top{policy_path(), FieldPath()};
    if (!root.is_object()) {
      reject(top, root, "must be an object, in YAML or JSON");
      return {};
    }
    for (const auto& [name, value] : root.members) {
      const PolicyPlace place = top.child(name);
      if (name == "rules") {
        read_rules(place, value);
      } else if (std::ranges::find(kLaterFields, name) != kLaterFields.end()) {
        refuse_later(place);
      } else {
        refuse_unknown(place, "rules");
      }
    }
    return std::move(policy_);
  }

 private:
  std::string where(const PolicyPlace& place) const {
    const SourcePosition at = positions_.find(place.within.text());
    return fmt::format(" (line {}, column {} of the annotation)", at.line, at.column);
  }
  void reject(const PolicyPlace& place, const JsonValue& value, std::string_view why) {
    errors_.invalid(place.path, BadValue::json(readable(to_json_text(value), kMaxPolicyShown)),
                    fmt::format("{}{}", why, where(place)));
  }
  void forbid(const PolicyPlace& place, std::string_view why) {
    errors_.forbidden(place.path, fmt::format("{}{}", why, where(place)));
  }
  void refuse_later(const PolicyPlace& place) {
    forbid(place, "this version of Windlass does not support it");
  }
  void refuse_unknown(const PolicyPlace& place, std::string_view known) {
    forbid(place, fmt::format("unknown field; known here: {}", known));
  }

  void read_rules(const PolicyPlace& place, const JsonValue& value) {
    if (!value.is_object()) {
      reject(place, value, "must be an object with one entry per rule");
      return;
    }
    if (!value.members.empty() && job_.spec().has_backoff_limit_per_index()) {
      forbid(place,
             "this version of Windlass does not limit rules of a Job with "
             "spec.backoffLimitPerIndex");
      return;
    }
    for (const auto& [name, rule] : value.members) {
      read_named(place.child(name), name, rule);
    }
  }

  // By its name, or by its index.
  std::optional<size_t> find_rule(const std::string& name) const {
    const auto named = std::ranges::find(names_, std::optional(name));
    if (named != names_.end()) {
      return static_cast<size_t>(named - names_.begin());
    }
    size_t index = 0;
    const char* end = name.data() + name.size();
    const auto [stop, error] = std::from_chars(name.data(), end, index);
    const bool is_index = error == std::errc() && stop == end && std::to_string(index) == name;
    return is_index && index < names_.size() ? std::optional(index) : std::nullopt;
  }

  void read_named(const PolicyPlace& place, const std::string& name, const JsonValue& value) {
    const auto rule = find_rule(name);
    if (!rule) {
      forbid(place, "no rule of spec.podFailurePolicy has this name or index");
      return;
    }
    if (policy_.rules.contains(*rule)) {
      forbid(place, fmt::format("rule {} of spec.podFailurePolicy is there already", *rule));
      return;
    }
    const std::string& action =
        job_.spec().pod_failure_policy().rules(static_cast<int>(*rule)).action();
    if (action != kActionCount && action != kActionIgnore) {
      forbid(place, fmt::format("a rule with action {} is not tried again", action));
      return;
    }
    RulePolicy& limits = policy_.rules[*rule];
    read_rule(place, value, limits);
    if (limits.budget && names_[*rule] && names_[*rule]->size() > kMaxBudgetName) {
      forbid(place, fmt::format("a rule with a budget may have a name of at most {} bytes: it "
                                "becomes part of a condition's reason",
                                kMaxBudgetName));
    }
  }

  void read_rule(const PolicyPlace& place, const JsonValue& value, RulePolicy& limits) {
    if (!value.is_object() || value.members.empty()) {
      reject(place, value, "must be an object with a budget, a backoff or both");
      return;
    }
    for (const auto& [name, field] : value.members) {
      const PolicyPlace at = place.child(name);
      if (name == "budget") {
        limits.budget = read_budget(at, field);
      } else if (name == "window") {
        limits.window = read_duration(at, field, seconds(1));
      } else if (name == "resetOnSuccess") {
        limits.reset_on_success = read_flag(at, field);
      } else if (name == "backoff") {
        limits.backoff = read_backoff(at, field);
      } else if (name == "memory") {
        refuse_later(at);
      } else {
        refuse_unknown(at, "budget, window, resetOnSuccess, backoff");
      }
    }
    check_timed(place, value, limits);
  }

  void check_timed(const PolicyPlace& place, const JsonValue& value, const RulePolicy& limits) {
    for (const char* name : {"window", "resetOnSuccess"}) {
      if (value.find(name) != nullptr && value.find("budget") == nullptr) {
        forbid(place.child(name), "may be set only together with budget");
      }
    }
    if ((limits.window || limits.reset_on_success) && limits.budget &&
        *limits.budget > kMaxTimedRuleBudget) {
      reject(place.child("budget"), *value.find("budget"),
             fmt::format("must be at most {} with window or resetOnSuccess", kMaxTimedRuleBudget));
    }
  }

  std::optional<int32_t> read_budget(const PolicyPlace& place, const JsonValue& value) {
    int32_t number = 0;
    const char* end = value.text.data() + value.text.size();
    const auto [stop, error] = std::from_chars(value.text.data(), end, number);
    if (value.type != JsonValue::Type::number || error != std::errc() || stop != end ||
        number < 0) {
      reject(place, value, "must be a whole number from 0 to 2147483647");
      return std::nullopt;
    }
    return number;
  }

  bool read_flag(const PolicyPlace& place, const JsonValue& value) {
    if (value.type != JsonValue::Type::boolean) {
      reject(place, value, "must be true or false");
      return false;
    }
    return value.text == "true";
  }

  std::optional<Duration> read_duration(const PolicyPlace& place, const JsonValue& value,
                                        Duration least) {
    const auto duration =
        value.is_string() ? parse_duration(value.text) : Result<Duration>(Duration::zero());
    if (!value.is_string() || !duration) {
      reject(place, value, "must be a duration such as 30s, 5m or 1h30m");
      return std::nullopt;
    }
    if (*duration < least || *duration > kMaxPolicyDuration) {
      reject(place, value,
             fmt::format("must be from {} to {}", format_duration(least),
                         format_duration(kMaxPolicyDuration)));
      return std::nullopt;
    }
    return *duration;
  }

  std::optional<RulePolicy::Backoff> read_backoff(const PolicyPlace& place,
                                                  const JsonValue& value) {
    if (!value.is_object() || value.find("base") == nullptr) {
      reject(place, value, "must be an object with base and, optionally, cap");
      return std::nullopt;
    }
    const PolicyPlace base_place = place.child("base");
    const PolicyPlace cap_place = place.child("cap");
    const auto base = read_duration(base_place, *value.find("base"), milliseconds(1));
    std::optional<Duration> cap = std::max<Duration>(minutes(10), base.value_or(Duration::zero()));
    if (const JsonValue* given = value.find("cap"); given != nullptr) {
      cap = read_duration(cap_place, *given, milliseconds(1));
      if (base && cap && *cap < *base) {
        reject(cap_place, *given, "must be at least base");
      }
    }
    for (const auto& [name, field] : value.members) {
      if (name != "base" && name != "cap") {
        refuse_unknown(place.child(name), "base, cap");
      }
    }
    return base && cap ? std::optional(RulePolicy::Backoff{*base, *cap}) : std::nullopt;
  }

  const Job& job_;
  const RuleNames names_;
  const SourceMap& positions_;
  FieldErrors& errors_;
  JobPolicy policy_;
};

JobPolicy read_policy_text(const Job& job, const std::string& text, FieldErrors& errors) {
  const auto reject = [&errors, &text](std::string_view why) {
    errors.invalid(policy_path(), BadValue(readable(text, kMaxPolicyShown)), why);
  };
  if (text.size() > kMaxPolicyBytes) {
    errors.too_long(policy_path(), kMaxPolicyBytes);
    return {};
  }
  const auto documents = parse_yaml(text, kPolicyBudget);
  if (!documents) {
    reject(documents.error().message);
    return {};
  }
  if (documents->size() != 1) {
    reject("must be one object, in YAML or JSON; {} for no limits");
    return {};
  }
  const YamlDocument& document = documents->front();
  const auto tree = parse_json_value(document.json);
  if (!tree) {
    reject(tree.error().message);
    return {};
  }
  for (const std::string& key : document.duplicate_keys) {
    errors.forbidden(policy_path().child(key), "is given twice");
  }
  return PolicyReader(job, document.positions, errors).read(tree->value);
}

bool is_same_policy(const Job& old_job, const Job& job) {
  const std::string* before = policy_text(old_job);
  const std::string* now = policy_text(job);
  return before == nullptr || now == nullptr ? before == now : *before == *now;
}

}  // namespace

JobPolicy read_job_policy(const Job& job, FieldErrors& errors) {
  const std::string* text = policy_text(job);
  return text == nullptr ? JobPolicy() : read_policy_text(job, *text, errors);
}

void validate_job_policy(FieldErrors& errors, const Job& job) {
  read_job_policy(job, errors);
}

void validate_job_policy_update(FieldErrors& errors, const Job& old_job, const Job& job) {
  if (is_same_policy(old_job, job)) {
    return;
  }
  FieldErrors old_errors;
  const JobPolicy before = read_job_policy(old_job, old_errors);
  const size_t found = errors.size();
  const JobPolicy now = read_job_policy(job, errors);
  if (errors.size() == found && old_errors.empty() && !(before == now)) {
    errors.forbidden(policy_path(),
                     "is immutable: the failures so far were judged by the policy as it was");
  }
}

}  // namespace windlass::api
