#include "cli/runs/run_ledger.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/json_writer.h"
#include "ledger/causes/cause_text.h"
#include "schema/ledger/v1/attempt.pb.h"

namespace windlass::cli {

void RunLedger::record(ledger::AttemptPtr attempt, std::function<void(Result<void>)> done) {
  // A record may be replaced by one that tells more; the verdict comes with the last one.
  if (attempt->has_verdict() && grouped_.insert(attempt->metadata().name()).second) {
    causes_[attempt->job().uid()].add(attempt);
  }
  if (file_ != nullptr) {
    return file_->record(std::move(attempt), std::move(done));
  }
  executor_.post([done = std::move(done)] { done({}); });
}

const ledger::CauseGroups* RunLedger::causes_of(const std::string& job_uid) const {
  const auto found = causes_.find(job_uid);
  return found == causes_.end() ? nullptr : &found->second;
}

std::vector<CauseCount> RunLedger::most_frequent() const {
  std::vector<CauseCount> all;
  for (const auto& [job, groups] : causes_) {
    for (const ledger::FailureCause* cause : groups.causes()) {
      all.push_back({cause->count, cause->full_title()});
    }
  }
  std::stable_sort(all.begin(), all.end(), [](const CauseCount& a, const CauseCount& b) {
    return a.failures > b.failures;
  });
  return all;
}

std::string RunLedger::causes_json(const std::string& job_uid) const {
  const ledger::CauseGroups* groups = causes_of(job_uid);
  std::string text;
  if (groups != nullptr) {
    JsonWriter json(text);
    ledger::write_causes(*groups, json);
  }
  return text;
}

RunLedgerFile::RunLedgerFile(env::Env env) : env_(env), worker_(env.clock, "ledger") {}

ledger::Ledger* RunLedgerFile::open(const RunFolder& folder, const plane::LedgerSettings& settings,
                                    Output& output) {
  auto opened = plane::open_ledger(env_, worker_, metrics_, folder.path(),
                                   ledger::LedgerPlace{}.file, settings);
  if (!opened) {
    output.err(fmt::format("warning: attempts of this run are not recorded: {}\n",
                           opened.error().message));
    return nullptr;
  }
  ledger_ = *std::move(opened);
  return ledger_.get();
}

}  // namespace windlass::cli
