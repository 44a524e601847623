// `windlass runs`: lists and removes the runs that `windlass run` keeps.
#pragma once

#include <string>
#include <vector>

#include "cli/flags/flags.h"
#include "cli/output/output.h"
#include "cli/runs/run_store.h"

namespace windlass::cli {

struct RunsOptions {
  enum class Action { list, remove, prune };

  Action action = Action::list;
  std::vector<std::string> names = {};  // remove
  size_t keep = RunLimits{}.runs;       // prune
  bool json = false;                    // list
};

// Those of its action.
void declare_flags(Flags& flags, RunsOptions& options);

ExitCode manage_runs(const RunsOptions& options, RunStore& store, Time now, Output& output);

}  // namespace windlass::cli
