// All Jobs and nodes as they change, and why Jobs fail as far as a ledger tells. Lives on the core
// executor; client, worker and attempts outlive it.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "base/weak_self.h"
#include "client/informer.h"
#include "dashboard/failure_reader.h"
#include "dashboard/feed.h"
#include "dashboard/overview_state.h"

namespace windlass::dashboard {

class OverviewFeed {
 public:
  static constexpr Duration kListTimeout = seconds(10);

  // `ns` is "" for the Jobs of all namespaces.
  OverviewFeed(client::ClientEnv env, env::Executor& worker, ledger::AttemptSource& attempts,
               std::string ns);
  ~OverviewFeed();
  OverviewFeed(const OverviewFeed&) = delete;
  OverviewFeed& operator=(const OverviewFeed&) = delete;

  Feed& feed() { return feed_; }

 private:
  using Objects = client::Informer<client::ObjectPtr>;
  using Prepared = std::function<void(Result<Feed::Update>)>;

  void prepare(Prepared done);
  void on_allowed(const Result<client::ObjectList>& jobs);
  void start();
  void follow(Objects& objects, std::set<std::string>& changed);
  void proceed();
  void finish(Result<Feed::Update> prepared);
  Feed::Update make_update();

  client::ClientEnv env_;
  const std::string ns_;
  std::shared_ptr<OverviewState> state_;
  Feed feed_;
  FailureReader failures_;
  Prepared prepared_;  // while the feed waits
  env::TimerId give_up_ = env::TimerId::none;
  std::optional<Objects> jobs_;
  std::optional<Objects> nodes_;
  std::set<std::string> changed_jobs_;
  std::set<std::string> changed_nodes_;
  WeakSelf<OverviewFeed> self_{this};
};

}  // namespace windlass::dashboard
