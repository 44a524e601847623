// Breadth-first exploration of one configuration: every model that can be reached, each once, the
// nearest first, so that the first failure is a shortest one. Single-threaded and deterministic;
// takes no time of its own: the caller says when to stop.
//
// Memory: 16 bytes a model for its key, 8 for the way back, 8 for states known to settle, and whole
// states for at most `max_kept` of those that wait to be expanded; the others are made again from
// the start by taking their steps.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "verify/explorer/canonical.h"
#include "verify/explorer/config.h"
#include "verify/explorer/key_set.h"
#include "verify/explorer/model_state.h"
#include "verify/explorer/steps.h"

namespace windlass::verify::explorer {

// The fair rest of a run: no more faults, the watch tells everything, pods end well, time passes.
// From every model it must come to an end and then be silent (safety.md L1, L2). One Settler
// serves one exploration: states that are known to settle are not run again.

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

struct SearchLimits {
  size_t max_states = 1'000'000;
  int max_depth = 1000;
  size_t max_kept = 50'000;    // states of some 10 KB
  std::function<bool()> stop;  // asked now and then
};

struct Findings {
  size_t states = 0;
  size_t transitions = 0;
  int depth = 0;                    // of the deepest model found
  int complete_to = 0;              // every model up to this depth is expanded
  bool complete = false;            // there was nothing more to find
  std::vector<std::string> broken;  // of the first failure; empty when there is none
  std::vector<Step> trace;          // that leads to it
};

Findings explore(const ExplorerConfig& config, const SearchLimits& limits);

// A trace as a test: TEST(Regression, ...) { ... } with every step explained.
std::string test_case(const ExplorerConfig& config, const Findings& findings);

// Takes the steps from the start. Empty when all is well; an impossible step is an answer too. With
// `settle` the fair rest of the run follows.
std::vector<std::string> replay(const ExplorerConfig& config, const std::vector<std::string>& steps,
                                bool settle = true);

}  // namespace windlass::verify::explorer
