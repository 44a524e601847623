// `windlass run --resume`: finds the run to continue, its manifest, and what is left of it.
// Blocks.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "cli/manifests/run_manifests.h"
#include "cli/output/output.h"
#include "cli/runs/done_work.h"
#include "cli/runs/run_store.h"

namespace windlass::cli {

struct ResumeOptions {
  // `12`, `run/12` or `last`; "" is the last one.
  std::optional<std::string> run = {};  // none: nothing is resumed
  bool force = false;                   // also with another manifest
};

class Resume {
 public:
  // Names the manifests in `options`, if the user did not: those of the run or, where they are not
  // there any more, what the run kept of them. The error is for the user.
  static Result<Resume> find(const RunStore& store, const std::string& name, env::Files& files,
                             JobOptions& options);

  const StoredRun& run() const { return run_; }
  // Nothing is left to run.
  bool is_over() const { return run_.verdict() == name_of(RunVerdict::complete); }
  // `plan` is that of the manifests. An error where it is another than the run had, unless forced;
  // the difference is then on `output`.
  Result<RestOfPlan> rest_of(const RunPlan& plan, bool force, Output& output);
  // After rest_of().
  const std::vector<RunRecord::DoneJob>& done() const { return done_; }

 private:
  explicit Resume(StoredRun run) : run_(std::move(run)) {}

  Result<void> check_manifest(const std::string& kept, const RunPlan& plan, bool force,
                              Output& output) const;
  Result<void> read_ledger(DoneWork& work) const;

  StoredRun run_;
  bool uses_kept_manifest_ = false;
  std::string kept_manifest_;
  std::vector<RunRecord::DoneJob> done_;
};

}  // namespace windlass::cli
