// Pulls images on threads of its own, a few at a time. Requests for the same image with the same
// logins share one pull, and for a moment its answer: ten thousand pods that ask for `:latest` ask
// the registry a few times.
//
// Lives on the executor, which outlives it. Destroyed early, it kills the pulls under way.
#pragma once

#include <atomic>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/weak_self.h"
#include "env/clock.h"
#include "env/executor.h"
#include "images/catalog/image_puller.h"
#include "images/store/pull.h"
#include "posix/process/stoppable_programs.h"
#include "posix/worker_thread.h"

namespace windlass::images {

class BackgroundPulls final : public ImagePuller {
 public:
  static constexpr size_t kMaxParallel = 3;
  // Of the images that pods name, as many as wait for a pull; of answers, these.
  static constexpr size_t kMaxRecent = 1000;
  static constexpr Duration kRecent = seconds(10);

  struct Options {
    std::string directory = {};     // of the store
    std::string architecture = {};  // of this machine, as Go names it
    uint64_t keep_free = kKeepFree;
    Skopeo skopeo = {};  // instead of the real one
  };

  BackgroundPulls(env::Executor& executor, env::Clock& clock, Options options);
  ~BackgroundPulls() override;
  BackgroundPulls(const BackgroundPulls&) = delete;
  BackgroundPulls& operator=(const BackgroundPulls&) = delete;

  void pull(const Request& request, OnPulled on_pulled) override;
  std::optional<Pulled> recent(const Request& request) override;

 private:
  struct Pull {
    PullRequest request;
    std::vector<OnPulled> waiting;
  };
  struct Answer {
    MonotonicTime at{};
    Pulled pulled;
  };

  void begin_next();
  void carry_out(size_t worker, const std::string& key);
  void on_done(size_t worker, const std::string& key, const Result<Pulled>& result);

  env::Executor& executor_;
  env::Clock& clock_;
  const Options options_;
  ImageStore store_;
  std::map<std::string, Pull> pulls_;  // by image and logins
  std::deque<std::string> queue_;      // of those that have not begun
  std::map<std::string, Answer> recent_;
  std::atomic<bool> stopping_ = false;
  posix::StoppablePrograms programs_;
  std::vector<std::unique_ptr<posix::WorkerThread>> workers_;
  std::vector<size_t> idle_;  // workers
  WeakSelf<BackgroundPulls> self_{this};
};

}  // namespace windlass::images
