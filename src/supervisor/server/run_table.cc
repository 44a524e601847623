#include "supervisor/server/run_table.h"

#include <fmt/format.h>

#include <utility>

#include "base/check.h"
#include "supervisor/protocol/fields.h"

namespace windlass::supervisor {
namespace {

// Below this, rewriting costs more than reading it again.
constexpr size_t kCompactAboveBytes = 4 * 1024 * 1024;
constexpr size_t kCompactGrowth = 4;

}  // namespace

template <class A, class T>
void change_fields(A& archive, T& change) {
  archive.choice(change.kind, RunTable::Change::Kind::forget);
  archive(change.text, change.entry.run, change.entry.process.pid,
          change.entry.process.start_ticks);
}

Result<bool> RunTable::open(const std::string& boot_id) {
  CHECK(boot_id_.empty(), "opened once");
  TRY(const std::vector<std::string> payloads, journal_.read());
  for (const std::string& payload : payloads) {
    WireReader reader(payload);
    uint32_t count = 0;
    reader(count);
    for (uint32_t i = 0; i < count; ++i) {
      Change change;
      change_fields(reader, change);
      apply(change);
    }
    if (!reader.finished()) {
      return fail(plain_error("the journal was written by another version of this program"));
    }
  }
  const bool same_boot = boot_id_ == boot_id;
  boot_id_ = boot_id;
  rewrite_ = true;
  return same_boot;
}

const RunTable::Entry* RunTable::find(const std::string& id) const {
  const auto found = runs_.find(id);
  return found == runs_.end() ? nullptr : &found->second;
}

void RunTable::intend(const std::string& id, ProcessMark process, Time at) {
  Change change;
  change.entry.run.id = id;
  change.entry.run.exit.started_at = at;
  change.entry.process = process;
  apply(change);
  changes_.push_back(std::move(change));
}

void RunTable::end(const env::ContainerRunInfo& run) {
  CHECK(run.over(), "an end is final");
  Change change;
  change.entry.run = run;
  apply(change);
  changes_.push_back(std::move(change));
}

void RunTable::forget(const std::string& id) {
  Change change;
  change.kind = Change::Kind::forget;
  change.text = id;
  apply(change);
  changes_.push_back(std::move(change));
}

void RunTable::set_running(const std::string& id) {
  runs_.at(id).run.state = env::ContainerRunInfo::State::running;
}

Result<void> RunTable::commit() {
  if (rewrite_ || worth_compacting()) {
    rewrite_ = true;
    TRY_VOID(journal_.replace(encode(everything())));
    compacted_bytes_ = journal_.bytes();
    rewrite_ = false;
  } else if (pending()) {
    rewrite_ = true;  // unless it succeeds
    TRY_VOID(journal_.append(encode(changes_)));
    rewrite_ = false;
  }
  changes_.clear();
  return {};
}

void RunTable::apply(const Change& change) {
  switch (change.kind) {
    case Change::Kind::boot:
      boot_id_ = change.text;
      break;
    case Change::Kind::run:
      runs_[change.entry.run.id] = change.entry;
      break;
    case Change::Kind::forget:
      runs_.erase(change.text);
      break;
  }
}

std::vector<RunTable::Change> RunTable::everything() const {
  std::vector<Change> all;
  Change boot;
  boot.kind = Change::Kind::boot;
  boot.text = boot_id_;
  all.push_back(std::move(boot));
  for (const auto& [id, entry] : runs_) {
    Change change;
    change.entry = entry;
    all.push_back(std::move(change));
  }
  return all;
}

std::string RunTable::encode(const std::vector<Change>& changes) {
  WireWriter writer;
  writer(static_cast<uint32_t>(changes.size()));
  for (const Change& change : changes) {
    change_fields(writer, change);
  }
  return writer.take();
}

bool RunTable::worth_compacting() const {
  return journal_.bytes() > kCompactAboveBytes &&
         journal_.bytes() > kCompactGrowth * compacted_bytes_;
}

}  // namespace windlass::supervisor
