// What the overview shows: a row for every Job, made from its status and the failures of its
// attempts, and one for every node. On the worker executor.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "api/object.h"
#include "base/time.h"
#include "dashboard/feed.h"
#include "ledger/causes/failure_cause.h"
#include "ledger/ledger.h"

namespace windlass::dashboard {

class OverviewState final : public FeedState {
 public:
  static constexpr size_t kMaxGone = 10'000;
  static constexpr size_t kShownCauses = 3;  // of a Job

  // By key; without an object it is gone.
  struct Changes {
    std::vector<std::pair<std::string, api::ObjectPtr>> jobs = {};
    std::vector<std::pair<std::string, api::ObjectPtr>> nodes = {};
    std::vector<ledger::AttemptPtr> failures = {};  // each attempt once
    bool has_ledger = false;
    Time now = {};
  };
  void update(const Changes& changes);

  uint64_t version() const override { return version_; }
  std::string members_since(uint64_t version) const override;

 private:
  struct Row {
    std::string json;
    uint64_t changed = 0;
  };
  using Rows = std::map<std::string, Row>;
  struct KnownJob {
    api::ObjectPtr job;
    std::string uid;
    ledger::CauseGroups causes;
  };
  // What has to be shown anew, by key.
  struct Touched {
    std::set<std::string> jobs;
    std::set<std::string> nodes;
  };

  void take_job(const std::string& key, const api::ObjectPtr& job, Touched& touched);
  void forget_job(const std::string& key, Touched& touched);
  void take_failure(const ledger::AttemptPtr& attempt, Touched& touched);
  // Whether that changed anything.
  bool replace(Rows& rows, const std::string& kind, const std::string& key, std::string json);

  uint64_t version_ = 0;
  uint64_t oldest_ = 1;
  Time now_;
  bool has_ledger_ = false;
  std::map<std::string, KnownJob> known_jobs_;
  std::map<std::string, std::string> jobs_by_uid_;
  std::map<std::string, api::ObjectPtr> known_nodes_;
  std::map<std::string, int64_t> failures_on_;  // by node: those that count, of the known Jobs
  Rows jobs_;
  Rows nodes_;
  std::deque<std::pair<uint64_t, std::string>> gone_;  // job/ns/name, node/name
};

}  // namespace windlass::dashboard
