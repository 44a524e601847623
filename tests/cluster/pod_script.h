// Ends the pods of scenarios as their scripts say, by writing their status: a kubelet for clusters
// without nodes. Works on any API server. Lives on the client's executor.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "client/informer.h"
#include "cluster/scenario.h"

namespace windlass::cluster_tests {

class PodScript {
 public:
  // By the name of the Job; the scenarios outlive this.
  using Scripts = std::map<std::string, const Scenario*>;

  PodScript(client::ClientEnv env, const std::string& ns, Scripts scripts);

  void start() { pods_.start(); }

 private:
  struct PodNews {
    std::string name;
    std::string uid;
    std::string job;  // "" where no script applies
    int index = -1;
    bool over = false;  // it has ended, or is being deleted
  };

  static PodNews read(const api::Message& pod);
  void on_pod(const PodNews& pod);
  void end(const PodNews& pod);
  void write(const std::string& name, const std::string& body);

  client::ClientEnv env_;
  const std::string ns_;
  const Scripts scenarios_;
  std::map<std::string, std::vector<PodNews>> waiting_;  // by Job, until enough are there
  std::map<std::string, int> seen_;                      // pods so far, by Job
  std::map<std::pair<std::string, int>, int> attempts_;  // so far, by Job and index
  std::shared_ptr<PodScript*> self_;                     // callbacks hold it weakly
  client::Informer<PodNews> pods_;
};

}  // namespace windlass::cluster_tests
