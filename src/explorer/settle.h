// The fair rest of a run: no more faults, the watch tells everything, pods end well, time passes.
// From every world it must come to an end and then be silent (reliability.md L1, L2). One Settler
// serves one exploration: worlds that are known to settle are not run again.
#pragma once

#include <string>
#include <vector>

#include "explorer/canonical.h"
#include "explorer/key_set.h"
#include "explorer/steps.h"
#include "explorer/world.h"

namespace windlass::explorer {

// Far more than any fair run of a small Job takes.
inline constexpr int kMaxFairSteps = 400;

class Settler {
 public:
  // What is broken on the way or at rest. The steps taken until then are appended to `path`.
  std::vector<std::string> settle(World world, uint64_t key, std::vector<Step>& path);
  size_t known() const { return settled_.size(); }

 private:
  KeySet settled_;
};

// One stretch of the fair run: the next step that is not empty, with the decision that led to it.
// Nothing is left to do when it answers false.
bool take_fairly(World& world, std::vector<Step>& path, std::vector<std::string>& broken);

}  // namespace windlass::explorer
