// An output whose caller does not wait for the reader: a thread of its own writes, in order. For
// sessions on an event loop, where a pipe that nobody reads would hold up everything, Ctrl-C
// included. Any thread may write. Destroyed, it waits until all is written.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <string>
#include <vector>

#include "cli/output.h"
#include "env/clock.h"
#include "posix/worker_thread.h"

namespace windlass::cli {

class BackgroundOutput final : public Output {
 public:
  // With so much unread the caller does wait: what a Job writes is not thrown away, nor is all of
  // it kept in memory.
  static constexpr size_t kMaxWaiting = 64 * 1024 * 1024;

  // `target` is written to on the other thread only, and outlives this.
  BackgroundOutput(Output& target, env::Clock& clock, size_t max_waiting = kMaxWaiting);

  void out(std::string_view text) override { add(Stream::out, text); }
  void err(std::string_view text) override { add(Stream::err, text); }
  bool interactive() const override { return target_.interactive(); }
  size_t columns() const override { return target_.columns(); }

 private:
  enum class Stream { out, err };
  struct Piece {
    Stream stream;
    std::string text;
  };

  void add(Stream stream, std::string_view text);
  void write_waiting();

  Output& target_;
  const size_t max_waiting_;
  std::mutex mutex_;
  std::condition_variable written_;
  std::vector<Piece> waiting_;  // under mutex_
  size_t waiting_bytes_ = 0;    // under mutex_; of what is being written, too
  posix::WorkerThread worker_;  // last: it uses the others to its end
};

}  // namespace windlass::cli
