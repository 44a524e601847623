// The page of a cluster that is reached with a kubeconfig: every viewer has the rights of that
// kubeconfig, and the cluster's API server enforces them. Lives on the event loop; the client
// outlives it.
#pragma once

#include <string>

#include "cli/commands/dashboard/page_reruns.h"
#include "dashboard/viewer.h"
#include "env/executor.h"
#include "remote/remote_client.h"

namespace windlass::cli {

class RemoteBackend final : public dashboard::Backend {
 public:
  RemoteBackend(env::Executor& executor, remote::RemoteClient& client, PageReruns& reruns)
      : executor_(executor), client_(client), reruns_(reruns) {}

  // Always 401: its logins are made in this process.
  Result<dashboard::ViewerPtr> identify(const http::Headers& headers,
                                        const http::Peer& peer) const override;
  // Of a write the server is asked; a read shows by itself.
  void check(const dashboard::Viewer& viewer, const dashboard::Access& access,
             client::Done<void> done) override;
  void read_text(const dashboard::Viewer& viewer, const std::string& path,
                 client::Done<std::string> done) override;
  void rerun(const dashboard::RerunOrder& order, client::Done<std::string> done) override;

 private:
  env::Executor& executor_;
  remote::RemoteClient& client_;
  PageReruns& reruns_;
};

}  // namespace windlass::cli
