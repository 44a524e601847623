// Traces that once broke something, as the explorer printed them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "verify/explorer/search.h"

namespace windlass::verify::explorer {
namespace {

using ::testing::IsEmpty;

std::vector<std::string> replayed(const char* config, const std::vector<std::string>& steps) {
  return replay(*find_configuration(config), steps);
}

// L1: the index waited for ever, because its pod was seen to end later than it was deleted.
TEST(Regression, AnIndexWhosePodStopsLate) {
  EXPECT_THAT(replayed("per-index",
                       {"decide", "answer 0", "remove 1", "tell 1", "decide", "tick", "fail 1 0"}),
              IsEmpty());
}

// B2: its replacement came before the back-off was over.
TEST(Regression, AnIndexWhosePodStopsLateBehindARefusedCreation) {
  EXPECT_THAT(replayed("per-index", {"decide", "answer 0", "remove 1", "tell 1", "decide",
                                     "refuse 1", "tick", "answer 0", "decide", "fail 1 0", "tell 1",
                                     "decide", "answer 0", "decide", "tick", "decide"}),
              IsEmpty());
}

// L2: the engine wanted to be woken at a deadline that had passed, again and again.
TEST(Regression, ARefusedVerdictAfterTheDeadline) {
  EXPECT_THAT(replayed("deadline", {"decide", "answer 0", "decide", "answer 0", "tick", "decide",
                                    "refuse 0", "decide"}),
              IsEmpty());
}

// A1: a success that only the engine remembered was replaced all the same.
TEST(Regression, ASuccessWhoseFinalizerIsTaken) {
  EXPECT_THAT(replayed("robbed", {"decide", "answer 0", "succeed 1", "tell 1", "rob 1", "tell 1",
                                  "decide", "answer 0"}),
              IsEmpty());
}

// C1: one pod was the Job's failure and the success of its index.
TEST(Regression, ASuccessInTheGracePeriodThatIsBeingStoredAsFailed) {
  EXPECT_THAT(replayed("indexed", {"decide", "answer 0", "remove 1", "tell 1", "decide",
                                   "succeed 1", "tell 1", "answer 0", "decide"}),
              IsEmpty());
}

// C10: a pod that was evicted from a failing Job was let go while it still ran, and succeeded.
TEST(Regression, AnIgnoredPodOfAFailingJobSucceedsInItsGracePeriod) {
  EXPECT_THAT(
      replayed("fail-job", {"decide", "answer 0", "decide", "answer 1", "fail 1 1", "evict 2",
                            "crash", "decide", "answer 0", "decide", "succeed 2", "answer 0"}),
      IsEmpty());
}

// C9: a pod beyond the completions was let go and the answer lost; with the completions raised
// again its failure was listed, although nothing held it any more.
TEST(Regression, AFailureBeyondTheCompletionsThatMayHaveBeenLetGo) {
  EXPECT_THAT(replayed("elastic", {"decide", "answer 0", "decide", "answer 1", "fail 2 0", "edit 0",
                                   "crash", "decide", "apply 0", "lose 0", "edit 0", "tell-job",
                                   "decide", "decide", "answer 0"}),
              IsEmpty());
}

// A1 by mistake: an index that had succeeded is beyond the completions now, and the status that
// says so is refused. The index that is left gets its pod.
TEST(Regression, ASuccessBeyondTheCompletionsIsNotMissing) {
  EXPECT_THAT(replayed("elastic-per-index",
                       {"decide", "answer 0", "decide", "answer 1", "fail 1 0", "succeed 2",
                        "crash", "decide", "answer 0", "edit 0", "tell-job", "decide", "refuse 0",
                        "tick", "answer 0", "decide", "answer 0"}),
              IsEmpty());
}

// B8: a status that stored an ignored failure in the record alone did not arrive. The Job that its
// user suspended meanwhile has the same status, and is no proof of it.
TEST(Regression, ARecordThatDidNotArriveCountsNoFailureTwice) {
  EXPECT_THAT(replayed("rule-budget-indexed",
                       {"decide", "answer 0", "decide", "answer 0", "answer 0", "fail 1 1",
                        "tell 1", "decide", "vanish 0", "edit 0", "tell-job", "decide"}),
              IsEmpty());
}

}  // namespace
}  // namespace windlass::verify::explorer
