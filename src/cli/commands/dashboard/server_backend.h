// The page of `windlass up`: what its viewers may do is what the server in this process grants to
// the users whose credentials their logins came from. Lives on the core executor; all it is given
// outlives it.
#pragma once

#include <functional>
#include <string>

#include "apiserver/auth/authenticator.h"
#include "apiserver/rest/rest_handler.h"
#include "dashboard/viewer.h"
#include "env/executor.h"

namespace windlass::cli {

class ServerBackend final : public dashboard::Backend {
 public:
  using Rerun = std::function<void(const dashboard::RerunOrder&, client::Done<std::string>)>;

  // Of an answer to read_text().
  static constexpr size_t kMaxTextBytes = size_t{16} << 20;

  ServerBackend(env::Executor& executor, apiserver::Authenticator authenticator,
                const apiserver::RestHandler& api, Rerun rerun);

  // For a login that this process makes.
  static dashboard::ViewerPtr viewer_of(apiserver::User user);

  Result<dashboard::ViewerPtr> identify(const http::Headers& headers,
                                        const http::Peer& peer) const override;
  void check(const dashboard::Viewer& viewer, const dashboard::Access& access,
             client::Done<void> done) override;
  void read_text(const dashboard::Viewer& viewer, const std::string& path,
                 client::Done<std::string> done) override;
  void rerun(const dashboard::RerunOrder& order, client::Done<std::string> done) override;

 private:
  env::Executor& executor_;
  const apiserver::Authenticator authenticator_;
  const apiserver::RestHandler& api_;
  Rerun rerun_;
};

}  // namespace windlass::cli
