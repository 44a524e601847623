#include "node/probes/grpc_health.h"

#include <gtest/gtest.h>

namespace windlass::node {
namespace {

using How = env::GrpcHealth::How;

std::string problem(const env::GrpcHealth& health) {
  return health_problem(health, "10.0.0.1:5000", seconds(2));
}

TEST(GrpcHealth, OnlyServingIsHealthy) {
  EXPECT_EQ(problem({How::answered, 0, "", 1}), "");
  EXPECT_EQ(problem({How::answered, 0, "", 0}), "service unhealthy (responded with \"UNKNOWN\")");
  EXPECT_EQ(problem({How::answered, 0, "", 2}),
            "service unhealthy (responded with \"NOT_SERVING\")");
  EXPECT_EQ(problem({How::answered, 0, "", 9}), "service unhealthy (responded with \"9\")");
}

TEST(GrpcHealth, SaysWhichErrorTheServerAnswered) {
  EXPECT_EQ(problem({How::answered, 5, "unknown service", 0}),
            "error: health rpc probe failed: rpc error: code = NotFound desc = unknown service");
  EXPECT_EQ(problem({How::answered, 12, "no such method", 0}),
            "error: this server does not implement the grpc health protocol "
            "(grpc.health.v1.Health): rpc error: code = Unimplemented desc = no such method");
  EXPECT_EQ(problem({How::answered, 4, "", 0}), "timeout: health rpc did not complete within 2s");
  EXPECT_EQ(problem({How::answered, 99, "odd", 0}),
            "error: health rpc probe failed: rpc error: code = Code(99) desc = odd");
}

TEST(GrpcHealth, SaysWhyThereIsNoAnswer) {
  EXPECT_EQ(problem({How::refused, 0, "connect: connection refused", 0}),
            "error: failed to connect service at \"10.0.0.1:5000\": connect: connection refused");
  EXPECT_EQ(problem({How::unreachable, 0, "no answer in time", 0}),
            "timeout: failed to connect service \"10.0.0.1:5000\" within 2s");
  EXPECT_EQ(problem({How::timed_out, 0, "no answer in time", 0}),
            "timeout: health rpc did not complete within 2s");
  EXPECT_EQ(problem({How::failed, 0, "the connection was ended: EOF", 0}),
            "error: health rpc probe failed: rpc error: code = Unavailable desc = the connection "
            "was ended: EOF");
}

}  // namespace
}  // namespace windlass::node
