// A journal in memory that survives its store: what was committed is replayed after a crash of the
// API server; of what was handed over and not yet committed a prefix may have reached the disk.
// Commits at once, or many writes together a little later. Tells an observer of every commit, in
// revision order, before any client hears of it. Lives on the server's executor.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/generator.h"
#include "env/executor.h"
#include "store/journal.h"

namespace windlass::verify::simulation {

// Who sent a write, and what it had seen by then.
struct WriteOrigin {
  std::string component = {};
  uint64_t owner_version = 0;  // of a new pod: the version of its owner that the component knew

  bool is_job_controller() const { return component.starts_with("job-controller"); }
};

class SimulatedJournal final : public store::Journal {
 public:
  using Observer =
      std::function<void(std::string_view resource, const store::VersionPtr&, const WriteOrigin&)>;

  // A delay of zero commits inside append(). `writer` is whose write is being carried out.
  SimulatedJournal(env::Executor& executor, Generator& generator, const WriteOrigin& writer,
                   Duration max_delay, Observer observer);

  Result<void> replay(store::ReplayListener& listener) override;
  void start(store::JournalListener& listener) override { listener_ = &listener; }
  void append(std::string_view resource, const store::VersionPtr& version) override;

  // The store is about to go. `compact` forgets the history of what is kept.
  void crash(bool compact);

 private:
  struct Handed {
    std::string resource;
    store::VersionPtr version;
    WriteOrigin writer;
  };
  struct Kept {
    store::Revision revision = 0;
    store::Change change = store::Change::created;
    std::string resource;
    std::string key;
    std::string bytes;
  };

  void keep(size_t count);
  void commit();
  void forget_history();

  env::Executor& executor_;
  Generator& generator_;
  const WriteOrigin& writer_;
  Duration max_delay_;
  Observer observer_;
  store::JournalListener* listener_ = nullptr;
  std::deque<Handed> handed_;
  std::vector<Kept> kept_;
  store::Revision compacted_ = 1;
  store::Revision newest_ = 1;
  env::TimerId timer_ = env::TimerId::none;
};

}  // namespace windlass::verify::simulation
