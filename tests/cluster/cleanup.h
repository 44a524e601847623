// Deletes the objects that scenarios leave: their Jobs, then their pods one by one, because a
// cluster without controllers of its own has no garbage collector. The controller under test still
// runs: it removes the finalizers of pods whose Job is gone.
//
// Lives on the client's executor; `done` runs once, later, with the number of pods that would not
// go, and not after destruction.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "client/reflector.h"

namespace windlass::cluster_tests {

class Cleanup {
 public:
  using Done = std::function<void(size_t left)>;
  static constexpr Duration kPatience = seconds(30);

  Cleanup(client::ClientEnv env, std::string ns, std::vector<std::string> jobs, Done done);

  void start();

 private:
  void remove_jobs();
  void on_jobs(const Result<client::ObjectList>& jobs);
  void remove_pods();
  void on_pods(const Result<client::ObjectList>& pods);
  bool is_ours(const api::Message& pod) const;

  client::ClientEnv env_;
  const std::string ns_;
  const std::vector<std::string> jobs_;
  Done done_;
  MonotonicTime give_up_;
  bool jobs_are_gone_ = false;
  int empty_looks_ = 0;
  std::shared_ptr<Cleanup*> self_;  // callbacks hold it weakly
};

}  // namespace windlass::cluster_tests
