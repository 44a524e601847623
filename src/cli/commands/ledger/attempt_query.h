// `windlass ledger query` and `windlass ledger export`: read attempts, page by page, from a server
// or from the file of a ledger, and print them. A small state machine on the source's executor; the
// caller owns it until it has finished.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/time.h"
#include "base/weak_self.h"
#include "cli/commands/ledger/attempt_writer.h"
#include "cli/flags/cluster_flags.h"
#include "cli/output/output.h"
#include "ledger/ledger.h"

namespace windlass::cli {

struct AttemptQueryOptions {
  ledger::AttemptFilter filter = {};
  // Before now; they become since and until of the filter.
  std::optional<Duration> since_ago = {};
  std::optional<Duration> until_ago = {};
  AttemptFormat format = AttemptFormat::table;
  size_t limit = 500;  // 0: all of them
  std::string file = {};
  std::string data_dir = {};
  std::string ledger = {};  // sqlite:FILE or postgresql://...
  ClusterFlags cluster = {};
};

struct AttemptExportOptions {
  AttemptQueryOptions query = {.format = AttemptFormat::json_lines, .limit = 0};
};

void declare_flags(Flags& flags, AttemptQueryOptions& options);
void declare_flags(Flags& flags, AttemptExportOptions& options);

class AttemptQuery {
 public:
  // What the others are outlives it. `on_finished` runs once, later.
  AttemptQuery(ledger::AttemptSource& source, const AttemptQueryOptions& options, Output& output,
               std::function<void(ExitCode)> on_finished);

  void start() { ask(""); }
  void interrupt() { finish(ExitCode::interrupted); }

 private:
  void ask(const std::string& continue_token);
  void take(const Result<ledger::AttemptPage>& page);
  void finish(ExitCode code);

  ledger::AttemptSource& source_;
  const AttemptQueryOptions options_;
  Output& output_;
  std::function<void(ExitCode)> on_finished_;
  AttemptWriter writer_;
  size_t found_ = 0;
  WeakSelf<AttemptQuery> self_{this};
};

// Reads the file or the database that the options name; a server may be writing it.
ExitCode query_opened_ledger(const AttemptQueryOptions& options, Output& output);
// Asks the server.
ExitCode query_ledger_server(const AttemptQueryOptions& options, Output& output);

}  // namespace windlass::cli
