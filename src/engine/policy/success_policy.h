// The success policy (job-controller.md 2.38), kept incrementally: each rule is parsed once and
// counts its own hits, so a success costs O(rules). Owned by the engine of one Job.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/state/index_bits.h"
#include "engine/types.h"

namespace windlass::engine {

class SuccessPolicy {
 public:
  SuccessPolicy() = default;
  // `completed` are the indexes that have succeeded so far.
  SuccessPolicy(const std::vector<SuccessRule>& rules, int64_t completions,
                const IndexBits& completed);

  // By 1 when an index is found to have succeeded; by -1 when that turns out not to hold.
  void add_success(int64_t index, int64_t by);
  // Index of the first rule that is met. No success at all never meets a rule, not even a count of
  // 0.
  std::optional<size_t> first_met() const;

 private:
  struct Rule {
    bool counts_any = false;  // no succeededIndexes: every success counts
    IndexBits required;
    std::optional<int64_t> needed_count;
    int64_t hits = 0;
  };
  static bool is_met(const Rule& rule);

  std::vector<Rule> rules_;
  int64_t successes_ = 0;
};

}  // namespace windlass::engine
