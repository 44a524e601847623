// `windlass doctor`: examines the Jobs of a cluster twice and reports the problems that persist.
// Writes nothing. A small state machine on the event loop; the caller owns it until it has
// finished.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/time.h"
#include "cli/flags/cluster_flags.h"
#include "cli/output/output.h"
#include "env/env.h"
#include "posix/event_loop.h"
#include "remote/cluster_access.h"

namespace windlass::cli {

struct DoctorOptions {
  ClusterFlags cluster = {};
  std::string ns = {};             // "": all namespaces
  Duration wait = seconds(10);     // between the two examinations
  Duration patience = minutes(1);  // delays up to this are no problem
  bool json = false;
};

void declare_flags(Flags& flags, DoctorOptions& options);

class DoctorSession {
 public:
  // `on_finished` runs once, later.
  DoctorSession(env::Env env, posix::EventLoop& loop, remote::ClusterAccess access,
                DoctorOptions options, Output& output, std::function<void(ExitCode)> on_finished);
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
