// Another program, run to its end: its standard output is kept up to a limit, its standard error is
// ours, so that what it has to tell reaches the user; it cannot ask anything. Too long, or too much
// output, and it and what it started are killed.
//
// Lives on the event loop, which outlives it. Destroyed early, the program is killed.
#pragma once

#include <sys/types.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "posix/event_loop.h"
#include "posix/files/file_descriptor.h"

namespace windlass::posix {

struct ProgramRequest {
  std::vector<std::string> command = {};
  std::vector<std::string> environment = {};  // NAME=value, over our own
  size_t max_output_bytes = 0;
  Duration time_limit = {};
};

class Program {
 public:
  // What it wrote, if it ended with 0. Errors never show its output.
  using Done = std::function<void(Result<std::string>)>;

  // `done` runs once, later. An error means that nothing was started.
  static Result<std::unique_ptr<Program>> start(EventLoop& loop, const ProgramRequest& request,
                                                Done done);
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

 private:
  Program(EventLoop& loop, const ProgramRequest& request, Done done);

  Result<void> spawn(const ProgramRequest& request);
  void read_output();
  void on_end();
  void stop(std::string why);

  EventLoop& loop_;
  const std::string name_;
  const size_t max_output_bytes_;
  Done done_;
  pid_t pid_ = 0;
  FileDescriptor process_;
  FileDescriptor output_;
  WatchId process_watch_ = WatchId::none;
  WatchId output_watch_ = WatchId::none;
  env::TimerId timer_ = env::TimerId::none;
  std::string text_;
  std::string failure_;
};

// Runs a program to its end, with our standard streams and environment. command[0] is looked up in
// PATH. An error where it cannot be started, or ends with anything but 0. Blocks.
Result<void> run_program(const std::vector<std::string>& command);

}  // namespace windlass::posix
