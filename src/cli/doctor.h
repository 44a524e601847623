// `windlass doctor`: looks at a cluster's Jobs twice and says what is wrong both times. Reads only.
// A small state machine on the event loop; the caller owns it until it has finished.
#pragma once

#include <functional>
#include <memory>

#include "cli/doctor_options.h"
#include "cli/output.h"
#include "env/env.h"
#include "posix/event_loop.h"
#include "remote/access.h"

namespace windlass::cli {

class DoctorSession {
 public:
  // `on_finished` runs once, later.
  DoctorSession(env::Env env, posix::EventLoop& loop, remote::Access access, DoctorOptions options,
                Output& output, std::function<void(ExitCode)> on_finished);
  ~DoctorSession();
  DoctorSession(const DoctorSession&) = delete;
  DoctorSession& operator=(const DoctorSession&) = delete;

  void start();
  void interrupt();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace windlass::cli
