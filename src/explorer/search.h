// Breadth-first exploration of one configuration: every world that can be reached, each once, the
// nearest first, so that the first failure is a shortest one. Single-threaded and deterministic;
// takes no time of its own: the caller says when to stop.
//
// Memory: 16 bytes a world for its key, 8 for the way back, 8 for worlds known to settle, and whole
// worlds for at most `max_kept` of those that wait to be expanded; the others are made again from
// the start by taking their steps.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "explorer/config.h"
#include "explorer/steps.h"

namespace windlass::explorer {

struct Limits {
  size_t max_states = 1'000'000;
  int max_depth = 1000;
  size_t max_kept = 50'000;    // worlds of some 10 KB
  std::function<bool()> stop;  // asked now and then
};

struct Findings {
  size_t states = 0;
  size_t transitions = 0;
  int depth = 0;                    // of the deepest world found
  int complete_to = 0;              // every world up to this depth is expanded
  bool complete = false;            // there was nothing more to find
  std::vector<std::string> broken;  // of the first failure; empty when there is none
  std::vector<Step> trace;          // that leads to it
};

Findings explore(const Config& config, const Limits& limits);

// A trace as a test: TEST(Regression, ...) { ... } with every step explained.
std::string test_case(const Config& config, const Findings& findings);

// Takes the steps from the start. Empty when all is well; an impossible step is an answer too. With
// `settle` the fair rest of the run follows.
std::vector<std::string> replay(const Config& config, const std::vector<std::string>& steps,
                                bool settle = true);

}  // namespace windlass::explorer
