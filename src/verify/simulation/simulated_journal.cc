#include "verify/simulation/simulated_journal.h"

#include <map>
#include <utility>

namespace windlass::verify::simulation {

SimulatedJournal::SimulatedJournal(env::Executor& executor, Generator& generator,
                                   const WriteOrigin& writer, Duration max_delay, Observer observer)
    : executor_(executor),
      generator_(generator),
      writer_(writer),
      max_delay_(max_delay),
      observer_(std::move(observer)) {}

Result<void> SimulatedJournal::replay(store::ReplayListener& listener) {
  listener.on_replay(compacted_, newest_);
  for (const Kept& kept : kept_) {
    listener.on_kept({kept.revision, kept.change, kept.resource, kept.key, kept.bytes});
  }
  return {};
}

void SimulatedJournal::append(std::string_view resource, const store::VersionPtr& version) {
  handed_.push_back({std::string(resource), version, writer_});
  if (max_delay_ == Duration::zero()) {
    commit();
  } else if (timer_ == env::TimerId::none) {
    const auto most = static_cast<uint64_t>(max_delay_.count());
    timer_ =
        executor_.schedule(nanoseconds(static_cast<int64_t>(generator_.uniform(most + 1))), [this] {
          timer_ = env::TimerId::none;
          commit();
        });
  }
}

void SimulatedJournal::keep(size_t count) {
  for (; count > 0; --count) {
    const Handed handed = std::move(handed_.front());
    handed_.pop_front();
    const store::Version& version = *handed.version;
    newest_ = version.revision();
    kept_.push_back(
        {version.revision(), version.change(), handed.resource, version.key(), version.bytes()});
    observer_(handed.resource, handed.version, handed.writer);
  }
}

void SimulatedJournal::commit() {
  keep(handed_.size());
  listener_->on_durable(newest_);
}

void SimulatedJournal::crash(bool compact) {
  executor_.cancel(std::exchange(timer_, env::TimerId::none));
  keep(generator_.uniform(handed_.size() + 1));
  handed_.clear();
  if (compact) {
    forget_history();
  }
}

void SimulatedJournal::forget_history() {
  std::map<std::pair<std::string, std::string>, size_t> newest;
  for (size_t i = 0; i < kept_.size(); ++i) {
    newest[{kept_[i].resource, kept_[i].key}] = i;
  }
  std::vector<Kept> left;
  for (size_t i = 0; i < kept_.size(); ++i) {
    if (newest.at({kept_[i].resource, kept_[i].key}) == i &&
        kept_[i].change != store::Change::deleted) {
      left.push_back(std::move(kept_[i]));
    }
  }
  kept_ = std::move(left);
  compacted_ = newest_;
}

}  // namespace windlass::verify::simulation
