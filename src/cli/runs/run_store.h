// The folder where `windlass run` keeps its last runs: a folder for each, named by its number.
//
//   DIR/counter        the number of the last run
//   DIR/12/lock        held while the run goes on (posix/files/data_directory.h)
//   DIR/12/run.json    how it began (run_record.h)
//   DIR/12/manifest.yaml  the objects as it ran them; values of Secrets are left out
//   DIR/12/report.json the newest report (run_report.h)
//   DIR/12/ledger.db   the attempts (ledger/sqlite)
//
// All is for the user alone (0700, 0600). Several processes may use it at once. Blocks; one thread
// at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/runs/run_record.h"
#include "cli/runs/run_report.h"
#include "env/data_directory.h"

namespace windlass::cli {

// Of the runs that are kept; the oldest go first, and those that go on never.
struct RunLimits {
  size_t runs = 50;
  uint64_t bytes = uint64_t{1} << 30U;
};

// A run while it goes on. Others see that it does until this goes.
class RunFolder {
 public:
  explicit RunFolder(std::unique_ptr<env::DataDirectory> held);

  const std::string& name() const { return name_; }
  const std::string& path() const { return held_->path(); }
  // In place of the one before, whole or not at all.
  Result<void> save_report(const RunAccount& report);

 private:
  std::unique_ptr<env::DataDirectory> held_;
  std::string name_;
};

struct StoredRun {
  std::string name = {};
  std::string path = {};
  bool goes_on = false;
  RunRecord record = {};
  std::optional<ReportSummary> report = {};  // none where it was killed before the first
  // Running, Complete, Failed, TimedOut, Interrupted, Error; Killed where it ended without a word.
  std::string verdict() const;
};

class RunStore {
 public:
  explicit RunStore(std::string directory) : directory_(std::move(directory)) {}

  const std::string& directory() const { return directory_; }

  // Removes what is over the limits, which the new one counts for.
  Result<std::unique_ptr<RunFolder>> create(const RunRecord& record, std::string_view manifest,
                                            const RunLimits& limits);
  // Newest first. What cannot be read is left out.
  Result<std::vector<StoredRun>> list() const;
  // `12`, `run/12` or `last`. The error says which there are.
  Result<StoredRun> find(std::string_view name) const;
  static std::string manifest_path(const StoredRun& run);
  Result<std::string> manifest(const StoredRun& run) const;
  // An error for one that goes on.
  Result<void> remove(const StoredRun& run);
  // The names of those that went.
  Result<std::vector<std::string>> prune(const RunLimits& limits);

 private:
  std::string path_of(const std::string& name) const { return directory_ + "/" + name; }
  // Newest first.
  Result<std::vector<int64_t>> numbers() const;
  Result<std::vector<std::string>> prune_held(const RunLimits& limits);

  const std::string directory_;
};

}  // namespace windlass::cli
