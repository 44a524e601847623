// What became of every run, in memory and in the journal. Changes are collected and become durable
// together in commit(); what is to be seen or done because of them waits for that.
//
// A commit that fails leaves the changes pending: the next one writes the whole table into a new
// file, so a disk that was full, or an fsync that failed once, loses nothing.
// Owned by the supervisor, on its thread.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "env/containers.h"
#include "supervisor/server/run_journal.h"

namespace windlass::supervisor {

// A process as it cannot be mistaken for another within one boot.
struct ProcessMark {
  int32_t pid = 0;
  uint64_t start_ticks = 0;

  bool operator==(const ProcessMark&) const = default;
};

class RunTable {
 public:
  static constexpr size_t kMaxRuns = 200'000;

  struct Entry {
    env::ContainerRunInfo run;
    ProcessMark process;

    bool operator==(const Entry&) const = default;
  };

  explicit RunTable(const std::string& directory) : journal_(directory) {}

  // Reads what an earlier supervisor left. True when it wrote under the same boot of the machine,
  // so that its process marks still mean something.
  Result<bool> open(const std::string& boot_id);

  const Entry* find(const std::string& id) const;
  const std::map<std::string, Entry>& runs() const { return runs_; }
  bool full() const { return runs_.size() >= kMaxRuns; }

  void intend(const std::string& id, ProcessMark process, Time at);
  void end(const env::ContainerRunInfo& run);
  void forget(const std::string& id);
  // Only in memory: a run that is not over is lost after a crash anyway.
  void set_running(const std::string& id);

  bool pending() const { return !changes_.empty(); }
  Result<void> commit();

 private:
  struct Change {
    enum class Kind : uint8_t { boot, run, forget };
    Kind kind = Kind::run;
    std::string text;  // boot id, or the id that is forgotten
    Entry entry;
  };
  template <class A, class T>
  friend void change_fields(A& archive, T& change);

  void apply(const Change& change);
  std::vector<Change> everything() const;
  static std::string encode(const std::vector<Change>& changes);
  bool worth_compacting() const;

  RunJournal journal_;
  std::string boot_id_;
  std::map<std::string, Entry> runs_;
  std::vector<Change> changes_;
  bool rewrite_ = true;
  size_t compacted_bytes_ = 0;
};

}  // namespace windlass::supervisor
