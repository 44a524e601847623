// `windlass explain`: reads a Job, its pods, warnings about it and the log of the pod that decided,
// and says why the Job ended as it did or what it waits for. Reads only. A small state machine on
// the client's executor; the caller owns it until it has finished.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "cli/explain_options.h"
#include "cli/output.h"
#include "client/api_client.h"
#include "env/clock.h"

namespace windlass::cli {

class ExplainSession {
 public:
  // The text of any path of the server.
  using ReadText = std::function<void(const std::string& path, client::Done<std::string> done)>;

  // `options.ns` is set. `on_finished` runs once, later.
  ExplainSession(client::ApiClient& api, ReadText read_text, env::Clock& clock,
                 ExplainOptions options, Output& output, std::function<void(ExitCode)> on_finished);
  ~ExplainSession();
  ExplainSession(const ExplainSession&) = delete;
  ExplainSession& operator=(const ExplainSession&) = delete;

  void start();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace windlass::cli
