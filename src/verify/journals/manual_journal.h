// A journal for tests: keeps what it is given and answers when the test says so.
#pragma once

#include <string>
#include <vector>

#include "store/journal.h"

namespace windlass::store {

class ManualJournal final : public Journal {
 public:
  struct Entry {
    std::string resource;
    VersionPtr version;
  };

  void start(JournalListener& listener) override { listener_ = &listener; }
  void append(std::string_view resource, const VersionPtr& version) override {
    entries_.push_back({std::string(resource), version});
  }

  const std::vector<Entry>& entries() const { return entries_; }
  void commit_up_to(Revision revision) { listener_->on_durable(revision); }
  void refuse(Status why) { listener_->on_refused(std::move(why)); }
  void be_full(Status why) { listener_->on_full(std::move(why)); }
  void have_room() { listener_->on_room(); }
  void fail(Status why) { listener_->on_failure(std::move(why)); }

 private:
  JournalListener* listener_ = nullptr;
  std::vector<Entry> entries_;
};

}  // namespace windlass::store
