// The document about one Job as its readers have it: remembers since when each attempt and each
// index is as it is now, so that only what changed is sent. On the worker executor.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "dashboard/feed.h"
#include "web/job_page.h"

namespace windlass::dashboard {

class JobState final : public FeedState {
 public:
  // Attempts that are remembered after they are gone.
  static constexpr size_t kMaxGone = 10'000;

  void update(web::JobPageInput input);

  uint64_t version() const override { return version_; }
  std::string members_since(uint64_t version) const override;

 private:
  struct Attempt {
    uint64_t digest = 0;
    uint64_t changed = 0;
    uint64_t seen = 0;
  };

  void compare_attempts();
  void compare_cells(const std::string& before);

  uint64_t version_ = 0;
  uint64_t oldest_ = 0;  // readers of versions before this one get everything
  std::string job_uid_;
  std::unique_ptr<web::JobPage> page_;
  std::map<std::string, Attempt> attempts_;  // by UID of the pod
  std::deque<std::pair<uint64_t, std::string>> gone_;
  std::vector<uint64_t> cells_;  // when each changed
};

}  // namespace windlass::dashboard
