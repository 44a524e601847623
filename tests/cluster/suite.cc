#include "cluster/suite.h"

#include <algorithm>
#include <utility>

#include "client/object_identity.h"

namespace windlass::cluster_tests {
namespace {

constexpr Duration kRetry = milliseconds(500);

}  // namespace

Suite::Suite(client::ClientEnv env, std::string ns, std::string manager,
             std::vector<const Scenario*> chosen, std::string suffix)
    : env_(env),
      ns_(std::move(ns)),
      manager_(std::move(manager)),
      chosen_(std::move(chosen)),
      suffix_(std::move(suffix)),
      pods_(env, ns_, scripts()),
      jobs_(env, {&api::kinds::job(), ns_, "", ""},
            [](const client::ObjectPtr& job) { return api::object_as<Job>(job); }),
      self_(std::make_shared<Suite*>(this)) {
  jobs_.add_handler({[this](const std::shared_ptr<const Job>& job) { on_job(job); },
                     [this](const std::shared_ptr<const Job>&,
                            const std::shared_ptr<const Job>& job) { on_job(job); },
                     {}});
}

PodScript::Scripts Suite::scripts() const {
  PodScript::Scripts scripts;
  for (const Scenario* scenario : chosen_) {
    scripts.emplace(job_name(*scenario), scenario);
  }
  return scripts;
}

void Suite::start() {
  pods_.start();
  jobs_.start();
  for (const Scenario* scenario : chosen_) {
    create(*scenario);
  }
}

void Suite::create(const Scenario& scenario) {
  env_.client.create(
      {&api::kinds::job(), ns_, job_name(scenario)},
      job_of(scenario, ns_, job_name(scenario), manager_),
      [weak = std::weak_ptr(self_), &scenario](const Result<client::ObjectPtr>& created) {
        if (const auto self = weak.lock()) {
          (*self)->on_created(scenario, created);
        }
      });
}

void Suite::on_created(const Scenario& scenario, const Result<client::ObjectPtr>& created) {
  if (created) {
    return;
  }
  const Status& why = created.error();
  const bool refused = why.code >= 400 && why.code < 500 && why.code != 429;
  if (refused && !(is_already_exists(why) && retried_.contains(scenario.name))) {
    refused_[scenario.name] = why.message;
    if (done()) {
      then_();
    }
  } else if (!refused) {
    retried_.insert(scenario.name);
    env_.executor.schedule(kRetry, [weak = std::weak_ptr(self_), &scenario] {
      if (const auto self = weak.lock()) {
        (*self)->create(scenario);
      }
    });
  }
}

void Suite::on_job(const std::shared_ptr<const Job>& job) {
  const auto scenario = std::find_if(
      chosen_.begin(), chosen_.end(),
      [this, &job](const Scenario* each) { return job_name(*each) == job->metadata().name(); });
  if (scenario == chosen_.end()) {
    return;
  }
  seen_[(*scenario)->name] = job;
  if (is_over(*job) && ended_.emplace((*scenario)->name, job).second && done()) {
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
