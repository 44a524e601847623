// The places where `windlass run` keeps what outlives it, opened before anything starts.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "cli/logs/log_keeper.h"
#include "cli/output/output.h"
#include "cli/runs/run_store.h"
#include "env/clock.h"
#include "ledger/ledger.h"

namespace windlass::cli {

struct RunOptions;
struct RunPlan;

struct RunStorage {
  std::shared_ptr<LogFiles> logs = {};     // null: nowhere
  std::shared_ptr<RunFolder> folder = {};  // null: the run is not kept
  ledger::Ledger* ledger = nullptr;        // null: attempts are not recorded; outlives the run
  std::string resumes = {};                // the name of a run, or ""
};

// What the record of a run has besides its options.
struct RunBeginning {
  const RunPlan& plan;  // all of it, whatever is done already
  std::string resumes = {};
  std::vector<RunRecord::DoneJob> done = {};
};

// Nothing, with an error on `output`, where a folder that the user named cannot be written. A run
// that cannot be kept is a warning.
std::optional<RunStorage> open_storage(const RunOptions& options, const RunBeginning& beginning,
                                       env::Clock& clock, Output& output);

// The objects as YAML, without the values of Secrets.
std::string kept_manifest(const RunPlan& plan);

}  // namespace windlass::cli
