// policy/v1 PodDisruptionBudget: api.md N50-N52.
#include <algorithm>

#include "api/equality.h"
#include "api/generation.h"
#include "api/select/label_selector.h"
#include "api/validate_metadata.h"
#include "apiserver/strategies/strategies.h"
#include "schema/meta/v1/quantity.pb.h"
#include "schema/policy/v1/pod_disruption_budget.pb.h"

namespace windlass::apiserver {
namespace {

using api::FieldErrors;
using api::FieldPath;
using api::meta::v1::IntOrString;
using api::policy::v1::PodDisruptionBudget;

constexpr int64_t kIsString = 1;
constexpr size_t kMaxPercent = 100;

// Nothing for what is no percentage.
std::optional<size_t> percent_of(std::string_view text) {
  if (text.size() < 2 || text.back() != '%') {
    return std::nullopt;
  }
  size_t percent = 0;
  for (const char c : text.substr(0, text.size() - 1)) {
    if (c < '0' || c > '9') {
      return std::nullopt;
    }
    percent = std::min<size_t>(percent * 10 + static_cast<size_t>(c - '0'), kMaxPercent + 1);
  }
  return percent;
}

void validate_amount(FieldErrors& errors, const FieldPath& path, const IntOrString& amount) {
  if (amount.type() != kIsString) {
    if (amount.int_val() < 0) {
      errors.invalid(path, api::BadValue::number(amount.int_val()),
                     "must be greater than or equal to 0");
    }
    return;
  }
  const std::optional<size_t> percent = percent_of(amount.str_val());
  if (!percent) {
    errors.invalid(path, amount.str_val(),
                   "a valid percent string must be a numeric string followed by an ending '%' "
                   "(e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')");
  } else if (*percent > kMaxPercent) {
    errors.invalid(path, amount.str_val(), "must not be greater than 100%");
  }
}

void validate_budget(FieldErrors& errors, const PodDisruptionBudget& budget) {
  const auto& spec = budget.spec();
  const FieldPath path("spec");
  if (spec.has_min_available() && spec.has_max_unavailable()) {
    errors.invalid(path, api::BadValue::message(spec),
                   "minAvailable and maxUnavailable cannot be both set");
  }
  if (spec.has_min_available()) {
    validate_amount(errors, path.child("minAvailable"), spec.min_available());
  }
  if (spec.has_max_unavailable()) {
    validate_amount(errors, path.child("maxUnavailable"), spec.max_unavailable());
  }
  api::validate_label_selector(errors, path.child("selector"), spec.selector());
  const std::string& policy = spec.unhealthy_pod_eviction_policy();
  if (spec.has_unhealthy_pod_eviction_policy() && policy != "AlwaysAllow" &&
      policy != "IfHealthyBudget") {
    errors.not_supported(path.child("unhealthyPodEvictionPolicy"), policy,
                         {"AlwaysAllow", "IfHealthyBudget"});
  }
}

void validate_status(FieldErrors& errors, const PodDisruptionBudget& budget) {
  const FieldPath path("status");
  const auto& status = budget.status();
  const auto check = [&](std::string_view name, int32_t value) {
    if (value < 0) {
      errors.invalid(path.child(name), api::BadValue::number(value),
                     "must be greater than or equal to 0");
    }
  };
  check("disruptionsAllowed", status.disruptions_allowed());
  check("currentHealthy", status.current_healthy());
  check("desiredHealthy", status.desired_healthy());
  check("expectedPods", status.expected_pods());
}

class BudgetStrategy final : public Strategy {
 public:
  BudgetStrategy() : Strategy(budget_kind(), {.has_status = true, .unconditional_update = false}) {}

  void prepare_for_create(Message& object, const WriteContext&) const override {
    auto& budget = as<PodDisruptionBudget>(object);
    budget.mutable_metadata()->set_generation(1);
    budget.clear_status();
  }
  FieldErrors validate_create(const Message& object) const override {
    FieldErrors errors;
    validate_budget(errors, as<PodDisruptionBudget>(object));
    if (errors.empty()) {
      api::validate_generic_meta(errors, FieldPath("metadata"), api::metadata_of(object), true);
    }
    return errors;
  }

  void prepare_for_update(const Message& old_object, Message& object,
                          const WriteContext&) const override {
    const auto& old = as<PodDisruptionBudget>(old_object);
    auto& budget = as<PodDisruptionBudget>(object);
    *budget.mutable_status() = old.status();
    if (!api::semantically_equal(old.spec(), budget.spec())) {
      budget.mutable_metadata()->set_generation(api::next_generation(old.metadata().generation()));
    }
  }
  FieldErrors validate_update(const Message& old, const Message& object) const override {
    FieldErrors errors = validate_metadata(old, object);
    validate_budget(errors, as<PodDisruptionBudget>(object));
    return errors;
  }

  void prepare_for_status_update(const Message& old, Message& object,
                                 const WriteContext&) const override {
    *as<PodDisruptionBudget>(object).mutable_spec() = as<PodDisruptionBudget>(old).spec();
  }
  FieldErrors validate_status_update(const Message& old, const Message& object) const override {
    FieldErrors errors = validate_metadata(old, object);
    validate_status(errors, as<PodDisruptionBudget>(object));
    return errors;
  }

 private:
  // Of its names Kubernetes asks no more than that they fit into a path.
  static FieldErrors validate_metadata(const Message& old, const Message& object) {
    FieldErrors errors;
    api::validate_generic_update(errors, FieldPath("metadata"), api::metadata_of(object),
                                 api::metadata_of(old), true);
    return errors;
  }
};

}  // namespace

const Strategy& budget_strategy() {
  static const BudgetStrategy strategy;
  return strategy;
}

}  // namespace windlass::apiserver
