#include "controllers/pod_gc/force_deleter.h"

#include <utility>

#include "api/kind.h"
#include "api/pod/pod_condition.h"
#include "client/object_identity.h"
#include "client/update_status.h"
#include "schema/core/v1/pod.pb.h"

namespace windlass::controllers::pod_gc {
namespace {

client::ObjectRef pod_ref(const std::string& key) {
  client::KeyParts parts = client::split_key(key);
  return {&api::kinds::pod(), std::move(parts.ns), std::move(parts.name)};
}

}  // namespace

std::string_view name_of(Sweep sweep) {
  switch (sweep) {
    case Sweep::terminated:
      return "terminated";
    case Sweep::out_of_service:
      return "out-of-service";
    case Sweep::orphaned:
      return "orphaned";
    case Sweep::unscheduled:
      break;
  }
  return "unscheduled";
}

ForceDeleter::ForceDeleter(client::ClientEnv env, Writes writes, Count count)
    : env_(env),
      writes_(writes),
      count_(std::move(count)),
      queue_(env.executor, env.clock, {kWorkers},
             [this](const std::string& key) { process(key); }) {}

void ForceDeleter::add(const CollectablePod& pod, Sweep sweep) {
  if (jobs_.emplace(pod.key, Job{pod, sweep}).second) {
    queue_.add(pod.key);
  }
}

void ForceDeleter::process(const std::string& key) {
  const Job& job = jobs_.at(key);
  if (job.pod.terminal || !writes_.phase) {
    remove(key);
    return;
  }
  client::update_status(env_.client, pod_ref(key), job.pod.uid,
                        self_.bind([sweep = job.sweep](ForceDeleter& self, api::Message& pod) {
                          return self.mark_failed(pod, sweep);
                        }),
                        self_.bind([key](ForceDeleter& self, const Result<client::ObjectPtr>& pod) {
                          if (pod) {
                            self.remove(key);
                          } else {
                            self.finish(key, fail(pod.error()));  // C-7: no mark, no delete
                          }
                        }));
}

// B-4: a pod that has ended in the meantime stays as it is.
bool ForceDeleter::mark_failed(api::Message& message, Sweep sweep) const {
  if (is_terminal(message)) {
    return false;
  }
  auto& pod = static_cast<api::core::v1::Pod&>(message);
  pod.mutable_status()->set_phase("Failed");
  if (pod.metadata().generation() > 0) {
    pod.mutable_status()->set_observed_generation(pod.metadata().generation());
  }
  if (sweep == Sweep::orphaned && writes_.condition) {
    api::set_pod_condition(pod, "DisruptionTarget", "True", env_.clock.now(), "DeletionByPodGC",
                           "PodGC: node no longer exists");
  }
  return true;
}

void ForceDeleter::remove(const std::string& key) {
  client::DeleteOptions options;
  options.grace_period_seconds = 0;
  options.preconditions.uid = jobs_.at(key).pod.uid;
  env_.client.remove(pod_ref(key), options,
                     self_.bind([key](ForceDeleter& self, const Result<client::ObjectPtr>& pod) {
                       // A conflict: another pod has its name now.
                       const bool gone = pod || is_conflict(pod.error());
                       self.finish(key, gone ? Result<void>() : fail(pod.error()));
                     }));
}

void ForceDeleter::finish(const std::string& key, const Result<void>& result) {
  const auto job = jobs_.extract(key);
  const bool failed = !result && !is_not_found(result.error());
  if (failed) {
    env_.log.warning("pod garbage collection failed, will try again in a later round",
                     {{"pod", key}, {"error", result.error().message}});
  }
  if (count_) {
    count_(job.mapped().pod.ns, job.mapped().sweep, failed);
  }
  queue_.done(key);
}

}  // namespace windlass::controllers::pod_gc
