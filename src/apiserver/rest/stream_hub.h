// The answers that go on for a while: watches, and lists that are too big for one piece. The hub
// owns them until they end or their client goes away, runs them a slice at a time, and wakes any
// number of them with one task, so that a write costs next to nothing however many watch. Core
// executor only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "env/executor.h"
#include "http/handler.h"

namespace windlass::apiserver {

class StreamHub;

// One answer in the making.
class Stream {
 public:
  virtual ~Stream() = default;
  // A bounded amount of work. Ends with one of: call wake() later (from anywhere), be told by the
  // hub that the client has taken what was sent, or finish.
  enum class Next { again, wait, finished };
  virtual Next run() = 0;

 protected:
  friend class StreamHub;
  // Asks for run(); any number of times. Cheap, and allowed inside the store's commit.
  void wake();
  const std::shared_ptr<http::Exchange>& exchange() const { return exchange_; }

 private:
  StreamHub* hub_ = nullptr;
  uint64_t id_ = 0;
  bool ready_ = false;
  std::shared_ptr<http::Exchange> exchange_;
};

class StreamHub {
 public:
  // Above this a stream is not run until its client has taken half of it.
  static constexpr size_t kMaxUnsent = 1U << 20;
  // How many streams run before others get the executor.
  static constexpr size_t kRunsPerTask = 256;

  explicit StreamHub(env::Executor& executor) : executor_(executor) {}
  StreamHub(const StreamHub&) = delete;
  StreamHub& operator=(const StreamHub&) = delete;

  // The head of the answer has been sent. Runs soon.
  void add(std::shared_ptr<Stream> stream, std::shared_ptr<http::Exchange> exchange);
  size_t size() const { return streams_.size(); }

 private:
  friend class Stream;
  void make_ready(Stream& stream);
  void post();
  void run_ready();
  void run(Stream& stream);
  void wait_for_client(Stream& stream);
  std::shared_ptr<Stream> find(uint64_t id) const;
  void remove(uint64_t id);

  env::Executor& executor_;
  std::map<uint64_t, std::shared_ptr<Stream>> streams_;
  std::vector<uint64_t> ready_;
  bool posted_ = false;
  uint64_t next_id_ = 1;
  // Tasks and the callbacks of exchanges hold this weakly: they may outlive the hub.
  std::shared_ptr<StreamHub*> self_ = std::make_shared<StreamHub*>(this);
};

}  // namespace windlass::apiserver
