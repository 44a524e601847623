// The store as a program for the crash tests: writes under load and says what was acknowledged.
// The lines are described in README.md.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "base/check.h"
#include "base/generator.h"
#include "posix/event_loop.h"
#include "posix/files/data_directory.h"
#include "posix/posix_clock.h"
#include "posix/worker_thread.h"
#include "store/sqlite/sqlite_journal.h"
#include "store/store.h"
#include "virtual_world/virtual_log.h"

namespace windlass::store {
namespace {

constexpr int kKeys = 32;
// Exit codes.
constexpr int kRefused = 3;
constexpr int kStopped = 4;

void say(const std::string& line) {
  const std::string text = line + "\n";
  CHECK(::write(STDOUT_FILENO, text.data(), text.size()) == static_cast<ssize_t>(text.size()),
        "the driver reads");
}

// What a write of this key has at this revision: every byte is known.
std::string content_of(std::string_view name, Revision revision) {
  Generator random(revision * 1'000'003 + name.size());
  std::string content = fmt::format("{}@{}:", name, revision);
  const size_t size = content.size() + random.uniform(random.chance(0.05) ? 20'000 : 2'500);
  while (content.size() < size) {
    content += static_cast<char>('a' + random.uniform(26));
  }
  return content;
}

class Writers {
 public:
  Writers(Store& store, env::Executor& core, uint64_t seed)
      : store_(store), core_(core), random_(seed) {}

  void report() {
    const VersionPage page = store_.list({.resource = "pods"}).value();
    for (const VersionPtr& version : page.items) {
      const std::string name = version->key().substr(version->key().find('/') + 1);
      const bool good = version->bytes() == content_of(name, version->revision());
      say(fmt::format("have {} {} {}", name, version->revision(), good ? 1 : 0));
    }
    say(fmt::format("revision {}", store_.revision()));
    say("ready");
  }

  void write(int number) {
    const std::string name = fmt::format("key{}", number);
    const ObjectKey key{"pods", "default", name};
    const VersionPtr head = store_.head(key);
    const Revision expected = head ? head->revision() : 0;
    const bool deletion = head && random_.chance(0.2);
    if (deletion) {
      say("delete " + name);
    }
    const auto taken =
        deletion ? store_.remove(key, expected, head->bytes(), nullptr)
                 : store_.put(key, expected, content_of(name, store_.next_revision()), nullptr);
    CHECK(taken.has_value(), "the store takes the write");
    const Revision revision = (*taken)->revision();
    store_.when_committed(revision, [=, this](const Result<void>& done) {
      if (!done) {
        say("stopped");
        ::_exit(kStopped);
      }
      say(fmt::format("{} {} {}", deletion ? "gone" : "put", name, revision));
      core_.post([this, number] { write(number); });
    });
  }

 private:
  Store& store_;
  env::Executor& core_;
  Generator random_;
};

int run(const std::string& path, uint64_t seed) {
  posix::PosixClock clock;
  posix::EventLoop core(clock);
  posix::WorkerThread worker(clock, "journal");
  virtual_world::VirtualLog log;
  LogOptions options;
  // Little of everything, so that kills meet checkpoints and compaction often.
  options.keep_revisions = 500;
  options.keep_bytes = 1'000'000;
  options.checkpoint_pages = 200;
  options.compact_rows = 50;
  options.free_pages = 50;
  options.reserve_bytes = 1 << 20;
  auto directory = posix::open_data_directory(path);
  CHECK(directory.has_value(), directory ? "" : directory.error().message);
  auto file = RevisionLog::open(*std::move(directory), options);
  if (!file) {
    say("refused " + file.error().message);
    return kRefused;
  }
  SqliteJournal journal(core, worker, log, *std::move(file));
  Store store(&journal, {.history_events = 1'000});
  const auto loaded = store.load();
  CHECK(loaded.has_value(), loaded ? "" : loaded.error().message);
  Writers writers(store, core, seed);
  writers.report();
  for (int i = 0; i < kKeys; ++i) {
    writers.write(i);
  }
  core.run();
  return 0;
}

}  // namespace
}  // namespace windlass::store

int main(int argc, char** argv) {
  return argc == 3 ? windlass::store::run(argv[1], std::strtoull(argv[2], nullptr, 10)) : 2;
}
