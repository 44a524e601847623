// A journal for simulations: keeps nothing, and confirms what it was given a little later, many
// writes at a time, as a group commit does. Lives on the core executor.
#pragma once

#include "base/generator.h"
#include "base/weak_self.h"
#include "env/executor.h"
#include "env/random.h"
#include "store/journal.h"

namespace windlass::store {

class DelayedJournal final : public Journal {
 public:
  DelayedJournal(env::Executor& executor, env::Random& random, Duration max_delay)
      : executor_(executor), random_(random), max_delay_(max_delay) {}

  void start(JournalListener& listener) override { listener_ = &listener; }

  void append(std::string_view /*resource*/, const VersionPtr& version) override {
    newest_ = version->revision();
    if (!committing_) {
      committing_ = true;
      const auto nanos = uniform(random_, static_cast<uint64_t>(max_delay_.count()) + 1);
      executor_.schedule(nanoseconds(static_cast<int64_t>(nanos)),
                         self_.bind(&DelayedJournal::commit));
    }
  }

 private:
  // All that has come in by now.
  void commit() {
    committing_ = false;
    listener_->on_durable(newest_);
  }

  env::Executor& executor_;
  env::Random& random_;
  Duration max_delay_;
  JournalListener* listener_ = nullptr;
  Revision newest_ = 0;
  bool committing_ = false;
  WeakSelf<DelayedJournal> self_{this};
};

}  // namespace windlass::store
