// `windlass dashboard`: a login to the page of a running `windlass up`, or the page itself on this
// machine for any other cluster. A small state machine on the event loop; the caller owns it until
// it has finished.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "cli/commands/dashboard/browser.h"
#include "cli/flags/cluster_flags.h"
#include "cli/output/output.h"
#include "env/env.h"
#include "posix/event_loop.h"
#include "remote/cluster_access.h"

namespace windlass::cli {

struct DashboardOptions {
  ClusterFlags cluster = {};
  std::string ns = {};  // Jobs of the overview; "" for all
  bool serve = false;   // here, even if the server has the page
  std::string listen = "127.0.0.1:0";
  bool no_browser = false;
  Browser browser = {};
};

void declare_flags(Flags& flags, DashboardOptions& options);

class DashboardSession {
 public:
  // `loop` is the executor of `env`. `on_finished` runs once, later.
  DashboardSession(env::Env env, posix::EventLoop& loop, const remote::ClusterAccess& access,
                   DashboardOptions options, Output& output,
                   std::function<void(ExitCode)> on_finished);
  ~DashboardSession();
  DashboardSession(const DashboardSession&) = delete;
  DashboardSession& operator=(const DashboardSession&) = delete;

  void start();
  void interrupt();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace windlass::cli
