// The page of a run: shows its cluster at an address of this machine while the run lasts, and
// changes nothing. On the event loop; all it is given outlives it.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "cli/commands/dashboard/browser.h"
#include "cli/runs/run_store.h"
#include "env/env.h"
#include "plane/embedded_cluster.h"
#include "posix/event_loop.h"

namespace windlass::cli {

class RunPage {
 public:
  virtual ~RunPage() = default;

  // With a login that works once.
  virtual std::string address() const = 0;
  // Shows pages that are open how the run ended. `then` runs once, later.
  virtual void end(const std::function<void()>& then) = 0;
};

// Where the logs of a node are.
using FindNodeDirectory = std::function<std::optional<std::string>(const std::string& node)>;
using RunPageMaker = std::function<Result<std::unique_ptr<RunPage>>(
    plane::EmbeddedCluster& cluster, const FindNodeDirectory& find_node)>;

// What --dashboard needs.
struct RunPageTools {
  RunPageMaker open = nullptr;
  Browser browser = {};
};

// `loop` is the executor of `env`. Without a folder, attempts are as their pods tell.
Result<std::unique_ptr<RunPage>> open_run_page(env::Env env, posix::EventLoop& loop,
                                               plane::EmbeddedCluster& cluster,
                                               const FindNodeDirectory& find_node,
                                               const RunFolder* folder);

}  // namespace windlass::cli
