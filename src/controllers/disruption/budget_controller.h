// Keeps the status of every PodDisruptionBudget true (disruption.md D-1 to D-9): the API server
// grants evictions by it. A budget is looked at when it, or a pod that it selects or selected,
// changes, and when a granted eviction runs out.
//
// Lives on the client's executor; nothing runs after destruction.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "base/weak_self.h"
#include "client/event_recorder.h"
#include "client/informer.h"
#include "client/work_queue.h"
#include "controllers/disruption/budget.h"

namespace windlass::controllers::disruption {

class BudgetController {
 public:
  explicit BudgetController(client::ClientEnv env);
  ~BudgetController();
  BudgetController(const BudgetController&) = delete;
  BudgetController& operator=(const BudgetController&) = delete;

  void start();

 private:
  static constexpr size_t kWorkers = 5;

  struct Known {
    std::shared_ptr<const Budget> budget;
    BudgetScope scope;
  };

  static Known read_budget(const client::ObjectPtr& object);
  void on_budget(const Budget& budget);
  void on_pod(const BudgetPod* before, const BudgetPod* now);
  void process(const std::string& key);
  // Changes the status of the budget as it is on the server.
  bool renew(Budget& budget);
  bool reckon_anew(Budget& budget);
  void report(const Budget& budget, const Reckoning& reckoning);
  void finish(const std::string& key, const Result<client::ObjectPtr>& result);

  client::ClientEnv env_;
  client::EventRecorder events_;
  client::WorkQueue queue_;  // of budget keys
  // As the last reckoning left each budget, by key: what then comes back from the server is no
  // news, and not worth another look at all pods.
  std::map<std::string, std::shared_ptr<const Budget>> reckoned_;
  client::Informer<Known> budgets_;
  client::Informer<BudgetPod> pods_;
  WeakSelf<BudgetController> self_{this};
};

}  // namespace windlass::controllers::disruption
