// The fair rest of a run: no more faults, the watch tells everything, pods end well, time passes.
// From every model it must come to an end and then be silent (safety.md L1, L2). One Settler
// serves one exploration: states that are known to settle are not run again.
#pragma once

#include <string>
#include <vector>

#include "verify/explorer/canonical.h"
#include "verify/explorer/key_set.h"
#include "verify/explorer/model_state.h"
#include "verify/explorer/steps.h"

namespace windlass::verify::explorer {

// Far more than any fair run of a small Job takes.
inline constexpr int kMaxFairSteps = 400;

class Settler {
 public:
  // What is broken on the way or at rest. The steps taken until then are appended to `path`.
  std::vector<std::string> settle(ModelState model, uint64_t key, std::vector<Step>& path);
  size_t known() const { return settled_.size(); }

 private:
  KeySet settled_;
};

// One stretch of the fair run: the next step that is not empty, with the decision that led to it.
// Nothing is left to do when it answers false.
bool take_fairly(ModelState& model, std::vector<Step>& path, std::vector<std::string>& broken);

}  // namespace windlass::verify::explorer
