// The owner garbage collector: deletes objects whose owners are all gone, and carries out
// foreground deletion (dependents first) and orphaning (dependents stay and forget their owner),
// for every kind that is stored (api.md M51-M54).
//
// Holds one small record per object. At most `concurrent_syncs` objects are worked on at a time,
// each with one request under way, however many dependents an owner has. Lives on the client's
// executor; nothing runs after destruction.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "client/event_recorder.h"
#include "client/informer.h"
#include "client/work_queue.h"
#include "controllers/garbage/graph.h"
#include "controllers/garbage/visit.h"

namespace windlass::controllers::garbage {

class GarbageCollector {
 public:
  struct Options {
    // Those that the API server stores; Events are left to expire by themselves.
    std::vector<const api::Kind*> kinds = {};
    size_t concurrent_syncs = 20;
  };

  GarbageCollector(client::ClientEnv env, Options options);
  ~GarbageCollector();
  GarbageCollector(const GarbageCollector&) = delete;
  GarbageCollector& operator=(const GarbageCollector&) = delete;

  void start();
  // Nothing is looked at before every cache has had its first list.
  bool has_synced() const { return synced_ == informers_.size(); }
  size_t objects() const { return graph_.size(); }

 private:
  using RecordInformer = client::Informer<TrackedObjectPtr>;

  void watch(client::ClientEnv env, const api::Kind& kind);
  void wake(const std::string& uid);
  void process(const std::string& uid);
  void on_visited(const std::string& uid, const Result<Visited>& result);

  env::Log& log_;
  std::set<const api::Kind*> kinds_;
  client::EventRecorder events_;
  client::WorkQueue queue_;  // of UIDs
  OwnerGraph graph_;
  OwnerMemory memory_;
  Surroundings around_;
  std::map<std::string, std::shared_ptr<Visit>> visits_;  // by UID of the object
  std::vector<std::unique_ptr<RecordInformer>> informers_;
  size_t synced_ = 0;
};

}  // namespace windlass::controllers::garbage
