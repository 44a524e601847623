// Makes a namespace ready for scenarios, and finds out which fields of a Job its API server keeps:
// an older one, or one with a feature gate off, drops them without a word. Creates what is missing
// (the namespace, and the service account that pods need where no controller makes it) and, for a
// moment, a suspended Job. Where Jobs cannot name their controller, and it is asked for, that Job
// also shows whether the cluster's own one is at work: that takes it up at once.
//
// Lives on the client's executor; `done` runs once, later, and not after destruction.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "client/reflector.h"
#include "remote/server_features.h"

namespace windlass::cluster_tests {

class Preparation {
 public:
  using Done = std::function<void(Result<remote::ServerFeatures> kept)>;

  // `probe` is the name of the Job. `patience` is the time that the cluster's own controller has to
  // show itself; that it does is an error. Zero: it is not looked for.
  Preparation(client::ClientEnv env, std::string ns, std::string probe, Done done,
              Duration patience = Duration::zero());

  void start();

 private:
  void make_namespace();
  void make_service_account();
  void try_job();
  void on_job(const Result<client::ObjectPtr>& job);
  void look_at_job();
  void on_look(const Result<client::ObjectPtr>& job);
  void remove_job(Result<remote::ServerFeatures> kept);
  // Calls `next` when the object exists, also when another client created it.
  void make(const client::ObjectRef& ref, const client::ObjectPtr& object,
            void (Preparation::*next)());
  void finish(Result<remote::ServerFeatures> kept);

  client::ClientEnv env_;
  const std::string ns_;
  const std::string probe_;
  Done done_;
  const Duration patience_;
  MonotonicTime look_until_;
  remote::ServerFeatures kept_;
  std::shared_ptr<Preparation*> self_;  // callbacks hold it weakly
};

}  // namespace windlass::cluster_tests
