#include "controllers/job/controller.h"

#include <google/protobuf/message.h>

#include <algorithm>
#include <utility>

#include "api/job/job_constants.h"
#include "client/object_identity.h"
#include "client/work_queue.h"
#include "controllers/job/attempt_verdict.h"
#include "schema/batch/v1/job.pb.h"
#include "schema/meta/v1/meta.pb.h"

namespace windlass::controllers::job {

namespace {

bool is_finished(const engine::JobStatus& status) {
  return std::any_of(status.conditions.begin(), status.conditions.end(),
                     [](const engine::Condition& condition) {
                       return (condition.type == "Complete" || condition.type == "Failed") &&
                              condition.status == engine::ConditionStatus::is_true;
                     });
}

// True of what the API server makes for a Job that brings no selector.
bool asks_for_uid_alone(const api::LabelSelector& selector, const std::string& uid) {
  const std::string label(api::kControllerUidLabel);
  const auto& requirements = selector.requirements();
  return std::all_of(requirements.begin(), requirements.end(),
                     [&label](const auto& each) { return each.key == label; }) &&
         selector.matches(std::map<std::string, std::string>{{label, uid}});
}

bool is_terminated_with_finalizer(const engine::PodView& pod) {
  return engine::is_terminal(pod.phase) && pod.has_finalizer;
}

}  // namespace

engine::Options engine_options(const api::FeatureGates& gates) {
  engine::Options options;
  options.gates.pod_failure_policy = gates.enabled(api::Feature::job_pod_failure_policy);
  options.gates.backoff_limit_per_index = gates.enabled(api::Feature::job_backoff_limit_per_index);
  options.gates.pod_replacement_policy = gates.enabled(api::Feature::job_pod_replacement_policy);
  options.gates.pod_failure_policy_name = gates.enabled(api::Feature::pod_failure_policy_name);
  options.gates.success_policy = gates.enabled(api::Feature::job_success_policy);
  options.gates.managed_by = gates.enabled(api::Feature::job_managed_by);
  return options;
}

JobController::JobController(client::ClientEnv env, Options options)
    : env_(env),
      options_(std::move(options)),
      events_(env, "job-controller"),
      queue_(env.executor, env.clock,
             {.workers = options_.concurrent_syncs, .metrics = queue_metrics("job")},
             [this](const std::string& uid) { process(uid); }),
      orphans_(
          env, options_.tracking_finalizer,
          [this](const std::string& key) { return orphan_uid(key); },
          [this](const client::ObjectPtr& pod, std::function<void()> go) {
            keep_orphan(pod, std::move(go));
          },
          queue_metrics("job_orphan_pod")),
      claims_(env, options_.tracking_finalizer,
              {[this](const std::string& key) { return claim_for(key); },
               [this](const client::ObjectPtr& job) { on_job_read(job); },
               [this](const client::ObjectPtr& pod) { on_adopted(*pod); },
               [this](const std::string& key, std::function<void()> go) {
                 keep_attempt(key, "", std::move(go));
               },
               [this](const std::string& uid) { queue_.add(uid); }}),
      jobs_(env, {&api::kinds::job(), options_.ns, "", ""}, project_job),
      pods_(env, {&api::kinds::pod(), options_.ns, "", ""},
            [this](const client::ObjectPtr& pod) { return project_shared_pod(pod); }) {
  jobs_.add_handler({[this](const CachedJob& job) {
                       on_new_job(job);
                       on_job(job);
                     },
                     [this](const CachedJob&, const CachedJob& job) { on_job(job); },
                     [this](const CachedJob& job) { on_job_gone(job); }});
  pods_.add_handler({[this](const CachedPod& pod) {
                       count_terminated(false, is_terminated_with_finalizer(pod.view));
                       claim(pod);
                       on_pod(pod);
                       follow_attempt(nullptr, pod);
                     },
                     [this](const CachedPod& before, const CachedPod& pod) {
                       count_terminated(is_terminated_with_finalizer(before.view),
                                        is_terminated_with_finalizer(pod.view));
                       if (before.job_uid != pod.job_uid) {
                         on_pod_gone(before);
                       }
                       if (may_change_hands(before, pod)) {
                         claim(pod);
                       }
                       on_pod(pod);
                       follow_attempt(&before, pod);
                     },
                     [this](const CachedPod& pod) {
                       count_terminated(is_terminated_with_finalizer(pod.view), false);
                       follow_gone(pod);
                       on_pod_gone(pod);
                     }});
  if (options_.metrics) {
    metrics_.emplace(*options_.metrics);
  }
  // Pods are listed after Jobs, so that what a Job's status says of its pods is in the list.
  jobs_.when_synced([this] { pods_.start(); });
  pods_.when_synced([this] { on_synced(); });
  pods_.when_listed_again([this] { on_pods_listed_again(); });
}

JobController::~JobController() = default;

std::shared_ptr<client::QueueMetrics> JobController::queue_metrics(const char* name) const {
  return options_.metrics ? std::make_shared<client::QueueMetrics>(*options_.metrics, name)
                          : nullptr;
}

void JobController::start() {
  jobs_.start();
}

JobController::CachedJob JobController::project_job(const client::ObjectPtr& job) {
  const auto& spec = static_cast<const api::batch::v1::Job&>(*job).spec();
  CachedJob record{
      job, read_job(*job),
      api::LabelSelector::from_message(spec.has_selector() ? &spec.selector() : nullptr)
          .value_or(api::LabelSelector::nothing())};
  record.selects_by_uid = asks_for_uid_alone(record.selector, record.view.uid);
  const auto& labels = spec.template_().metadata().labels();
  record.selects_its_pods =
      record.selector.matches(std::map<std::string, std::string>(labels.begin(), labels.end()));
  return record;
}

JobController::CachedPod JobController::project_pod(const api::Message& pod) const {
  CachedPod record;
  record.key = client::key_of(pod);
  record.job_uid = owner_job_uid(pod);
  record.view = read_pod(pod, options_.tracking_finalizer);
  const auto& owners = api::metadata_of(pod).owner_references();
  const bool owned = std::any_of(owners.begin(), owners.end(),
                                 [](const auto& owner) { return owner.controller(); });
  record.owner = !record.job_uid.empty() ? CachedPod::Owner::job
                 : owned                 ? CachedPod::Owner::other
                                         : CachedPod::Owner::none;
  const auto& labels = api::metadata_of(pod).labels();
  const auto label = labels.find(std::string(api::kControllerUidLabel));
  const CachedJob* job = find_job(record.job_uid);
  const bool is_labelled = label != labels.end() && label->second == record.job_uid &&
                           (job == nullptr || job->selects_by_uid);
  if (record.owner == CachedPod::Owner::none ||
      (record.owner == CachedPod::Owner::job && !is_labelled)) {
    record.labels =
        std::make_shared<const std::map<std::string, std::string>>(labels.begin(), labels.end());
  }
  return record;
}

JobController::CachedPod JobController::project_shared_pod(const client::ObjectPtr& pod) const {
  CachedPod record = project_pod(*pod);
  if (options_.attempts != nullptr && record.owner != CachedPod::Owner::other &&
      (record.view.has_finalizer || !engine::is_terminal(record.view.phase) ||
       options_.attempts->awaits_end(record.view.uid))) {
    record.object = pod;
  }
  return record;
}

JobWorker* JobController::find_worker(const std::string& uid) const {
  const auto found = workers_.find(uid);
  return found == workers_.end() ? nullptr : found->second.get();
}

const JobController::CachedJob* JobController::find_job(const std::string& uid) const {
  const auto key = job_keys_.find(uid);
  return key == job_keys_.end() ? nullptr : jobs_.find(key->second);
}

bool JobController::is_foreign(const CachedJob& job) const {
  return !engine::is_managed(job.view, options_.engine);
}

// 1.18: whichever controller owns the pod, or did.
void JobController::count_terminated(bool was, bool is) {
  if (metrics_ && was != is) {
    metrics_->terminated_with_finalizer(is);
  }
}

void JobController::on_new_job(const CachedJob& job) {
  if (metrics_ && is_foreign(job) && !job.view.spec.managed_by.empty()) {
    metrics_->seen_foreign(job.view.spec.managed_by);
  }
  // 1.22 the other way round: the pod may be there first.
  if (const auto loose = loose_pods_.find(job.view.namespace_name); loose != loose_pods_.end()) {
    for (const std::string& key : loose->second) {
      const CachedPod* pod = pods_.find(key);
      // One that went to another owner meanwhile has no labels here.
      if (pod != nullptr && pod->labels && wants(job, *pod)) {
        claims_.add(key);
      }
    }
  }
  if (const auto own = pods_of_.find(job.view.uid); own != pods_of_.end()) {
    std::for_each(own->second.begin(), own->second.end(),
                  [this](const std::string& key) { claims_.add(key); });
  }
}

// Its pods may come and go.
bool JobController::is_active(const CachedJob& job) const {
  return !job.view.deleting && !is_finished(job.view.status) && !is_foreign(job);
}

bool JobController::wants(const CachedJob& job, const CachedPod& pod) const {
  return is_active(job) && job.selects_its_pods && job.selector.matches(*pod.labels);
}

std::optional<PodClaims::Claim> JobController::claim_for(const std::string& pod_key) const {
  using Kind = PodClaims::Claim::Kind;
  const CachedPod* pod = pods_.find(pod_key);
  if (pod == nullptr) {
    return std::nullopt;
  }
  if (const CachedJob* job = find_job(pod->job_uid)) {  // 2.16
    // Without its labels the pod itself has to be asked: it was seen before its Job.
    const bool matches = pod->labels ? job->selector.matches(*pod->labels) : job->selects_by_uid;
    const bool stays = !is_active(*job) || matches;
    return stays ? std::nullopt
                 : std::optional(PodClaims::Claim{Kind::release, pod->view.uid, job->view.name,
                                                  job->view.uid, job->selector});
  }
  if (!pod->labels) {
    return std::nullopt;
  }
  const bool ended =
      pod->view.phase == engine::Phase::succeeded || pod->view.phase == engine::Phase::failed;
  if (pod->owner != CachedPod::Owner::none || pod->view.deletion_time || ended) {
    return std::nullopt;
  }
  std::optional<PodClaims::Claim> claim;
  jobs_.for_each_in(client::split_key(pod_key).ns, [&](const std::string&, const CachedJob& job) {
    if (!claim && wants(job, *pod)) {
      const auto worker = workers_.find(job.view.uid);
      const bool waits = worker != workers_.end() && worker->second->is_writing_status();
      claim = PodClaims::Claim{waits ? Kind::later : Kind::adopt, pod->view.uid, job.view.name,
                               job.view.uid, job.selector};
    }
  });
  return claim;
}

// 1.28: what else changes about a pod is no reason to look through all Jobs again.
bool JobController::may_change_hands(const CachedPod& before, const CachedPod& pod) {
  const bool same_labels =
      before.labels && pod.labels ? *before.labels == *pod.labels : before.labels == pod.labels;
  return !same_labels || before.owner != pod.owner || before.job_uid != pod.job_uid ||
         before.view.phase != pod.view.phase ||
         before.view.deletion_time.has_value() != pod.view.deletion_time.has_value();
}

void JobController::claim(const CachedPod& pod) {
  const CachedJob* job = pod.labels ? nullptr : find_job(pod.job_uid);
  if (!pod.labels && (job == nullptr || job->selects_by_uid)) {
    return;
  }
  if (pod.owner == CachedPod::Owner::none) {
    loose_pods_[client::split_key(pod.key).ns].insert(pod.key);
  }
  claims_.add(pod.key);
}

// Its worker knows what the claims know, however old the cache is.
void JobController::on_job_read(const client::ObjectPtr& job) {
  const std::string uid = client::uid_of(*job);
  if (JobWorker* worker = find_worker(uid)) {
    worker->observe_job(job, read_job(*job));
    queue_.add(uid);
  }
}

// Otherwise the Job could end before the cache tells of the pod, and leave it behind (T4).
void JobController::on_adopted(const api::Message& adopted) {
  const CachedPod pod = project_pod(adopted);
  const CachedPod* seen = pods_.find(pod.key);
  const bool is_news =
      seen != nullptr && seen->view.uid == pod.view.uid && seen->view.rv < pod.view.rv;
  if (JobWorker* worker = find_worker(pod.job_uid); worker != nullptr && is_news) {
    worker->observe_adopted(pod.view);
    queue_.add(pod.job_uid);
  }
}

void JobController::forget_loose(const CachedPod& pod) {
  const auto loose = loose_pods_.find(client::split_key(pod.key).ns);
  if (loose != loose_pods_.end() && loose->second.erase(pod.key) == 1 && loose->second.empty()) {
    loose_pods_.erase(loose);
  }
}

void JobController::on_job(const CachedJob& job) {
  job_keys_[job.view.uid] = client::object_key(job.view.namespace_name, job.view.name);
  if (is_finished(job.view.status)) {
    ended_.erase(job.view.uid);
  }
  if (JobWorker* worker = find_worker(job.view.uid)) {
    worker->observe_job(job.object, job.view);
    queue_.add(job.view.uid);
  } else if (pods_.has_synced()) {
    add_worker(job);
  }
}

void JobController::on_job_gone(const CachedJob& job) {
  job_keys_.erase(job.view.uid);
  ended_.erase(job.view.uid);
  workers_.erase(job.view.uid);
  forget_attempts(job.view.uid);
  if (const auto pods = pods_of_.find(job.view.uid); pods != pods_of_.end()) {
    for (const std::string& key : pods->second) {
      orphans_.add(key);
    }
  }
}

void JobController::on_pod(const CachedPod& pod) {
  if (pod.owner == CachedPod::Owner::job) {
    pods_of_[pod.job_uid].insert(pod.key);
  }
  if (JobWorker* worker = find_worker(pod.job_uid)) {
    worker->observe_pod(pod.view);
    queue_.add(pod.job_uid);
    return;
  }
  if (!pods_.has_synced() || !pod.view.has_finalizer) {
    return;
  }
  if (const CachedJob* job = find_job(pod.job_uid)) {
    add_worker(*job);
  } else {
    orphans_.add(pod.key);
  }
}

void JobController::on_pod_gone(const CachedPod& pod) {
  forget_loose(pod);
  if (const auto pods = pods_of_.find(pod.job_uid); pods != pods_of_.end()) {
    pods->second.erase(pod.key);
    if (pods->second.empty()) {
      pods_of_.erase(pods);
    }
  }
  if (JobWorker* worker = find_worker(pod.job_uid)) {
    worker->observe_pod_gone(pod.view.uid);
    queue_.add(pod.job_uid);
  }
}

void JobController::on_synced() {
  jobs_.for_each([this](const std::string&, const CachedJob& job) { add_worker(job); });
  pods_.for_each([this](const std::string& key, const CachedPod& pod) {
    if (pod.view.has_finalizer && find_job(pod.job_uid) == nullptr) {
      orphans_.add(key);
    }
  });
}

void JobController::on_pods_listed_again() {
  std::set<std::string> listed;  // uids, of one Job at a time
  for (const auto& [uid, worker] : workers_) {
    listed.clear();
    if (const auto own = pods_of_.find(uid); worker->awaits_pods() && own != pods_of_.end()) {
      for (const std::string& key : own->second) {
        listed.insert(pods_.find(key)->view.uid);
      }
    }
    worker->forget_unlisted(pods_.version(), listed);
    queue_.add(uid);
  }
}

bool JobController::has_work(const CachedJob& job) const {
  if (!is_finished(job.view.status)) {
    return true;
  }
  const auto pods = pods_of_.find(job.view.uid);
  return pods != pods_of_.end() &&
         std::any_of(pods->second.begin(), pods->second.end(), [this](const std::string& key) {
           return pods_.find(key)->view.has_finalizer;
         });
}

void JobController::add_worker(const CachedJob& job) {
  const std::string& uid = job.view.uid;
  if (metrics_ && ended_.contains(uid)) {
    metrics_->skipped_stale("batch", "jobs");
  }
  if (workers_.contains(uid) || ended_.contains(uid) || !has_work(job)) {
    return;
  }
  // It would create pods and let them go without end.
  if (!job.selects_its_pods && is_active(job)) {
    return record(*job.object,
                  {true, "InvalidSelector",
                   "The selector does not match the labels of the pod template. Create the Job "
                   "again."});
  }
  WorkerHooks hooks;
  hooks.wake = [this, uid] { queue_.add(uid); };
  hooks.record_event = [this](const api::Message& about, const engine::Event& event) {
    record(about, event);
  };
  hooks.count = [this, mode = job.view.spec.mode](const engine::MetricDelta& delta) {
    if (metrics_) {
      metrics_->count(mode, delta);
    }
  };
  hooks.synced = [this, mode = job.view.spec.mode](engine::SyncAction action, bool failed,
                                                   Duration took) {
    if (metrics_) {
      metrics_->synced(mode, action, failed, took);
    }
  };
  hooks.skipped_stale_pod = [this] {
    if (metrics_) {
      metrics_->skipped_stale("", "pods");
    }
  };
  if (options_.attempts != nullptr) {
    hooks.before_release = [this, ns = job.view.namespace_name](const engine::PodWrite& release,
                                                                std::function<void()> go) {
      keep_attempt(client::object_key(ns, release.name), release.uid, std::move(go));
    };
  }
  auto worker = std::make_unique<JobWorker>(env_, options_.engine, options_.tracking_finalizer,
                                            job.object, std::move(hooks));
  std::vector<const engine::PodView*> pods;
  if (const auto known = pods_of_.find(uid); known != pods_of_.end()) {
    for (const std::string& key : known->second) {
      pods.push_back(&pods_.find(key)->view);
    }
  }
  worker->observe_all_pods(pods);
  workers_.emplace(uid, std::move(worker));
  // Jobs that run come first: what has ended is to be seen to have ended.
  queue_.add_patient(uid);
}

void JobController::process(const std::string& uid) {
  if (claims_.adopting_for(uid)) {
    queue_.done(uid);  // it comes again when the pod is known
    return;
  }
  if (JobWorker* worker = find_worker(uid)) {
    if (const std::optional<Duration> wait = worker->sync()) {
      queue_.add_after(uid, *wait);
    }
    if (worker->at_rest()) {
      workers_.erase(uid);
      forget_attempts(uid);
      const CachedJob* seen = find_job(uid);
      if (seen != nullptr && !is_finished(seen->view.status)) {
        ended_.insert(uid);
      }
    }
  }
  queue_.done(uid);
}

void JobController::record(const api::Message& job, const engine::Event& event) {
  const client::KeyParts key = client::split_key(client::key_of(job));
  const client::EventTarget target{"batch/v1", "Job", key.ns, key.name, client::uid_of(job), ""};
  if (event.warning) {
    events_.warning(target, event.reason, event.message, event.essential);
  } else {
    events_.normal(target, event.reason, event.message, event.essential);
  }
  if (options_.on_event) {
    options_.on_event(job, event);
  }
}

std::string JobController::orphan_uid(const std::string& pod_key) const {
  const CachedPod* pod = pods_.find(pod_key);
  const bool orphan = pod != nullptr && pod->view.has_finalizer &&
                      pod->owner != CachedPod::Owner::other && find_job(pod->job_uid) == nullptr;
  return orphan ? pod->view.uid : std::string();
}

AttemptEnd JobController::end_of(const CachedPod& pod) const {
  AttemptEnd end{pod.object, pod.view.uid, owner_job_name(*pod.object), pod.job_uid};
  const JobWorker* worker = find_worker(pod.job_uid);
  if (worker != nullptr) {
    end.attempts_before = worker->attempts_before(pod.view.uid);
  }
  if (const CachedJob* job = find_job(pod.job_uid)) {
    const auto counted =
        worker == nullptr ? engine::Counted::none : worker->counted_as(pod.view.uid);
    // A finished Job no longer tells which pods it counted: what was told before stays. Its end may
    // be seen before the last finalizers are seen to be gone.
    if (counted != engine::Counted::none || !is_finished(job->view.status)) {
      end.verdict = attempt_verdict(counted, job->view, pod.view, options_.engine);
    }
  }
  return end;
}

void JobController::follow_attempt(const CachedPod* before, const CachedPod& pod) {
  if (const CachedJob* job = find_job(pod.job_uid); job != nullptr && is_foreign(*job)) {
    return;
  }
  if (options_.attempts == nullptr || pod.owner != CachedPod::Owner::job || !pod.object) {
    // Let go by its Job, or by another client: what it was until then is to be kept.
    if (before != nullptr && before->object && before->view.has_finalizer) {
      options_.attempts->lost(end_of(*before));
    }
    return;
  }
  const bool ended = engine::is_terminal(pod.view.phase);
  if (pod.view.has_finalizer) {
    if (ended && find_worker(pod.job_uid) != nullptr) {
      options_.attempts->begin(end_of(pod));
    }
  } else if (ended && options_.attempts->awaits_end(pod.view.uid)) {
    options_.attempts->begin(end_of(pod));
  } else if (before != nullptr && before->view.has_finalizer) {
    options_.attempts->lost(end_of(pod));
  }
}

void JobController::follow_gone(const CachedPod& pod) {
  if (options_.attempts == nullptr) {
    return;
  }
  if (pod.object && pod.owner == CachedPod::Owner::job &&
      (pod.view.has_finalizer || options_.attempts->awaits_end(pod.view.uid))) {
    options_.attempts->lost(end_of(pod));
  }
  options_.attempts->forget(pod.view.uid);
}

void JobController::forget_attempts(const std::string& job_uid) {
  if (options_.attempts != nullptr) {
    options_.attempts->forget_job(job_uid);
  }
}

void JobController::keep_attempt(const std::string& pod_key, const std::string& pod_uid,
                                 std::function<void()> go) {
  if (options_.attempts == nullptr) {
    go();
    return;
  }
  const CachedPod* pod = pods_.find(pod_key);
  if (pod != nullptr && (pod_uid.empty() || pod->view.uid == pod_uid)) {
    const bool is_tracked = pod->object && pod->owner == CachedPod::Owner::job;
    is_tracked ? options_.attempts->keep(end_of(*pod), std::move(go)) : go();
    return;
  }
  // The cache is behind what the server has answered.
  client::KeyParts parts = client::split_key(pod_key);
  env_.client.get({&api::kinds::pod(), std::move(parts.ns), std::move(parts.name)},
                  self_.bind([pod_uid, go = std::move(go)](JobController& self,
                                                           const Result<client::ObjectPtr>& read) {
                    self.keep_unseen(pod_uid, read, go);
                  }));
}

void JobController::keep_unseen(const std::string& pod_uid, const Result<client::ObjectPtr>& read,
                                const std::function<void()>& go) {
  if (!read || client::uid_of(**read) != pod_uid) {
    go();
    return;
  }
  CachedPod pod = project_pod(**read);
  pod.object = *read;
  pod.job_uid.empty() ? go() : options_.attempts->keep(end_of(pod), go);
}

void JobController::keep_orphan(const client::ObjectPtr& pod, std::function<void()> go) {
  const std::string job = owner_job_name(*pod);
  if (options_.attempts == nullptr || job.empty()) {
    go();
    return;
  }
  options_.attempts->keep({pod, client::uid_of(*pod), job, owner_job_uid(*pod)}, std::move(go));
}

}  // namespace windlass::controllers::job
