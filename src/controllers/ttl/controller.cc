#include "controllers/ttl/controller.h"

#include <algorithm>
#include <utility>

#include "api/codec/wire_time.h"
#include "base/time.h"
#include "client/object_identity.h"
#include "schema/batch/v1/job.pb.h"

namespace windlass::controllers::ttl {
namespace {

client::ObjectRef job_ref(const std::string& key) {
  client::KeyParts parts = client::split_key(key);
  return {&api::kinds::job(), std::move(parts.ns), std::move(parts.name)};
}

const api::batch::v1::JobCondition* terminal_condition(const api::batch::v1::Job& job) {
  for (const auto& condition : job.status().conditions()) {
    if ((condition.type() == "Complete" || condition.type() == "Failed") &&
        condition.status() == "True") {
      return &condition;
    }
  }
  return nullptr;
}

// Without overflow, whatever time a client wrote.
Time after(Time finished, int64_t ttl_seconds) {
  const Duration ttl = seconds(ttl_seconds);
  const Time start = ttl == Duration::zero() ? finished : latest_instant(finished);
  return start > Time::max() - ttl ? Time::max() : start + ttl;
}

}  // namespace

JobEnd read_end(const api::Message& message) {
  const auto& job = static_cast<const api::batch::v1::Job&>(message);
  JobEnd end{client::key_of(job), job.metadata().uid()};
  const auto* condition = terminal_condition(job);
  if (job.metadata().has_deletion_timestamp() || !job.spec().has_ttl_seconds_after_finished() ||
      condition == nullptr || !condition->has_last_transition_time()) {
    return end;
  }
  end.finished = api::time_of(condition->last_transition_time());
  end.expires = after(*end.finished, job.spec().ttl_seconds_after_finished());
  return end;
}

TtlController::TtlController(client::ClientEnv env, Options options)
    : env_(env),
      options_(std::move(options)),
      queue_(env.executor, env.clock, {options_.workers},
             [this](const std::string& key) { process(key); }),
      jobs_(env, {&api::kinds::job()}, read_end) {
  jobs_.add_handler({[this](const JobEnd& job) { on_job(job); },
                     [this](const JobEnd&, const JobEnd& job) { on_job(job); },
                     {}});
}

TtlController::~TtlController() = default;

void TtlController::start() {
  jobs_.start();
}

void TtlController::on_job(const JobEnd& job) {
  if (job.expires && is_due(job)) {
    queue_.add(job.key);
  }
}

bool TtlController::is_due(const JobEnd& job) {
  const Time now = env_.clock.now();
  if (*job.finished > now) {
    // Clocks disagree: the Job stays until this one, too, says that the time has passed.
    env_.log.warning("a Job ended in the future; its clean-up is put off", {{"job", job.key}});
  }
  if (*job.expires <= now) {
    return true;
  }
  queue_.add_after(job.key, std::min<Duration>(*job.expires - now, kMaxWait));
  return false;
}

void TtlController::process(const std::string& key) {
  const JobEnd* job = jobs_.find(key);
  if (job == nullptr || !job->expires || !is_due(*job)) {
    finish(key, {});
    return;
  }
  env_.client.get(job_ref(key),
                  self_.bind([key, uid = job->uid](TtlController& self,
                                                   const Result<client::ObjectPtr>& answer) {
                    self.on_read(key, uid, answer);
                  }));
}

// What counts is the Job as it is now, not as the cache has it.
void TtlController::on_read(const std::string& key, const std::string& uid,
                            const Result<client::ObjectPtr>& job) {
  if (!job) {
    finish(key, fail(job.error()));
    return;
  }
  const JobEnd end = read_end(**job);
  if (end.uid != uid || !end.expires || !is_due(end)) {
    finish(key, {});
    return;
  }
  client::DeleteOptions options;
  options.propagation_policy = "Foreground";
  options.preconditions.uid = uid;
  options.preconditions.resource_version = client::resource_version_of(**job);
  env_.client.remove(job_ref(key), options,
                     self_.bind([key, expires = *end.expires](
                                    TtlController& self, const Result<client::ObjectPtr>& answer) {
                       self.on_removed(key, expires, answer);
                     }));
}

void TtlController::on_removed(const std::string& key, Time expires,
                               const Result<client::ObjectPtr>& job) {
  if (job && options_.on_deleted) {
    options_.on_deleted(std::max(env_.clock.now() - expires, Duration::zero()));
  }
  finish(key, job ? Result<void>() : fail(job.error()));
}

void TtlController::finish(const std::string& key, const Result<void>& result) {
  if (result || is_not_found(result.error())) {
    queue_.forget(key);
  } else {
    // Of a conflict, too: it changed, so it is read again.
    if (!is_conflict(result.error())) {
      env_.log.warning("deleting a finished Job failed, will try again",
                       {{"job", key}, {"error", result.error().message}});
    }
    queue_.add_rate_limited(key);
  }
  queue_.done(key);
}

}  // namespace windlass::controllers::ttl
