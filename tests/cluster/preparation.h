// Makes a namespace ready for scenarios, and finds out which fields of a Job its API server keeps:
// an older one, or one with a feature gate off, drops them without a word. Creates what is missing
// (the namespace, and the service account that pods need where no controller makes it) and, for a
// moment, a suspended Job.
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

  // `probe` is the name of the Job.
  Preparation(client::ClientEnv env, std::string ns, std::string probe, Done done);

  void start();

 private:
  void make_namespace();
  void make_service_account();
  void try_job();
  void on_job(const Result<client::ObjectPtr>& job);
  // Goes on with `next` when the object is there, whoever made it.
  void make(const client::ObjectRef& ref, const client::ObjectPtr& object,
            void (Preparation::*next)());
  void finish(Result<remote::ServerFeatures> kept);

  client::ClientEnv env_;
  const std::string ns_;
  const std::string probe_;
  Done done_;
  std::shared_ptr<Preparation*> self_;  // callbacks hold it weakly
};

}  // namespace windlass::cluster_tests
