// The status of a PodDisruptionBudget from the pods it protects: the rules of disruption.md D-2 to
// D-7 and D-9 as pure functions.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "api/object.h"
#include "api/select/label_selector.h"
#include "base/result.h"
#include "base/time.h"

namespace windlass::api::policy::v1 {
class PodDisruptionBudget;
}

namespace windlass::controllers::disruption {

using Budget = api::policy::v1::PodDisruptionBudget;

// So long an eviction that was granted keeps its pod out of the count of healthy ones (D-6).
inline constexpr Duration kDeletionTimeout = minutes(2);

struct BudgetPod {
  std::string key = {};
  std::string ns = {};
  std::string name = {};
  std::string uid = {};
  std::map<std::string, std::string> labels = {};
  std::string controller = {};  // `jobs.batch`; "" without a controller
  std::string controller_uid = {};
  bool ready = false;
  bool deleting = false;
};

BudgetPod read_budget_pod(const api::Message& pod);
// What was read of it before is what would be read now.
bool is_current(const BudgetPod& known, const api::Message& pod);

// Which pods a budget is about: of its namespace, where its selector says so (E-7).
class BudgetScope {
 public:
  explicit BudgetScope(const Budget& budget);
  bool has(const BudgetPod& pod) const;

 private:
  std::string ns_;
  api::LabelSelector selector_;
};

struct Reckoning {
  int32_t expected = 0;
  int32_t desired = 0;
  int32_t healthy = 0;
  int32_t allowed = 0;
  std::map<std::string, Time> disrupted = {};      // by pod name
  std::vector<const BudgetPod*> not_deleted = {};  // granted, and still there after the time-out
  bool has_unmanaged = false;                      // pods that no number could be had for (D-9)
  std::optional<Time> recheck = {};                // when the next grant runs out
};

// `pods` are those that the budget selects. The error is why it cannot be told how many there
// should be (D-3).
Result<Reckoning> reckon(const Budget& budget, const std::vector<const BudgetPod*>& pods, Time now);

// Writes it into the status; false when that changed nothing (D-7).
bool apply_reckoning(const Reckoning& reckoning, Time now, Budget& budget);
// The fail-safe of D-3: nothing may go.
bool apply_failure(const std::string& why, Time now, Budget& budget);

}  // namespace windlass::controllers::disruption
