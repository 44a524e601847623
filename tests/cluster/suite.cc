#include "cluster/suite.h"

#include <algorithm>
#include <utility>

#include "client/object_identity.h"

namespace windlass::cluster_tests {

Suite::Suite(client::ClientEnv env, std::string ns, std::string manager,
             std::vector<const Scenario*> chosen)
    : env_(env),
      ns_(std::move(ns)),
      manager_(std::move(manager)),
      chosen_(std::move(chosen)),
      pods_(env, ns_),
      jobs_(env, {&api::kinds::job(), ns_, "", ""}, [](const api::Message& job) {
        return std::make_shared<const Job>(static_cast<const Job&>(job));
      }) {
  jobs_.add_handler({[this](const std::shared_ptr<const Job>& job) { on_job(job); },
                     [this](const std::shared_ptr<const Job>&,
                            const std::shared_ptr<const Job>& job) { on_job(job); },
                     {}});
}

void Suite::start() {
  pods_.start();
  jobs_.start();
  for (const Scenario* scenario : chosen_) {
    create(*scenario);
  }
}

void Suite::create(const Scenario& scenario) {
  env_.client.create({&api::kinds::job(), ns_, scenario.name}, job_of(scenario, ns_, manager_),
                     [this, &scenario](const Result<client::ObjectPtr>& created) {
                       if (!created) {
                         refused_[scenario.name] = created.error().message;
                       }
                     });
}

void Suite::on_job(const std::shared_ptr<const Job>& job) {
  const std::string& name = job->metadata().name();
  const bool ours = std::any_of(chosen_.begin(), chosen_.end(), [&name](const Scenario* scenario) {
    return scenario->name == name;
  });
  if (ours && is_over(*job) && ended_.emplace(name, job).second && done()) {
    then_();
  }
}

std::vector<const Scenario*> all_scenarios() {
  std::vector<const Scenario*> all;
  for (const Scenario& scenario : scenarios()) {
    all.push_back(&scenario);
  }
  return all;
}

}  // namespace windlass::cluster_tests
