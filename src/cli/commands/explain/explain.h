// `windlass explain`: reads a Job, its pods, its attempts, warnings about it and the log of the pod
// that decided, and explains why the Job ended or what it waits for. Of a Job that is gone it tells
// what the attempt ledger has. Writes nothing. A small state machine on the client's executor; the
// caller owns it until it has finished.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/time.h"
#include "cli/flags/cluster_flags.h"
#include "cli/output/output.h"
#include "client/api_client.h"
#include "env/clock.h"
#include "ledger/ledger.h"

namespace windlass::cli {

struct ExplainOptions {
  ClusterFlags cluster = {};
  std::string ns = {};   // "": the context's
  std::string job = {};  // its name; of one that is gone the UID, too
  // `12` or `last`: of a run that `windlass run` has kept; "": of no run. Without `job` all Jobs of
  // it.
  std::string run = {};
  std::optional<int64_t> index = {};
  std::string cause = {};     // place or id of one to tell of
  std::string attempts = {};  // `A,B`: two to compare
  std::string ledger = {};    // sqlite:FILE or postgresql://...; "": that of the server
  bool has_server = true;     // false: there is only the ledger
  bool json = false;
  int64_t log_lines = 10;
  // Those of the Job's controller, which are not in the Job. Without them: as the server reports,
  // or else the defaults of Kubernetes.
  std::optional<Duration> backoff_base = {};
  std::optional<Duration> backoff_cap = {};
};

void declare_flags(Flags& flags, ExplainOptions& options);

class ExplainSession {
 public:
  // The text of any path of the server.
  using ReadText = std::function<void(const std::string& path, client::Done<std::string> done)>;

  // `options.ns` is set. `on_finished` runs once, later.
  ExplainSession(client::ApiClient& api, ledger::AttemptSource& attempts, ReadText read_text,
                 env::Clock& clock, ExplainOptions options, Output& output,
                 std::function<void(ExitCode)> on_finished);
  ~ExplainSession();
  ExplainSession(const ExplainSession&) = delete;
  ExplainSession& operator=(const ExplainSession&) = delete;

  void start();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace windlass::cli
