#include "controllers/garbage/collector.h"

#include <utility>

namespace windlass::controllers::garbage {
namespace {

constexpr Duration kFirstRetry = milliseconds(100);
constexpr Duration kMaxRetry = seconds(60);

bool is_collected(const api::Kind& kind) {
  return kind.kind != "Event";
}

}  // namespace

GarbageCollector::GarbageCollector(client::ClientEnv env, Options options)
    : log_(env.log),
      events_(env, "garbage-collector-controller"),
      queue_(env.executor, env.clock, {options.concurrent_syncs, kFirstRetry, kMaxRetry},
             [this](const std::string& uid) { process(uid); }),
      graph_([this](const std::string& uid) { wake(uid); }),
      around_{env, graph_, memory_, events_, kinds_} {
  for (const api::Kind* kind : options.kinds) {
    if (is_collected(*kind) && kinds_.insert(kind).second) {
      watch(env, *kind);
    }
  }
}

GarbageCollector::~GarbageCollector() = default;

void GarbageCollector::watch(client::ClientEnv env, const api::Kind& kind) {
  auto informer = std::make_unique<RecordInformer>(
      env, client::Collection{&kind},
      [&kind](const api::Message& object) { return project(kind, object); });
  informer->keep_while(renew);
  informer->add_handler(
      {[this](const TrackedObjectPtr& added) { graph_.upsert(added); },
       [this](const TrackedObjectPtr&, const TrackedObjectPtr& now) { graph_.upsert(now); },
       [this](const TrackedObjectPtr& last) { graph_.erase(last->uid); }});
  informer->when_synced([this] {
    if (++synced_ == informers_.size()) {
      graph_.wake_unsettled();
    }
  });
  informers_.push_back(std::move(informer));
}

void GarbageCollector::start() {
  for (const auto& informer : informers_) {
    informer->start();
  }
}

void GarbageCollector::wake(const std::string& uid) {
  if (has_synced()) {
    queue_.add(uid);
  }
}

void GarbageCollector::process(const std::string& uid) {
  const TrackedObjectPtr item = graph_.find(uid);
  if (!item) {
    queue_.forget(uid);
    queue_.done(uid);
    return;
  }
  const auto visit = std::make_shared<Visit>(
      around_, item, [this, uid](const Result<Visited>& result) { on_visited(uid, result); });
  visits_.emplace(uid, visit);
  visit->start();
}

void GarbageCollector::on_visited(const std::string& uid, const Result<Visited>& result) {
  visits_.erase(uid);
  if (!result) {
    log_.warning("collecting garbage failed, will try again",
                 {{"uid", uid}, {"error", result.error().message}});
    queue_.add_rate_limited(uid);
  } else if (*result == Visited::look_again) {
    queue_.add_rate_limited(uid);
  } else {
    queue_.forget(uid);
  }
  queue_.done(uid);
}

}  // namespace windlass::controllers::garbage
