#include "dashboard/overview_feed.h"

#include <utility>

#include "client/object_identity.h"

namespace windlass::dashboard {
namespace {

std::optional<client::ObjectPtr> keep_whole(const client::ObjectPtr& object) {
  return object;
}

}  // namespace

OverviewFeed::OverviewFeed(client::ClientEnv env, env::Executor& worker,
                           ledger::AttemptSource& attempts, std::string ns)
    : env_(env),
      ns_(std::move(ns)),
      state_(std::make_shared<OverviewState>()),
      feed_(env, worker, state_, [this](Prepared done) { prepare(std::move(done)); }),
      failures_(env, attempts, ns_, [this] { feed_.touch(); }) {}

OverviewFeed::~OverviewFeed() {
  env_.executor.cancel(give_up_);
}

void OverviewFeed::prepare(Prepared done) {
  prepared_ = std::move(done);
  if (jobs_ && jobs_->has_synced()) {
    return proceed();
  }
  // Its error says why there is nothing to show.
  env_.client.list({&api::kinds::job(), ns_, "", ""}, {.limit = 1},
                   self_.bind(&OverviewFeed::on_allowed));
}

void OverviewFeed::on_allowed(const Result<client::ObjectList>& jobs) {
  if (!jobs) {
    return finish(fail(jobs.error()));
  }
  give_up_ = env_.executor.schedule(kListTimeout, self_.bind([](OverviewFeed& self) {
    self.finish(fail(Status{503, "", "the API server did not list the Jobs in time", {}}));
  }));
  if (!jobs_) {
    start();
  }
  proceed();
}

// Nodes come when they come: not everyone may see them.
void OverviewFeed::start() {
  jobs_.emplace(env_, client::Collection{&api::kinds::job(), ns_, "", ""}, keep_whole);
  nodes_.emplace(env_, client::Collection{&api::kinds::node(), "", "", ""}, keep_whole);
  follow(*jobs_, changed_jobs_);
  follow(*nodes_, changed_nodes_);
  jobs_->when_synced([this] { proceed(); });
  jobs_->start();
  nodes_->start();
}

void OverviewFeed::follow(Objects& objects, std::set<std::string>& changed) {
  const auto note = [this, &changed](const client::ObjectPtr& object) {
    changed.insert(client::key_of(*object));
    feed_.touch();
  };
  objects.add_handler({note, [note](const auto&, const auto& now) { note(now); }, note});
}

void OverviewFeed::proceed() {
  if (prepared_ && jobs_->has_synced()) {
    // Causes come when they come. An attempt is recorded before its Job counts it.
    if (!changed_jobs_.empty()) {
      failures_.read();
    }
    finish(make_update());
  }
}

void OverviewFeed::finish(Result<Feed::Update> prepared) {
  env_.executor.cancel(give_up_);
  if (const Prepared done = std::exchange(prepared_, nullptr)) {
    done(std::move(prepared));
  }
}

Feed::Update OverviewFeed::make_update() {
  const auto changes = std::make_shared<OverviewState::Changes>();
  const auto collect = [](const Objects& objects, const std::set<std::string>& keys, auto& out) {
    for (const std::string& key : keys) {
      const client::ObjectPtr* object = objects.find(key);
      out.emplace_back(key, object == nullptr ? nullptr : *object);
    }
  };
  collect(*jobs_, std::exchange(changed_jobs_, {}), changes->jobs);
  collect(*nodes_, std::exchange(changed_nodes_, {}), changes->nodes);
  changes->failures = failures_.take();
  changes->has_ledger = failures_.has_ledger();
  changes->now = env_.clock.now();
  return [changes, state = state_] { state->update(*changes); };
}

}  // namespace windlass::dashboard
