// scheduling.k8s.io/v1 PriorityClass: api.md N40, N41. That there is one default only (N42) is
// checked where the others can be seen, in admission.cc.
#include "apiserver/strategies/strategies.h"
#include "apiserver/system_objects.h"
#include "apiserver/verbs/request_errors.h"
#include "schema/scheduling/v1/priority_class.pb.h"

namespace windlass::apiserver {
namespace {

using api::FieldErrors;
using api::FieldPath;
using api::scheduling::v1::PriorityClass;

constexpr int32_t kMaxUserPriority = 1'000'000'000;
constexpr std::string_view kSystemPrefix = "system-";

// "" when it is one of the classes of Kubernetes itself, as it is there.
std::string why_not_system(const SystemPriorityClass* known, const PriorityClass& made) {
  const std::string& name = made.metadata().name();
  if (known == nullptr) {
    return name + " is not a known system priority class";
  }
  if (known->value != made.value()) {
    return "value of " + name + " PriorityClass must be " + std::to_string(known->value);
  }
  return made.global_default() ? "globalDefault of " + name + " PriorityClass must be false" : "";
}

class PriorityClassStrategy final : public Strategy {
 public:
  PriorityClassStrategy() : Strategy(priority_class_kind(), {}) {}

  void apply_defaults(Message& object, const Message*, const WriteContext&) const override {
    auto& made = as<PriorityClass>(object);
    if (!made.has_preemption_policy()) {
      made.set_preemption_policy("PreemptLowerPriority");
    }
  }
  void prepare_for_create(Message& object, const WriteContext&) const override {
    as<PriorityClass>(object).mutable_metadata()->set_generation(1);
  }
  FieldErrors validate_create(const Message& object) const override {
    FieldErrors errors = Strategy::validate_create(object);
    const auto& made = as<PriorityClass>(object);
    const std::string& name = made.metadata().name();
    const SystemPriorityClass* known = find_system_priority_class(name);
    if (name.starts_with(kSystemPrefix)) {
      const std::string why = why_not_system(known, made);
      if (!why.empty()) {
        errors.forbidden(FieldPath("metadata").child("name"),
                         "priority class names with 'system-' prefix are reserved for system use "
                         "only. error: " +
                             why);
      }
    } else if (made.value() > kMaxUserPriority) {
      errors.forbidden(FieldPath("value"),
                       "maximum allowed value of a user defined priority is 1000000000");
    }
    const std::string& policy = made.preemption_policy();
    if (policy.empty()) {
      errors.required(FieldPath("preemptionPolicy"));
    } else if (policy != "PreemptLowerPriority" && policy != "Never") {
      errors.not_supported(FieldPath("preemptionPolicy"), policy,
                           {"PreemptLowerPriority", "Never"});
    }
    return errors;
  }

  FieldErrors validate_update(const Message& old_object, const Message& object) const override {
    FieldErrors errors = Strategy::validate_update(old_object, object);
    const auto& old = as<PriorityClass>(old_object);
    const auto& changed = as<PriorityClass>(object);
    if (old.value() != changed.value()) {
      errors.forbidden(FieldPath("value"), "may not be changed in an update.");
    }
    if (old.preemption_policy() != changed.preemption_policy()) {
      errors.invalid(FieldPath("preemptionPolicy"), changed.preemption_policy(),
                     "field is immutable");
    }
    return errors;
  }

  std::optional<std::string> selectable(const Message& object,
                                        std::string_view field) const override {
    if (field == "metadata.namespace") {
      return "";  // as for every kind that has no rule of its own
    }
    return Strategy::selectable(object, field);
  }

  std::optional<Status> forbid_delete(const Message& object) const override {
    const std::string& name = api::metadata_of(object).name();
    if (find_system_priority_class(name) == nullptr) {
      return std::nullopt;
    }
    return forbidden(resource_name(kind(), name),
                     "this is a system priority class and cannot be deleted");
  }
};

}  // namespace

const Strategy& priority_class_strategy() {
  static const PriorityClassStrategy strategy;
  return strategy;
}

}  // namespace windlass::apiserver
