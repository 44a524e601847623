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

#include "verify/explorer/config.h"
#include "verify/explorer/steps.h"

namespace windlass::verify::explorer {

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
