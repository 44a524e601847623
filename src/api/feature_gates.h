// Which features are on. A value: made once from `--feature-gates A=true,B=false` and passed by
// const reference to its users; there is no global. All gates are on by default, and each may be
// turned off and on again over the life of stored objects (api.md J54).
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

namespace windlass::api {

enum class Feature : size_t {
  pod_disruption_conditions,    // KEP-3329: DisruptionTarget on pods that are killed
  job_pod_failure_policy,       // KEP-3329: spec.podFailurePolicy
  job_backoff_limit_per_index,  // KEP-3850
  job_pod_replacement_policy,   // KEP-3939
  pod_failure_policy_name,      // KEP-4443
  job_success_policy,
  job_managed_by,
};

inline constexpr size_t kFeatureCount = 7;

std::string_view feature_name(Feature feature);  // JobPodFailurePolicy
std::span<const Feature> all_features();

class FeatureGates {
 public:
  FeatureGates() { enabled_.fill(true); }

  // `A=true,B=false`; a name given twice keeps its last value. Values are what kubectl's flags take
  // (1, t, true, 0, f, false and their capital forms). Errors as kube-apiserver has them.
  static Result<FeatureGates> parse(std::string_view text);

  bool enabled(Feature feature) const { return enabled_[static_cast<size_t>(feature)]; }
  FeatureGates with(Feature feature, bool on) const;

  // The gates that differ from the default, in declaration order: `JobManagedBy=false`, or "".
  std::string text() const;

  bool operator==(const FeatureGates&) const = default;

 private:
  std::array<bool, kFeatureCount> enabled_;
};

}  // namespace windlass::api
