#include "dashboard/job_feed.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "client/object_identity.h"
#include "controllers/job/adapter.h"
#include "explain/job_pods.h"
#include "ledger/attempt_facts.h"
#include "schema/batch/v1/job.pb.h"
#include "schema/ledger/v1/attempt.pb.h"

namespace windlass::dashboard {
namespace {

std::optional<client::ObjectPtr> keep_object(const client::ObjectPtr& object) {
  return object;
}

bool is_finished_job(const client::ObjectPtr& object) {
  const auto job = api::object_as<api::batch::v1::Job>(object);
  const auto& conditions = job->status().conditions();
  return std::any_of(conditions.begin(), conditions.end(), [](const auto& condition) {
    return condition.status() == "True" &&
           (condition.type() == "Complete" || condition.type() == "Failed");
  });
}

}  // namespace

JobFeed::JobFeed(client::ClientEnv env, env::Executor& worker, ledger::AttemptSource& attempts,
                 client::ObjectRef job, bool reruns)
    : env_(env),
      source_(attempts),
      ref_(std::move(job)),
      reruns_(reruns),
      state_(std::make_shared<JobState>()),
      feed_(env, worker, state_, [this](Prepared done) { prepare(std::move(done)); }) {}

JobFeed::~JobFeed() {
  env_.executor.cancel(give_up_);
  env_.executor.cancel(late_read_);
}

void JobFeed::prepare(Prepared done) {
  prepared_ = std::move(done);
  if (pods_ && pods_->has_synced()) {
    return proceed();
  }
  // Its error says why there is nothing to show.
  env_.client.get(ref_, self_.bind(&JobFeed::on_found));
}

void JobFeed::on_found(const Result<client::ObjectPtr>& job) {
  if (!job) {
    return finish(fail(job.error()));
  }
  give_up_ = env_.executor.schedule(kListTimeout, self_.bind(&JobFeed::give_up));
  start();
  proceed();
}

void JobFeed::start() {
  if (std::exchange(started_, true)) {
    return;
  }
  jobs_.emplace(env_, client::Collection{ref_.kind, ref_.ns, "", "metadata.name=" + ref_.name},
                keep_object);
  jobs_->add_handler({[this](const auto&) { on_job(); },
                      [this](const auto&, const auto&) { on_job(); },
                      [this](const auto&) { on_job(); }});
  jobs_->start();
}

void JobFeed::on_job() {
  const client::ObjectPtr* job = jobs_->find(ref_.ns, ref_.name);
  const std::string uid = job == nullptr ? "" : client::uid_of(**job);
  if (uid != job_uid_) {
    job_uid_ = uid;
    pods_ = nullptr;
    attempts_.clear();
    newest_ = 0;
    read_all_at_.reset();
    next_read_ = {};
    read_finished_ = false;
    if (job != nullptr) {
      pods_ = std::make_unique<Objects>(env_, explain::job_pod_collection(*job), keep_object);
      const auto changed = [this](const auto&...) { feed_.touch(); };
      pods_->add_handler({changed, changed, changed});
      pods_->when_synced([this] { proceed(); });
      pods_->start();
    }
  }
  feed_.touch();
}

void JobFeed::proceed() {
  if (!prepared_) {
    return;
  }
  if (jobs_ && jobs_->has_synced() && job_uid_.empty()) {
    return finish(fail(not_found({ref_.kind->group, ref_.kind->plural, ref_.name})));
  }
  if (pods_ && pods_->has_synced()) {
    read_attempts();
  }
}

void JobFeed::give_up() {
  finish(fail(Status{503,
                     "",
                     fmt::format("the API server did not list the pods of job/{} in time. "
                                 "Check that you may list and watch Jobs and pods",
                                 ref_.name),
                     {}}));
}

void JobFeed::finish(Result<Feed::Update> prepared) {
  env_.executor.cancel(give_up_);
  if (const Prepared done = std::exchange(prepared_, nullptr)) {
    done(std::move(prepared));
  }
}

void JobFeed::read_attempts() {
  env_.executor.cancel(give_up_);
  if (!has_ledger_) {
    return finish(make_update());
  }
  const MonotonicTime now = env_.clock.monotonic();
  const bool finished = is_finished_job(*jobs_->find(ref_.ns, ref_.name));
  if (!is_read_due(finished)) {
    return finish(make_update());
  }
  read_began_ = now;
  reading_all_ =
      !read_all_at_ || now - *read_all_at_ > kFullReadPeriod || (finished && !read_finished_);
  if (reading_all_) {
    read_all_at_ = now;
    read_finished_ = finished;
  }
  ledger::AttemptFilter filter{.ns = ref_.ns, .job_uid = job_uid_};
  if (!reading_all_) {
    filter.since = Time(seconds(newest_)) - kOverlap;
  }
  read_page(filter, "");
}

// What a busy Job has recorded waits a moment; its end does not.
bool JobFeed::is_read_due(bool finished) {
  const MonotonicTime now = env_.clock.monotonic();
  if (now >= next_read_ || (finished && !read_finished_)) {
    return true;
  }
  if (late_read_ == env::TimerId::none) {
    late_read_ = env_.executor.schedule(next_read_ - now, [this] {
      late_read_ = env::TimerId::none;
      feed_.touch();
    });
  }
  return false;
}

void JobFeed::finish_read() {
  const MonotonicTime now = env_.clock.monotonic();
  next_read_ = now + std::min<Duration>((now - read_began_) * kReadShare, Feed::kLongestPause);
  finish(make_update());
}

void JobFeed::read_page(const ledger::AttemptFilter& filter, const std::string& token) {
  source_.find(filter, ledger::AttemptSource::kMaxPage, token,
               self_.bind([filter](JobFeed& self, const Result<ledger::AttemptPage>& page) {
                 self.on_page(filter, page);
               }));
}

// Without a ledger, or the right to read it, the pods that are there have to do.
void JobFeed::on_page(const ledger::AttemptFilter& filter,
                      const Result<ledger::AttemptPage>& page) {
  if (filter.job_uid != job_uid_) {
    return finish(fail(not_found({ref_.kind->group, ref_.kind->plural, ref_.name})));
  }
  if (!page) {
    has_ledger_ = page.error().code != 404 && page.error().code != 403;
    return finish(make_update());
  }
  for (const ledger::AttemptPtr& attempt : page->items) {
    newest_ = std::max(newest_, ledger::time_of(*attempt));
    attempts_[attempt->metadata().name()] = attempt;
  }
  page->next.empty() ? finish_read() : read_page(filter, page->next);
}

Feed::Update JobFeed::make_update() const {
  const auto input = std::make_shared<web::JobPageInput>();
  const client::ObjectPtr* job = jobs_->find(ref_.ns, ref_.name);
  input->evidence.job = *job;
  pods_->for_each([&](const std::string&, const client::ObjectPtr& pod) {
    if (controllers::job::owner_job_uid(*pod) == job_uid_) {
      input->evidence.pods.push_back(pod);
    }
  });
  input->evidence.now = env_.clock.now();
  for (const auto& [uid, attempt] : attempts_) {
    input->attempts.push_back(attempt);
  }
  input->has_ledger = has_ledger_;
  input->has_rerun = reruns_;
  return [input, state = state_] { state->update(std::move(*input)); };
}

}  // namespace windlass::dashboard
