#include "engine/status/kept_status.h"

#include <gtest/gtest.h>

namespace windlass::engine {
namespace {

JobStatus with_active(int32_t active) {
  JobStatus status;
  status.active = active;
  return status;
}

JobView seen(uint64_t rv, int32_t active) {
  JobView job;
  job.rv = rv;
  job.status = with_active(active);
  return job;
}

std::shared_ptr<const StatusWrite> write_of(int32_t active) {
  return std::make_shared<const StatusWrite>(StatusWrite{1, with_active(active), {}});
}

TEST(KeptStatus, TheStatusFromBeforeUndoesAWriteFromTheSecondTimeOn) {
  KeptStatus kept;
  kept.send(write_of(1), with_active(0));
  EXPECT_FALSE(kept.is_undone_by(seen(3, 0))) << "it is not answered yet";
  kept.confirm(2);
  EXPECT_FALSE(kept.is_undone_by(seen(1, 0))) << "old news";
  EXPECT_FALSE(kept.is_undone_by(seen(3, 1)));
  EXPECT_FALSE(kept.is_undone_by(seen(4, 7))) << "another hand has changed it";
  EXPECT_FALSE(kept.is_undone_by(seen(5, 0))) << "the first time may be a user's edit";
  EXPECT_TRUE(kept.doubtful());
  kept.send(write_of(1), with_active(0));
  kept.confirm(7);
  EXPECT_TRUE(kept.is_undone_by(seen(8, 0)));
  EXPECT_FALSE(kept.is_undone_by(seen(9, 0)));
  EXPECT_TRUE(kept.doubtful());
}

TEST(KeptStatus, IsTrustedAgainWhenItStays) {
  KeptStatus kept;
  kept.send(write_of(1), with_active(0));
  kept.confirm(2);
  EXPECT_FALSE(kept.is_undone_by(seen(3, 0)));
  EXPECT_TRUE(kept.doubtful());
  const Time now = time_from_unix(100);
  EXPECT_FALSE(kept.trust_after(seconds(1), now)) << "nothing is stored";
  kept.send(write_of(1), with_active(0));
  kept.confirm(4);
  EXPECT_FALSE(kept.trust_after(seconds(1), now));
  EXPECT_TRUE(kept.doubtful());
  EXPECT_TRUE(kept.trust_after(seconds(1), now + seconds(1)));
  EXPECT_FALSE(kept.doubtful());
}

TEST(KeptStatus, AServerMayDropSingleFields) {
  KeptStatus kept;
  kept.send(write_of(5), with_active(0));
  EXPECT_TRUE(kept.is_kept(seen(2, 5)));
  EXPECT_TRUE(kept.is_kept(seen(2, 4)));
  EXPECT_FALSE(kept.is_kept(seen(2, 0)));
}

}  // namespace
}  // namespace windlass::engine
