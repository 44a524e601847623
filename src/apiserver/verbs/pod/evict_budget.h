// The part of an eviction that is about budgets: may this pod go now, and what that costs
// (disruption.md E-3 to E-9). Pure; the writing is in evict.cc.
#pragma once

#include <memory>
#include <string_view>

#include "base/result.h"
#include "base/time.h"

namespace windlass::api::core::v1 {
class Pod;
}
namespace windlass::api::policy::v1 {
class PodDisruptionBudget;
}

namespace windlass::apiserver {

using Budget = api::policy::v1::PodDisruptionBudget;

// More unconfirmed evictions than these are too many (E-9c).
inline constexpr int kMaxDisruptedPods = 2000;

// Finished, terminating and pending pods protect no other pod (E-3).
bool ignores_budgets(const api::core::v1::Pod& pod);
// Same namespace is the caller's business (E-7).
bool selects(const Budget& budget, const api::core::v1::Pod& pod);

// The budget after this disruption; nullptr where it need not pay (E-8); or why not (E-9).
Result<std::unique_ptr<Budget>> charge(const Budget& budget, const api::core::v1::Pod& pod,
                                       Time now);

}  // namespace windlass::apiserver
