// Who looks at the page, and what the page asks of the API server in that user's name. One
// implementation asks the server in this process, the other one any cluster with the rights of a
// kubeconfig.
#pragma once

#include <memory>
#include <string>

#include "base/index_set.h"
#include "base/result.h"
#include "client/api_client.h"
#include "http/message.h"

namespace windlass::dashboard {

// Immutable.
struct Viewer {
  virtual ~Viewer() = default;

  std::string name = {};
  http::Caller caller = {};
};
using ViewerPtr = std::shared_ptr<const Viewer>;

// In the words of access rules.
struct Access {
  std::string verb;
  std::string group;
  std::string resource;
  std::string subresource;
  std::string ns;  // "" for all
};

struct RerunOrder {
  std::string ns;
  std::string job;
  IndexSet indexes;
};

class Backend {
 public:
  virtual ~Backend() = default;

  // The user whose API credentials the request has. Fails (401) for all others. Any thread.
  virtual Result<ViewerPtr> identify(const http::Headers& headers,
                                     const http::Peer& peer) const = 0;

  // The rest on the core executor; callbacks run there, later.

  // 403 where the user may not.
  virtual void check(const Viewer& viewer, const Access& access, client::Done<void> done) = 0;
  // The text of a path of the API, as that user may read it.
  virtual void read_text(const Viewer& viewer, const std::string& path,
                         client::Done<std::string> done) = 0;
  // Answers with the name of the new Job. Only after check() of its creation.
  virtual void rerun(const RerunOrder& order, client::Done<std::string> done) = 0;
};

}  // namespace windlass::dashboard
