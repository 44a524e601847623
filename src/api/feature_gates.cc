#include "api/feature_gates.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/ascii.h"

namespace windlass::api {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";

constexpr std::array<Feature, kFeatureCount> kFeatures = {
    Feature::pod_disruption_conditions,
    Feature::job_pod_failure_policy,
    Feature::job_backoff_limit_per_index,
    Feature::job_pod_replacement_policy,
    Feature::pod_failure_policy_name,
    Feature::job_success_policy,
    Feature::job_managed_by,
};

constexpr std::array<std::string_view, kFeatureCount> kNames = {
    "PodDisruptionConditions",
    "JobPodFailurePolicy",
    "JobBackoffLimitPerIndex",
    "JobPodReplacementPolicy",
    "PodFailurePolicyName",
    "JobSuccessPolicy",
    "JobManagedBy",
};

std::optional<bool> parse_bool(std::string_view text) {
  constexpr std::array<std::string_view, 6> kOn = {"1", "t", "T", "TRUE", "true", "True"};
  constexpr std::array<std::string_view, 6> kOff = {"0", "f", "F", "FALSE", "false", "False"};
  if (std::ranges::find(kOn, text) != kOn.end()) {
    return true;
  }
  if (std::ranges::find(kOff, text) != kOff.end()) {
    return false;
  }
  return std::nullopt;
}

std::optional<Feature> find_feature(std::string_view name) {
  const auto* found = std::ranges::find(kNames, name);
  if (found == kNames.end()) {
    return std::nullopt;
  }
  return kFeatures[static_cast<size_t>(found - kNames.begin())];
}

Result<void> apply(std::string_view setting, FeatureGates& gates) {
  const size_t equals = setting.find('=');
  const std::string_view name = trimmed(setting.substr(0, equals), kBlanks);
  if (equals == std::string_view::npos) {
    return fail(bad_request(fmt::format("missing bool value for {}", name)));
  }
  const std::string_view value = trimmed(setting.substr(equals + 1), kBlanks);
  const std::optional<bool> on = parse_bool(value);
  if (!on) {
    return fail(bad_request(fmt::format(
        "invalid value of {}={}, err: strconv.ParseBool: parsing \"{}\": invalid syntax", name,
        value, value)));
  }
  const std::optional<Feature> feature = find_feature(name);
  if (!feature) {
    return fail(bad_request(fmt::format("unrecognized feature gate: {}", name)));
  }
  gates = gates.with(*feature, *on);
  return {};
}

}  // namespace

std::string_view feature_name(Feature feature) {
  return kNames[static_cast<size_t>(feature)];
}

std::span<const Feature> all_features() {
  return kFeatures;
}

Result<FeatureGates> FeatureGates::parse(std::string_view text) {
  FeatureGates gates;
  while (!text.empty()) {
    const size_t comma = text.find(',');
    const std::string_view setting = trimmed(text.substr(0, comma), kBlanks);
    if (!setting.empty()) {
      TRY_VOID(apply(setting, gates));
    }
    text.remove_prefix(comma == std::string_view::npos ? text.size() : comma + 1);
  }
  return gates;
}

FeatureGates FeatureGates::with(Feature feature, bool on) const {
  FeatureGates changed = *this;
  changed.enabled_[static_cast<size_t>(feature)] = on;
  return changed;
}

std::string FeatureGates::text() const {
  std::string out;
  for (const Feature feature : kFeatures) {
    if (!enabled(feature)) {
      out += fmt::format("{}{}=false", out.empty() ? "" : ",", feature_name(feature));
    }
  }
  return out;
}

}  // namespace windlass::api
