#include "controllers/job/orphans.h"

#include <google/protobuf/message.h>

#include <utility>

#include "client/object_identity.h"
#include "controllers/job/adapter.h"

namespace windlass::controllers::job {

namespace {

client::ObjectRef pod_ref(const std::string& key) {
  client::KeyParts parts = client::split_key(key);
  return {&api::kinds::pod(), std::move(parts.ns), std::move(parts.name)};
}

}  // namespace

OrphanReleaser::OrphanReleaser(client::ClientEnv env, std::string finalizer, Check check,
                               BeforeFree before_free,
                               std::shared_ptr<client::QueueMetrics> metrics)
    : env_(env),
      finalizer_(std::move(finalizer)),
      check_(std::move(check)),
      before_free_(std::move(before_free)),
      queue_(env.executor, env.clock, {.workers = kWorkers, .metrics = std::move(metrics)},
             [this](const std::string& key) { process(key); }) {}

void OrphanReleaser::process(const std::string& key) {
  const std::string uid = check_(key);
  if (uid.empty()) {
    finish(key, {});
    return;
  }
  env_.client.get(pod_ref(key), self_.bind([key, uid](OrphanReleaser& self,
                                                      const Result<client::ObjectPtr>& pod) {
    self.on_read(key, uid, pod);
  }));
}

void OrphanReleaser::on_read(const std::string& key, const std::string& uid,
                             const Result<client::ObjectPtr>& pod) {
  if (!pod) {
    finish(key, fail(pod.error()));
    return;
  }
  if (client::uid_of(**pod) != uid || has_foreign_owner(**pod)) {
    finish(key, {});
    return;
  }
  const std::string job = owner_job_name(**pod);
  if (job.empty()) {
    free(key, *pod);
    return;
  }
  env_.client.get(
      {&api::kinds::job(), client::split_key(key).ns, job},
      self_.bind([key, pod = *pod](OrphanReleaser& self, const Result<client::ObjectPtr>& owner) {
        self.on_owner_read(key, pod, owner);
      }));
}

void OrphanReleaser::on_owner_read(const std::string& key, const client::ObjectPtr& pod,
                                   const Result<client::ObjectPtr>& job) {
  if (!job && !is_not_found(job.error())) {
    finish(key, fail(job.error()));
  } else if (job && client::uid_of(**job) == owner_job_uid(*pod)) {
    finish(key, {});  // there it is: its worker will see to the pod
  } else {
    free(key, pod);
  }
}

void OrphanReleaser::free(const std::string& key, const client::ObjectPtr& pod) {
  if (!before_free_) {
    write(key, pod);
    return;
  }
  before_free_(pod, self_.bind([key, pod](OrphanReleaser& self) { self.write(key, pod); }));
}

void OrphanReleaser::write(const std::string& key, const client::ObjectPtr& pod) {
  std::shared_ptr<api::Message> changed(pod->New());
  changed->CopyFrom(*pod);
  if (!remove_tracking_finalizer(*changed, finalizer_)) {
    finish(key, {});
    return;
  }
  env_.client.update(
      pod_ref(key), "", std::move(changed),
      self_.bind([key](OrphanReleaser& self, const Result<client::ObjectPtr>& written) {
        self.finish(key, written ? Result<void>() : fail(written.error()));
      }));
}

void OrphanReleaser::finish(const std::string& key, const Result<void>& result) {
  if (result || is_not_found(result.error())) {
    queue_.forget(key);
  } else {
    // Others write to the pod, too: the owner collector takes off the reference at the same time.
    if (!is_conflict(result.error())) {
      env_.log.warning("freeing an orphaned pod failed",
                       {{"pod", key}, {"error", result.error().message}});
    }
    queue_.add_rate_limited(key);
  }
  queue_.done(key);
}

}  // namespace windlass::controllers::job
