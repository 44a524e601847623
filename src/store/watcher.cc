#include "store/watcher.h"

#include "store/table.h"

namespace windlass::store {
namespace {

constexpr uint64_t kUnknownToTable = 0;  // those that it knows count from 1

}  // namespace

Watcher::Watcher(ResourceTable& table, std::string prefix, Revision after,
                 std::function<void()> wake)
    : table_(table),
      prefix_(std::move(prefix)),
      after_(after),
      wake_(std::move(wake)),
      position_(table.position_after(after)),
      id_(wake_ ? table.add_watcher(this) : kUnknownToTable) {}

Watcher::~Watcher() {
  if (id_ != kUnknownToTable) {
    table_.remove_watcher(id_);
  }
}

Watcher::Next Watcher::next() {
  if (position_ < table_.oldest_position()) {
    return {nullptr, true};
  }
  while (position_ < table_.end_position()) {
    const VersionPtr& version = table_.at(position_++);
    if (wants(*version)) {
      return {version, false};
    }
  }
  waiting_ = true;
  return {};
}

void Watcher::skip() {
  position_ = table_.end_position();
  waiting_ = true;
}

Revision Watcher::compacted() const {
  return table_.compacted();
}

void Watcher::on_change(const Version& version) {
  if (!waiting_) {
    return;
  }
  if (!wants(version)) {
    // Keep the place of one that waits, or changes it does not want would make it too old.
    position_ = table_.end_position();
    return;
  }
  waiting_ = false;
  wake_();
}

}  // namespace windlass::store
