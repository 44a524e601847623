// What the overview shows: a row for every Job, made from its status, and one for every node. On
// the worker executor.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "api/object.h"
#include "base/time.h"
#include "dashboard/feed.h"

namespace windlass::dashboard {

class OverviewState final : public FeedState {
 public:
  static constexpr size_t kMaxGone = 10'000;

  // By key; without an object it is gone.
  struct Changes {
    std::vector<std::pair<std::string, api::ObjectPtr>> jobs;
    std::vector<std::pair<std::string, api::ObjectPtr>> nodes;
    Time now;
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

  // Whether that changed anything.
  bool replace(Rows& rows, const std::string& kind, const std::string& key, std::string json);

  uint64_t version_ = 0;
  uint64_t oldest_ = 1;
  Time now_;
  Rows jobs_;
  Rows nodes_;
  std::deque<std::pair<uint64_t, std::string>> gone_;  // job/ns/name, node/name
};

}  // namespace windlass::dashboard
