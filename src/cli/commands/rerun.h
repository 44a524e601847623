// `windlass rerun`: makes a Job that runs some indexes of a finished Indexed Job again. A small
// state machine on the client's executor; the caller owns it until it has finished.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/index_set.h"
#include "cli/flags/cluster_flags.h"
#include "cli/output/output.h"
#include "cli/output/print_objects.h"
#include "client/api_client.h"
#include "ledger/ledger.h"

namespace windlass::cli {

struct RerunOptions {
  ClusterFlags cluster = {};
  std::string ns = {};   // "": the context's
  std::string job = {};  // its name
  // One of the four.
  std::string cause = {};  // place or id of a cause of failures
  bool failed = false;
  bool unfinished = false;
  std::optional<IndexSet> indexes = {};
  std::string ledger = {};      // sqlite:FILE or postgresql://...; "": that of the server
  std::string name = {};        // of the new Job; "": the server makes one
  std::string managed_by = {};  // of the new Job; "": that of the old one
  bool keep_counts = false;
  bool dry_run = false;
  OutputFormat format = OutputFormat::text;
};

void declare_flags(Flags& flags, RerunOptions& options);

class RerunSession {
 public:
  // The text of any path of the server.
  using ReadText = std::function<void(const std::string& path, client::Done<std::string> done)>;

  // `options.ns` is set. `on_finished` runs once, later.
  RerunSession(client::ApiClient& api, ledger::AttemptSource& attempts, ReadText read_text,
               RerunOptions options, Output& output, std::function<void(ExitCode)> on_finished);
  ~RerunSession();
  RerunSession(const RerunSession&) = delete;
  RerunSession& operator=(const RerunSession&) = delete;

  void start();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace windlass::cli
