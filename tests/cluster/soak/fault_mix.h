// What goes wrong between a controller and the API server during a soak: a share of its requests,
// of every kind, from a seed. Requests of others are left alone.
//
// choose() runs on the cluster's thread, tally() on any.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>

#include "base/generator.h"
#include "cli/commands/controller/cluster_testing.h"

namespace windlass::cluster_tests {

class FaultMix {
 public:
  explicit FaultMix(uint64_t seed) : random_(seed) {}

  cli::testing::Fault choose(const http::Request& request);

  struct Tally {
    uint64_t requests = 0;  // of the controller
    uint64_t harmed = 0;
    std::map<std::string, uint64_t> kinds;  // `write lost-answer`, `watch 410`
  };
  Tally tally() const;

 private:
  cli::testing::Fault choose_harm(const std::string& class_of_request);

  mutable std::mutex mutex_;
  Generator random_;
  bool leads_ = false;  // the controller has written its Lease
  Tally tally_;
};

}  // namespace windlass::cluster_tests
