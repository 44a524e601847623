// Deletes what is in a namespace (api.md N11): its pods first, so that they keep what they use
// until they have ended, then every other kind. Each run goes once through the kinds, stops at the
// pods while any is left, and answers what is still there.
//
// Lives on the client's executor, and sees the API server only through the client; nothing is
// called after destruction.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "api/kind.h"
#include "base/weak_self.h"
#include "client/reflector.h"
#include "controllers/namespaces/deletion_conditions.h"

namespace windlass::controllers::namespaces {

class ContentDeleter {
 public:
  struct DeletionResult {
    Leftovers left = {};
    bool failed = false;  // a request did: some of what is left may not be counted
  };
  using Done = std::function<void(const DeletionResult& outcome)>;

  // `page_size`: deletions of one run under way at a time.
  ContentDeleter(client::ClientEnv env, int64_t page_size);
  ContentDeleter(const ContentDeleter&) = delete;
  ContentDeleter& operator=(const ContentDeleter&) = delete;

  void run(const std::string& ns, Time deleted_at, Done done);

 private:
  enum class Pass { deleting, counting };
  // Of the kind that is looked at.
  struct Tally {
    size_t count = 0;
    std::map<std::string, size_t> finalizers = {};
    Duration grace = Duration::zero();  // the longest of the pods that have not ended
    std::string error = {};             // the first
  };
  struct Run {
    std::string ns;
    Time deleted_at;
    Done done;
    std::vector<const api::Kind*> kinds;  // those that are still to look at, the next one last
    const api::Kind* kind = nullptr;
    Pass pass = Pass::deleting;
    Tally tally = {};
    std::string next_page = {};
    size_t deleted = 0;  // of this kind
    size_t in_flight = 0;
    DeletionResult outcome = {};
  };
  using RunPtr = std::shared_ptr<Run>;

  void next_kind(const RunPtr& run);
  void list_page(const RunPtr& run);
  void on_page(const RunPtr& run, const Result<client::ObjectList>& list);
  void remove(const RunPtr& run, const api::Message& object);
  void end_page(const RunPtr& run);
  void end_kind(const RunPtr& run);
  static void count(const api::Message& object, const api::Kind& kind, Tally& tally);
  static void note_error(Run& run, const Status& why);

  client::ClientEnv env_;
  int64_t page_size_;
  WeakSelf<ContentDeleter> self_{this};
};

}  // namespace windlass::controllers::namespaces
