#include "cluster/cleanup.h"

#include <algorithm>
#include <utility>

#include "schema/meta/v1/meta.pb.h"

namespace windlass::cluster_tests {
namespace {

constexpr Duration kLookAgain = milliseconds(500);
// So often nothing is there: what was on its way when the first look was taken has come by then.
constexpr int kEmptyLooks = 2;

}  // namespace

Cleanup::Cleanup(client::ClientEnv env, std::string ns, std::vector<std::string> jobs, Done done)
    : env_(env),
      ns_(std::move(ns)),
      jobs_(std::move(jobs)),
      done_(std::move(done)),
      self_(std::make_shared<Cleanup*>(this)) {}

void Cleanup::start() {
  give_up_ = env_.clock.monotonic() + kPatience;
  remove_jobs();
}

void Cleanup::remove_jobs() {
  env_.client.list({&api::kinds::job(), ns_, "", ""}, {},
                   [weak = std::weak_ptr(self_)](const Result<client::ObjectList>& jobs) {
                     if (const auto self = weak.lock()) {
                       (*self)->on_jobs(jobs);
                     }
                   });
}

void Cleanup::on_jobs(const Result<client::ObjectList>& jobs) {
  jobs_are_gone_ = jobs.has_value();
  client::DeleteOptions background;
  background.propagation_policy = "Background";
  for (const client::ObjectPtr& job : jobs ? jobs->items : std::vector<client::ObjectPtr>()) {
    const std::string& name = api::metadata_of(*job).name();
    if (std::find(jobs_.begin(), jobs_.end(), name) != jobs_.end()) {
      jobs_are_gone_ = false;
      env_.client.remove({&api::kinds::job(), ns_, name}, background,
                         [](const Result<client::ObjectPtr>&) {});
    }
  }
  remove_pods();
}

void Cleanup::remove_pods() {
  env_.client.list({&api::kinds::pod(), ns_, "batch.kubernetes.io/job-name", ""}, {},
                   [weak = std::weak_ptr(self_)](const Result<client::ObjectList>& pods) {
                     if (const auto self = weak.lock()) {
                       (*self)->on_pods(pods);
                     }
                   });
}

bool Cleanup::is_ours(const api::Message& pod) const {
  const auto& labels = api::metadata_of(pod).labels();
  const auto job = labels.find("batch.kubernetes.io/job-name");
  return job != labels.end() && std::find(jobs_.begin(), jobs_.end(), job->second) != jobs_.end();
}

void Cleanup::on_pods(const Result<client::ObjectList>& pods) {
  size_t left = 0;
  if (pods) {
    for (const client::ObjectPtr& pod : pods->items) {
      if (is_ours(*pod)) {
        ++left;
        client::DeleteOptions at_once;
        at_once.grace_period_seconds = 0;
        env_.client.remove({&api::kinds::pod(), ns_, api::metadata_of(*pod).name()}, at_once,
                           [](const Result<client::ObjectPtr>&) {});
      }
    }
  }
  empty_looks_ = jobs_are_gone_ && pods && left == 0 ? empty_looks_ + 1 : 0;
  if (empty_looks_ == kEmptyLooks || env_.clock.monotonic() > give_up_) {
    return std::exchange(done_, nullptr)(left);
  }
  env_.executor.schedule(kLookAgain, [weak = std::weak_ptr(self_)] {
    if (const auto self = weak.lock()) {
      (*self)->remove_jobs();
    }
  });
}

}  // namespace windlass::cluster_tests
