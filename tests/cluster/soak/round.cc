#include "cluster/soak/round.h"

#include <fmt/format.h>

#include <cstring>
#include <utility>

#include "client/object_identity.h"
#include "schema/core/v1/namespace.pb.h"

namespace windlass::cluster_tests {
namespace {

constexpr const char* kManager = "windlass.dev/job-controller";
constexpr Duration kLookAgain = milliseconds(500);

std::vector<Scenario> scenarios_of_round() {
  std::vector<Scenario> all = scenarios();
  for (Scenario& scenario : all) {
    // Whether there was a pod before the deadline depends on the faults.
    if (std::strstr(scenario.spec, "activeDeadlineSeconds") != nullptr) {
      scenario.failed = -1;
    }
  }
  all.push_back({"wide", R"("completionMode":"Indexed","completions":60,"parallelism":60)", "",
                 "Complete", 60, 0});
  return all;
}

std::vector<const Scenario*> pointers_to(const std::vector<Scenario>& all) {
  std::vector<const Scenario*> chosen;
  for (const Scenario& each : all) {
    chosen.push_back(&each);
  }
  return chosen;
}

}  // namespace

Round::Round(client::ClientEnv env, std::string ns, End end, Duration after,
             std::function<void()> on_over)
    : env_(env),
      ns_(std::move(ns)),
      end_(end),
      after_(after),
      on_over_(std::move(on_over)),
      scenarios_(scenarios_of_round()),
      self_(std::make_shared<Round*>(this)) {}

Round::~Round() = default;

template <class... T>
std::function<void(T...)> Round::guarded(void (Round::*then)(T...)) {
  return [weak = std::weak_ptr(self_), then](T... values) {
    if (const auto self = weak.lock()) {
      ((*self)->*then)(values...);
    }
  };
}

void Round::later(Duration delay, void (Round::*step)()) {
  env_.executor.schedule(delay, guarded(step));
}

void Round::start() {
  auto ns = std::make_shared<api::core::v1::Namespace>();
  ns->mutable_metadata()->set_name(ns_);
  env_.client.create({&api::kinds::namespace_(), "", ns_}, ns, guarded(&Round::on_namespace));
}

void Round::on_namespace(const Result<client::ObjectPtr>& created) {
  if (!created && !is_already_exists(created.error())) {
    return later(kLookAgain, &Round::start);
  }
  run_jobs();
}

void Round::run_jobs() {
  suite_.emplace(env_, ns_, kManager, pointers_to(scenarios_));
  suite_->when_done([this] {
    if (end_ == End::waited_for) {
      later(Duration::zero(), &Round::judge);
    }
  });
  suite_->start();
  later(end_ == End::waited_for ? kPatience : after_, &Round::end_jobs);
}

// The time of this round is over.
void Round::end_jobs() {
  switch (end_) {
    case End::waited_for:
      return judge();
    case End::jobs_deleted:
      return remove_jobs();
    case End::namespace_deleted:
      return remove_namespace();
  }
}

void Round::judge() {
  if (std::exchange(judged_, true)) {
    return;
  }
  for (const auto& [name, why] : suite_->refused()) {
    say(fmt::format("{} was not taken: {}", name, why));
  }
  for (const Scenario& scenario : scenarios_) {
    const auto job = suite_->ended().find(scenario.name);
    const std::string wrong =
        job == suite_->ended().end() ? "has not ended" : mistakes_in(scenario, *job->second);
    if (!wrong.empty()) {
      say(fmt::format("{}: {}", scenario.name, wrong));
    }
  }
  look_for_finalizers();
}

void Round::look_for_finalizers() {
  env_.client.list({&api::kinds::pod(), ns_, "", ""}, {}, guarded(&Round::on_pods));
}

void Round::on_pods(const Result<client::ObjectList>& pods) {
  if (!pods) {
    return later(kLookAgain, &Round::look_for_finalizers);
  }
  for (const client::ObjectPtr& pod : pods->items) {
    if (api::metadata_of(*pod).finalizers_size() > 0) {
      say(fmt::format("{} keeps its finalizer", api::metadata_of(*pod).name()));
    }
  }
  remove_namespace();
}

// Those that are not created yet by then live until the namespace goes.
void Round::remove_jobs() {
  client::DeleteOptions options;
  options.propagation_policy = "Background";
  for (const Scenario& scenario : scenarios_) {
    env_.client.remove({&api::kinds::job(), ns_, scenario.name}, options,
                       [](const Result<client::ObjectPtr>&) {});
  }
  later(after_, &Round::remove_namespace);
}

void Round::remove_namespace() {
  suite_.reset();
  env_.client.remove({&api::kinds::namespace_(), "", ns_}, {}, guarded(&Round::on_removed));
}

void Round::on_removed(const Result<client::ObjectPtr>& removed) {
  if (!removed && !is_not_found(removed.error()) && !is_conflict(removed.error())) {
    return later(kLookAgain, &Round::remove_namespace);
  }
  give_up_ = env_.clock.monotonic() + kPatience;
  wait_until_gone();
}

void Round::wait_until_gone() {
  env_.client.get({&api::kinds::namespace_(), "", ns_}, guarded(&Round::on_looked));
}

void Round::on_looked(const Result<client::ObjectPtr>& found) {
  if (!found && is_not_found(found.error())) {
    return over();
  }
  if (env_.clock.monotonic() > give_up_) {
    say("the namespace has not gone: something keeps a finalizer");
    return over();
  }
  later(kLookAgain, &Round::wait_until_gone);
}

void Round::over() {
  env_.executor.post(on_over_);
}

}  // namespace windlass::cluster_tests
