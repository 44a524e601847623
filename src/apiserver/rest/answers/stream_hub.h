// The answers that go on for a while: watches, and lists that are too big for one piece. The hub
// owns them until they end or their client goes away, and runs them a slice at a time. All who
// watch one resource are known to the store as one: a write wakes the hub, which posts one task,
// whatever their number; the task then goes through them. Core executor only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/weak_self.h"
#include "env/executor.h"
#include "http/handler.h"
#include "store/store.h"

namespace windlass::apiserver {

class StreamHub;

// One answer in the making.
class Stream {
 public:
  virtual ~Stream() = default;
  // A bounded amount of work. Ends with one of: call wake() later (from anywhere), be woken with
  // all who watch its resource, be told by the hub that the client has taken what was sent, or
  // finish.
  enum class Next { again, wait, finished };
  virtual Next run() = 0;

 protected:
  friend class StreamHub;
  // Asks for run(); any number of times.
  void wake();
  const std::shared_ptr<http::Exchange>& exchange() const { return exchange_; }

 private:
  StreamHub* hub_ = nullptr;  // null once it is removed
  uint64_t id_ = 0;
  bool ready_ = false;
  std::string resource_;
  std::shared_ptr<http::Exchange> exchange_;
};

class StreamHub {
 public:
  // Above this a stream is not run until its client has taken half of it.
  static constexpr size_t kMaxUnsent = 1U << 20;
  // How many streams run before others get the executor.
  static constexpr size_t kRunsPerTask = 256;
  // And how many of those that have more to do.
  static constexpr size_t kBusyRunsPerTask = 16;

  StreamHub(env::Executor& executor, store::Store& store) : executor_(executor), store_(store) {}
  StreamHub(const StreamHub&) = delete;
  StreamHub& operator=(const StreamHub&) = delete;

  // The head of the answer has been sent. Runs soon, and again after every change of the resource;
  // without one only when it asks for it.
  void add(const std::shared_ptr<Stream>& stream, std::shared_ptr<http::Exchange> exchange,
           std::string_view resource = {});
  size_t size() const { return streams_.size(); }

 private:
  friend class Stream;
  using StreamPtr = std::shared_ptr<Stream>;
  // All who watch one resource.
  struct Group {
    std::unique_ptr<store::Watcher> probe;  // the one that the store knows
    bool woken = false;
    std::vector<StreamPtr> members;
  };

  void join(const StreamPtr& stream);
  void leave(const StreamPtr& stream);
  void make_ready(StreamPtr stream);
  void post();
  void run_ready();
  void wake_groups();
  // True when it has more to do.
  bool run(const StreamPtr& stream);
  void wait_for_client(const StreamPtr& stream);
  StreamPtr find(uint64_t id) const;
  void remove(uint64_t id);

  env::Executor& executor_;
  store::Store& store_;
  std::map<uint64_t, StreamPtr> streams_;
  std::map<std::string, Group, std::less<>> groups_;
  std::vector<StreamPtr> ready_;
  bool posted_ = false;
  uint64_t next_id_ = 1;
  WeakSelf<StreamHub> self_{this};
};

}  // namespace windlass::apiserver
