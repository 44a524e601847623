// A document that changes, for readers who hold an earlier state of it and ask for what is new. It
// is worked out only while readers wait, at most twice a second, and so seldom that it never
// takes more than a small share of the worker's time.
//
// Lives on the core executor. The state belongs to the worker executor, on which it is changed and
// read; both executors outlive the feed, and the worker what was posted to it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "base/weak_self.h"
#include "client/reflector.h"

namespace windlass::dashboard {

// Its version grows with every change; it is never 0.
class FeedState {
 public:
  virtual ~FeedState() = default;
  virtual uint64_t version() const = 0;
  // All changes after `version`, as members of a JSON object; of 0, or of a version too far back,
  // the whole document.
  virtual std::string members_since(uint64_t version) const = 0;
};

class Feed {
 public:
  static constexpr Duration kShortestPause = milliseconds(500);
  // The pause after an update is so many times as long as the update took, within these limits.
  static constexpr int kPauseShare = 20;
  static constexpr Duration kLongestPause = seconds(5);
  // A reader without news hears after this time that there are none.
  static constexpr Duration kLongestWait = seconds(15);
  static constexpr size_t kMaxReaders = 100;
  // A page that asks for nothing for so long is not there any more.
  static constexpr Duration kLongestAbsence = seconds(3);

  // Changes the state, on the worker.
  using Update = std::function<void()>;
  // Collects what the update needs, on the core; an error goes to all readers.
  using Prepare = std::function<void(std::function<void(Result<Update>)> done)>;
  using Answer = std::function<void(Result<std::string> json)>;

  Feed(client::ClientEnv env, env::Executor& worker, std::shared_ptr<const FeedState> state,
       Prepare prepare);
  ~Feed();
  Feed(const Feed&) = delete;
  Feed& operator=(const Feed&) = delete;

  // The document may have changed.
  void touch();
  // `since` is that of the answer before, or "". Answers once there is something new.
  void ask(const std::string& since, Answer answer);

  // Whether all readers who are still there know the newest state.
  bool is_told() const;
  // There is nothing more to tell: readers get this error, now and later.
  void end(const Status& why);

  bool has_readers() const { return !readers_.empty(); }
  MonotonicTime last_asked() const { return last_asked_; }

 private:
  struct Reader {
    uint64_t since = 0;
    MonotonicTime until;
    Answer answer;
  };

  uint64_t version_of(const std::string& since) const;
  void schedule();
  void update();
  void on_prepared(Result<Update> prepared);
  void on_updated(uint64_t version, Duration took);
  void answer_readers();
  void send(uint64_t since, Answer answer);

  client::ClientEnv env_;
  env::Executor& worker_;
  std::shared_ptr<const FeedState> state_;
  Prepare prepare_;
  const std::string epoch_;  // tells this feed from one before it
  std::vector<Reader> readers_;
  uint64_t version_ = 0;
  bool dirty_ = true;
  bool updating_ = false;
  MonotonicTime next_;
  MonotonicTime last_asked_;
  std::optional<Status> ended_;
  env::TimerId timer_ = env::TimerId::none;
  WeakSelf<Feed> self_{this};
};

}  // namespace windlass::dashboard
