#include "engine/status/kept_status.h"

#include <utility>

namespace windlass::engine {

void KeptStatus::send(std::shared_ptr<const StatusWrite> write, const JobStatus& stored) {
  // What the last write stored is shared with it; only what others have stored is copied.
  if (write_ && write_->status == stored) {
    before_ = std::shared_ptr<const JobStatus>(write_, &write_->status);
  } else if (!before_ || *before_ != stored) {
    before_ = std::make_shared<const JobStatus>(stored);
  }
  write_ = std::move(write);
  confirmed_rv_ = 0;
  trusted_at_.reset();
}

bool KeptStatus::is_kept(const JobView& answer) const {
  const bool has_record = !write_->record || answer.record == *write_->record;
  if (answer.status == write_->status && has_record) {
    return true;
  }
  return answer.status != *before_ || (write_->record && has_record);
}

bool KeptStatus::is_undone_by(const JobView& seen) {
  if (!write_ || confirmed_rv_ == 0 || seen.rv <= confirmed_rv_ || is_kept(seen)) {
    return false;
  }
  write_.reset();
  trusted_at_.reset();
  return std::exchange(doubtful_, true);
}

bool KeptStatus::trust_after(Duration wait, Time now) {
  if (!doubtful_ || !write_ || confirmed_rv_ == 0) {
    return false;
  }
  if (!trusted_at_) {
    trusted_at_ = now + wait;
  }
  doubtful_ = now < *trusted_at_;
  return !doubtful_;
}

}  // namespace windlass::engine
