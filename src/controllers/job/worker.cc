#include "controllers/job/worker.h"

#include <algorithm>
#include <utility>

#include "client/object_identity.h"

namespace windlass::controllers::job {

JobWorker::JobWorker(client::ClientEnv env, const engine::Options& options,
                     const std::string& finalizer, client::ObjectPtr job, WorkerHooks hooks)
    : env_(env),
      finalizer_(finalizer),
      job_(std::move(job)),
      hooks_(std::move(hooks)),
      engine_(options, read_job(*job_)),
      writer_(env.client, finalizer, client::split_key(client::key_of(*job_)).ns,
              client::split_key(client::key_of(*job_)).name, *this, hooks_.before_release) {
  const client::KeyParts parts = client::split_key(client::key_of(*job_));
  ns_ = parts.ns;
  name_ = parts.name;
  uid_ = client::uid_of(*job_);
}

JobWorker::~JobWorker() {
  env_.executor.cancel(read_timer_);
  env_.executor.cancel(list_timer_);
}

void JobWorker::keep_newest(const client::ObjectPtr& job) {
  const auto version = [](const client::ObjectPtr& object) {
    return client::version_number(client::resource_version_of(*object));
  };
  if (version(job) >= version(job_)) {
    job_ = job;
  }
}

void JobWorker::observe_job(const client::ObjectPtr& job, const engine::JobView& view) {
  keep_newest(job);
  engine_.observe_job(view);
}

void JobWorker::observe_pod(const engine::PodView& pod) {
  unseen_.erase(pod.uid);
  // Old news of a pod that is gone would be counted again (safety.md C1).
  const bool is_old = gone_.contains(pod.uid) || (pod.rv <= listed_at_ && !is_known(pod.uid));
  if (!is_old) {
    engine_.observe_pod(pod, env_.clock.now());
  } else if (hooks_.skipped_stale_pod) {
    hooks_.skipped_stale_pod();
  }
}

void JobWorker::observe_adopted(const engine::PodView& pod) {
  observe_pod(pod);
  if (is_known(pod.uid)) {
    unseen_.emplace(pod.uid, pod.rv);
  }
}

void JobWorker::observe_pod_gone(const std::string& uid) {
  gone_.erase(uid);
  unseen_.erase(uid);
  engine_.observe_pod_gone(uid);
}

void JobWorker::forget_unlisted(uint64_t version, const std::set<std::string>& listed_uids) {
  for (auto pod = unseen_.begin(); pod != unseen_.end();) {
    const auto [uid, created] = *pod++;
    if (created > version) {
      continue;
    }
    if (listed_uids.contains(uid)) {
      unseen_.erase(uid);
    } else {
      observe_pod_gone(uid);
    }
  }
}

bool JobWorker::is_known(const std::string& uid) const {
  return engine_.state().find(uid) != engine::kNoSlot;
}

void JobWorker::observe_all_pods(const std::vector<const engine::PodView*>& pods) {
  engine_.begin_list();
  for (const engine::PodView* pod : pods) {
    engine_.observe_pod(*pod, env_.clock.now());
  }
  engine_.end_list();
}

std::optional<Duration> JobWorker::sync() {
  const Time now = env_.clock.now();
  const bool idle = !engine_.busy();
  const engine::Decision decision = engine_.decide(now);
  if (idle && decision.is_sync) {
    begin_round(decision.action);
  }
  for (const engine::Event& event : decision.events) {
    hooks_.record_event(*job_, event);
  }
  for (const engine::MetricDelta& delta : decision.metrics) {
    hooks_.count(delta);
  }
  writing_status_ = writing_status_ || decision.status != nullptr;
  writer_.send(*job_, decision);
  if (!engine_.busy()) {
    end_round(false);
  }
  if (decision.refresh_job) {
    read_job_again();
  }
  if (decision.relist_pods) {
    list_pods_again();
  }
  return decision.wake_at ? std::optional<Duration>(*decision.wake_at - now) : std::nullopt;
}

void JobWorker::begin_round(engine::SyncAction action) {
  round_ = Round{env_.clock.monotonic(), action};
}

void JobWorker::end_round(bool failed) {
  if (!round_) {
    return;
  }
  round_->failed = round_->failed || failed;
  if (!engine_.busy()) {
    if (hooks_.synced) {
      hooks_.synced(round_->action, round_->failed, env_.clock.monotonic() - round_->began);
    }
    round_.reset();
  }
}

void JobWorker::on_status(const Result<client::ObjectPtr>& stored) {
  writing_status_ = false;
  bool failed = !stored;
  if (stored) {
    keep_newest(*stored);
    failed = !engine_.status_written(read_job(**stored));
    if (failed) {
      env_.log.warning("a Job's status is not kept", {{"job", ns_ + "/" + name_}});
    }
  } else {
    // Another client wrote to the Job, or removed it, just before: the watch tells how.
    if (!is_conflict(stored.error()) && !is_not_found(stored.error())) {
      env_.log.warning("writing a Job's status failed",
                       {{"job", ns_ + "/" + name_}, {"error", stored.error().message}});
      tell_refused(stored.error());
    }
    engine_.status_failed(classify(stored.error()));
  }
  end_round(failed);
  hooks_.wake();
}

// Only the log would know otherwise why a Job stands still.
void JobWorker::tell_refused(const Status& why) {
  if (why.code >= 400 && why.code < 500 && why.code != 429) {
    hooks_.record_event(*job_, {true, std::string(engine::kReasonStatusRefused),
                                "The API server does not take the Job's status: " + why.message});
  }
}

void JobWorker::on_create(uint32_t id, const Result<client::ObjectPtr>& pod) {
  if (pod) {
    const engine::PodView view = read_pod(**pod, finalizer_);
    unseen_.emplace(view.uid, view.rv);
    engine_.pod_created(id, view);
  } else {
    engine_.create_failed(id, classify(pod.error()), pod.error().message);
  }
  end_round(!pod);
  hooks_.wake();
}

void JobWorker::on_pod_write(const engine::PodWrite& write, const Result<client::ObjectPtr>& pod) {
  if (pod) {
    const engine::PodView view = read_pod(**pod, finalizer_);
    engine_.pod_written(write.uid, &view);
  } else {
    if (is_not_found(pod.error()) && is_known(write.uid)) {
      gone_.insert(write.uid);
    }
    engine_.pod_write_failed(write.uid, classify(pod.error()), pod.error().message);
  }
  end_round(!pod);
  hooks_.wake();
}

void JobWorker::read_job_again() {
  if (std::exchange(reading_, true)) {
    return;
  }
  env_.client.get({&api::kinds::job(), ns_, name_}, self_.bind(&JobWorker::on_job_read));
}

void JobWorker::on_job_read(const Result<client::ObjectPtr>& job) {
  if (job && client::uid_of(**job) == uid_) {
    reading_ = false;
    observe_job(*job, read_job(**job));
    hooks_.wake();
  } else if (!job && !is_not_found(job.error())) {
    read_timer_ = env_.executor.schedule(kLookRetry, [this] {
      reading_ = false;
      read_job_again();
    });
  }
  // Otherwise the Job is gone: the watch will say so.
}

void JobWorker::list_pods_again() {
  if (std::exchange(listing_, true)) {
    return;
  }
  env_.client.list({&api::kinds::pod(), ns_, "", ""}, {}, self_.bind(&JobWorker::on_pods_listed));
}

void JobWorker::on_pods_listed(const Result<client::ObjectList>& pods) {
  if (!pods) {
    list_timer_ = env_.executor.schedule(kLookRetry, [this] {
      listing_ = false;
      list_pods_again();
    });
    return;
  }
  listing_ = false;
  engine_.begin_list();
  for (const client::ObjectPtr& pod : pods->items) {
    if (owner_job_uid(*pod) == uid_) {
      engine_.observe_pod(read_pod(*pod, finalizer_), env_.clock.now());
    }
  }
  engine_.end_list();
  listed_at_ = client::version_number(pods->resource_version);
  hooks_.wake();
}

}  // namespace windlass::controllers::job
