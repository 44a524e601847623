#include "plane/logs/log_source.h"

#include <gtest/gtest.h>

#include <limits>

#include "api/pod/pod_testing.h"
#include "schema/core/v1/pod.pb.h"

namespace windlass::plane {
namespace {

using api::core::v1::Pod;

apiserver::LogRequest request_for(const std::string& status, bool previous = false) {
  apiserver::LogRequest request;
  request.pod = std::make_shared<Pod>(api::testing::from_yaml<Pod>(
      "{metadata: {name: p}, status: {containerStatuses: [" + status + "]}}"));
  request.container = "c";
  request.previous = previous;
  return request;
}

std::string attempt_of(const std::string& status, bool previous = false) {
  const Result<int> attempt = chosen_attempt(request_for(status, previous));
  return attempt ? std::to_string(*attempt) : attempt.error().message;
}

TEST(LogSource, P102_WhichRunARequestMeans) {
  const std::string running = "{name: c, restartCount: 2, state: {running: {}}";
  EXPECT_EQ(attempt_of(running + "}"), "2");
  EXPECT_EQ(attempt_of(running + ", lastState: {terminated: {exitCode: 1}}}", true), "1");
  EXPECT_EQ(attempt_of(running + "}", true),
            "previous terminated container \"c\" in pod \"p\" not found");
  EXPECT_EQ(attempt_of("{name: c, state: {waiting: {reason: ContainerCreating}}}"),
            "container \"c\" in pod \"p\" is waiting to start: ContainerCreating");
  const std::string backing_off =
      "{name: c, restartCount: 3, state: {waiting: {reason: CrashLoopBackOff}}, "
      "lastState: {terminated: {exitCode: 1}}}";
  EXPECT_EQ(attempt_of(backing_off), "3");
  EXPECT_EQ(attempt_of(backing_off, true), "3");
}

TEST(LogSource, ARunIsOverWhenItsStatusSaysSoOrTheNextOneIsThere) {
  const auto over = [](const std::string& status, int attempt) {
    return run_is_over(*request_for(status).pod, "c", attempt);
  };
  EXPECT_FALSE(over("{name: c, restartCount: 1, state: {running: {}}}", 1));
  EXPECT_TRUE(over("{name: c, restartCount: 2, state: {running: {}}}", 1));
  EXPECT_TRUE(over("{name: c, restartCount: 1, state: {terminated: {exitCode: 0}}}", 1));
}

TEST(LogSource, P104_LinesWithAndWithoutTheirTime) {
  const std::string log =
      "2026-01-02T03:04:05.000000000Z stdout F one\n"
      "2026-01-02T03:04:06.000000000Z stderr P tw\n"
      "2026-01-02T03:04:06.000000000Z stderr F o\n"
      "2026-01-02T03:04:07.000000000Z stdout F unfinis";
  apiserver::LogRequest request;
  std::string_view rest = log;
  EXPECT_EQ(LogText(request, {}).take(rest), "one\ntwo\n");
  EXPECT_EQ(rest, "2026-01-02T03:04:07.000000000Z stdout F unfinis");
  request.timestamps = true;
  request.since_time = *parse_rfc3339("2026-01-02T03:04:06Z");
  rest = log;
  EXPECT_EQ(LogText(request, {}).take(rest), "2026-01-02T03:04:06.000000000Z two\n");
}

// P103: more seconds than there are since the beginning of time are all of them.
TEST(LogSource, P103_SinceLongBeforeTheFirstLine) {
  apiserver::LogRequest request;
  request.since_seconds = std::numeric_limits<int64_t>::max();
  const std::string log = "2026-01-02T03:04:05.000000000Z stdout F one\n";
  std::string_view rest = log;
  EXPECT_EQ(LogText(request, *parse_rfc3339("2026-01-02T03:04:07Z")).take(rest), "one\n");
  request.since_seconds = 1;
  rest = log;
  EXPECT_EQ(LogText(request, *parse_rfc3339("2026-01-02T03:04:07Z")).take(rest), "");
}

}  // namespace
}  // namespace windlass::plane
