#include "dashboard/failure_reader.h"

#include <algorithm>
#include <utility>

#include "ledger/attempt_facts.h"
#include "schema/ledger/v1/attempt.pb.h"

namespace windlass::dashboard {

FailureReader::FailureReader(client::ClientEnv env, ledger::AttemptSource& source, std::string ns,
                             std::function<void()> on_found)
    : env_(env), source_(source), ns_(std::move(ns)), on_found_(std::move(on_found)) {}

void FailureReader::read() {
  again_ = reading_;
  if (has_ledger_ && !std::exchange(reading_, true)) {
    read_kind(0);
  }
}

std::vector<ledger::AttemptPtr> FailureReader::take() {
  return std::exchange(found_, {});
}

void FailureReader::read_kind(size_t kind) {
  const Reading& reading = readings_[kind];
  ledger::AttemptFilter filter{.ns = ns_, .counted = reading.counted};
  filter.since =
      reading.newest == 0 ? env_.clock.now() - kHistory : Time(seconds(reading.newest)) - kOverlap;
  read_page(kind, filter, "");
}

void FailureReader::read_page(size_t kind, const ledger::AttemptFilter& filter,
                              const std::string& token) {
  source_.find(
      filter, kPage, token,
      self_.bind([kind, filter](FailureReader& self, const Result<ledger::AttemptPage>& page) {
        self.on_page(kind, filter, page);
      }));
}

// After a passing error the next read() tries again.
void FailureReader::on_page(size_t kind, const ledger::AttemptFilter& filter,
                            const Result<ledger::AttemptPage>& page) {
  if (!page) {
    reading_ = false;
    has_ledger_ = page.error().code != 404 && page.error().code != 403;
    return;
  }
  const size_t before = found_.size();
  Reading& reading = readings_[kind];
  for (const ledger::AttemptPtr& attempt : page->items) {
    add(reading, attempt);
  }
  if (found_.size() > before) {
    on_found_();
  }
  constexpr int64_t kOverlapSeconds =
      std::chrono::duration_cast<std::chrono::seconds>(kOverlap).count();
  std::erase_if(reading.known, [&reading](const auto& each) {
    return each.second < reading.newest - kOverlapSeconds;
  });
  if (!page->next.empty()) {
    return read_page(kind, filter, page->next);
  }
  if (kind + 1 < readings_.size()) {
    return read_kind(kind + 1);
  }
  reading_ = false;
  if (std::exchange(again_, false)) {
    read();
  }
}

void FailureReader::add(Reading& reading, const ledger::AttemptPtr& attempt) {
  const int64_t time = ledger::time_of(*attempt);
  reading.newest = std::max(reading.newest, time);
  if (reading.known.try_emplace(attempt->metadata().name(), time).second) {
    found_.push_back(attempt);
  }
}

}  // namespace windlass::dashboard
