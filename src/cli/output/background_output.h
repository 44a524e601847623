// An output whose caller does not wait for the reader: its own thread writes, in order. For
// sessions on an event loop, which a full pipe would block, Ctrl-C included. Any thread may write.
// The destructor waits until all is written.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <string>
#include <vector>

#include "cli/output/output.h"
#include "env/clock.h"
#include "posix/worker_thread.h"

namespace windlass::cli {

class BackgroundOutput final : public Output {
 public:
  // The caller waits with so many unread bytes: the output of a Job is neither dropped nor kept in
  // memory without a limit.
  static constexpr size_t kMaxWaiting = 64 * 1024 * 1024;

  // Only the other thread writes to `target`, which outlives this.
  BackgroundOutput(Output& target, env::Clock& clock, size_t max_waiting = kMaxWaiting);

  void out(std::string_view text) override { add(Stream::out, text); }
  void err(std::string_view text) override { add(Stream::err, text); }
  bool interactive() const override { return target_.interactive(); }
  bool in_foreground() const override { return target_.in_foreground(); }
  bool is_terminal(Stream stream) const override { return target_.is_terminal(stream); }
  bool colours() const override { return target_.colours(); }
  size_t columns() const override { return target_.columns(); }
  size_t rows() const override { return target_.rows(); }

 private:
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
  size_t waiting_bytes_ = 0;    // under mutex_; with those being written
  posix::WorkerThread worker_;  // last: it uses the others to its end
};

}  // namespace windlass::cli
