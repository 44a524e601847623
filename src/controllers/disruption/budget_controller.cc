#include "controllers/disruption/budget_controller.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "api/equality.h"
#include "api/kind.h"
#include "base/check.h"
#include "client/object_identity.h"
#include "client/update_status.h"
#include "schema/policy/v1/pod_disruption_budget.pb.h"

namespace windlass::controllers::disruption {
namespace {

const api::Kind& budget_kind() {
  const api::Kind* kind = api::find_kind("policy/v1", "PodDisruptionBudget");
  CHECK(kind != nullptr, "the kind is registered");
  return *kind;
}

client::EventTarget target_of(const Budget& budget) {
  return {"policy/v1", "PodDisruptionBudget", budget.metadata().namespace_(),
          budget.metadata().name(), budget.metadata().uid()};
}

client::EventTarget target_of(const BudgetPod& pod) {
  return {"v1", "Pod", pod.ns, pod.name, pod.uid};
}

bool is_same(const Budget& a, const Budget& b) {
  return a.metadata().uid() == b.metadata().uid() &&
         a.metadata().generation() == b.metadata().generation() &&
         api::semantically_equal(a.status(), b.status());
}

}  // namespace

BudgetController::BudgetController(client::ClientEnv env)
    : env_(env),
      events_(env, "controllermanager"),
      queue_(env.executor, env.clock, {kWorkers}, [this](const std::string& key) { process(key); }),
      budgets_(env, {&budget_kind()}, read_budget),
      pods_(env, {&api::kinds::pod()}, read_budget_pod) {
  budgets_.add_handler(
      {[this](const Known& added) { on_budget(*added.budget); },
       [this](const Known&, const Known& now) { on_budget(*now.budget); },
       [this](const Known& last) { reckoned_.erase(client::key_of(*last.budget)); }});
  pods_.keep_while(is_current);
  pods_.add_handler(
      {[this](const BudgetPod& added) { on_pod(nullptr, &added); },
       [this](const BudgetPod& before, const BudgetPod& now) { on_pod(&before, &now); },
       [this](const BudgetPod& last) { on_pod(&last, nullptr); }});
  budgets_.when_synced([this] { pods_.start(); });
  pods_.when_synced([this] {
    budgets_.for_each([this](const std::string& key, const Known&) { queue_.add(key); });
  });
}

BudgetController::~BudgetController() = default;

void BudgetController::start() {
  budgets_.start();
}

BudgetController::Known BudgetController::read_budget(const client::ObjectPtr& object) {
  auto budget = api::object_as<Budget>(object);
  BudgetScope scope(*budget);
  return {std::move(budget), std::move(scope)};
}

void BudgetController::on_budget(const Budget& budget) {
  const std::string key = client::key_of(budget);
  const auto reckoned = reckoned_.find(key);
  const bool is_news = reckoned == reckoned_.end() || !is_same(*reckoned->second, budget);
  if (pods_.has_synced() && is_news) {
    queue_.add(key);
  }
}

// Every budget that selects it, so that none goes stale (D-8).
void BudgetController::on_pod(const BudgetPod* before, const BudgetPod* now) {
  if (!pods_.has_synced()) {
    return;
  }
  const BudgetPod& pod = now != nullptr ? *now : *before;
  size_t matching = 0;
  budgets_.for_each_in(pod.ns, [&](const std::string& key, const Known& known) {
    const bool selected = now != nullptr && known.scope.has(*now);
    matching += selected ? 1 : 0;
    if (selected || (before != nullptr && known.scope.has(*before))) {
      queue_.add(key);
    }
  });
  if (matching > 1) {
    events_.warning(target_of(pod), "MultiplePodDisruptionBudgets",
                    fmt::format("Pod \"{}\"/\"{}\" matches multiple PodDisruptionBudgets.  It "
                                "cannot be evicted while it does.",
                                pod.ns, pod.name));
  }
}

void BudgetController::process(const std::string& key) {
  const Known* known = budgets_.find(key);
  if (known == nullptr) {
    queue_.forget(key);
    queue_.done(key);
    return;
  }
  client::KeyParts parts = client::split_key(key);
  client::update_status(
      env_.client, {&budget_kind(), std::move(parts.ns), std::move(parts.name)},
      known->budget->metadata().uid(),
      self_.bind([](BudgetController& self, api::Message& message) {
        return self.renew(static_cast<Budget&>(message));
      }),
      self_.bind([key](BudgetController& self, const Result<client::ObjectPtr>& result) {
        self.finish(key, result);
      }));
}

bool BudgetController::renew(Budget& budget) {
  const bool changed = reckon_anew(budget);
  if (const std::string key = client::key_of(budget); budgets_.find(key) != nullptr) {
    reckoned_[key] = std::make_shared<const Budget>(budget);
  }
  return changed;
}

bool BudgetController::reckon_anew(Budget& budget) {
  const Time now = env_.clock.now();
  const BudgetScope scope(budget);
  std::vector<const BudgetPod*> selected;
  pods_.for_each_in(budget.metadata().namespace_(), [&](const std::string&, const BudgetPod& pod) {
    if (scope.has(pod)) {
      selected.push_back(&pod);
    }
  });
  const Result<Reckoning> reckoning = reckon(budget, selected, now);
  if (!reckoning) {
    events_.warning(
        target_of(budget), "CalculateExpectedPodCountFailed",
        "Failed to calculate the number of expected pods: " + reckoning.error().message);
    return apply_failure(reckoning.error().message, now, budget);
  }
  report(budget, *reckoning);
  if (reckoning->recheck) {
    // Just past the moment, as the time in the status has whole seconds.
    queue_.add_after(client::key_of(budget), *reckoning->recheck - now + seconds(1));
  }
  return apply_reckoning(*reckoning, now, budget);
}

void BudgetController::report(const Budget& budget, const Reckoning& reckoning) {
  for (const BudgetPod* pod : reckoning.not_deleted) {
    events_.warning(target_of(*pod), "NotDeleted",
                    fmt::format("Pod was expected by PDB {}/{} to be deleted but it wasn't",
                                budget.metadata().namespace_(), budget.metadata().name()));
  }
  if (reckoning.has_unmanaged) {
    events_.warning(target_of(budget), "UnmanagedPods",
                    "Pods that this PodDisruptionBudget selects have no controller that could say "
                    "how many there should be, so no eviction is allowed. An integer in "
                    ".spec.minAvailable needs no controller.");
  }
}

void BudgetController::finish(const std::string& key, const Result<client::ObjectPtr>& result) {
  if (result || is_not_found(result.error())) {
    queue_.forget(key);
  } else {
    env_.log.warning("a PodDisruptionBudget could not be updated, will try again",
                     {{"budget", key}, {"error", result.error().message}});
    queue_.add_rate_limited(key);
  }
  queue_.done(key);
}

}  // namespace windlass::controllers::disruption
