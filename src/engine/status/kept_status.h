// Whether the API server keeps the status that it said it stored. One that shows the status from
// before again, in its answer or later, undoes what it is told: an admission webhook, a proxy or
// another controller does that. The first time may be a user's edit, and is answered at once; after
// that the engine waits as after a refusal, and longer each time. Owned by Engine; one thread.
#pragma once

#include <memory>
#include <optional>

#include "base/time.h"
#include "engine/decision.h"

namespace windlass::engine {

class KeptStatus {
 public:
  // This write is sent; `stored` is the Job as it is known.
  void send(std::shared_ptr<const StatusWrite> write, const JobStatus& stored);
  // Whether the answer to it has anything of what was written. A server may drop single fields
  // that it does not know: then the rest counts.
  bool is_kept(const JobView& answer) const;
  // The write is answered, or was seen to have happened, with this version of the Job.
  void confirm(uint64_t rv) { confirmed_rv_ = rv; }
  // A newer version of the Job: whether it undoes the write, and the one before was undone too.
  // True once for each write.
  bool is_undone_by(const JobView& seen);

  // A write was undone, and none since has been kept for long enough to be trusted.
  bool doubtful() const { return doubtful_; }
  // Called when a decision is made: the last write is trusted when it was still there after `wait`.
  // True when that has just become so.
  bool trust_after(Duration wait, Time now);

 private:
  friend class Fingerprint;

  std::shared_ptr<const StatusWrite> write_;  // the last one; null: nothing to be undone
  std::shared_ptr<const JobStatus> before_;   // the status that it replaced
  uint64_t confirmed_rv_ = 0;                 // 0: not answered yet
  bool doubtful_ = false;
  std::optional<Time> trusted_at_;
};

}  // namespace windlass::engine
