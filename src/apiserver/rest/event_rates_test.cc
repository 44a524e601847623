// How fast events may be written, and whose share of the transport a request counts against.
#include "apiserver/rest/rest_testing.h"

namespace windlass::apiserver {
namespace {

class EventRatesTest : public RestTest {
 protected:
  int write_event(const char* token, int number) {
    return send({"POST",
                 "/api/v1/namespaces/default/events",
                 {{"Authorization", std::string("Bearer ") + token}},
                 R"({"metadata":{"name":"e)" + std::string(token) + std::to_string(number) +
                     R"("},"involvedObject":{"kind":"Pod","namespace":"default","name":"p"}})",
                 {}})
        ->status;
  }
};

TEST_F(EventRatesTest, OneNodeWritesSoManyAndNoMore) {
  int stored = 0;
  for (int i = 0; i < 1500; ++i) {
    const int status = write_event(kNodeToken, i);
    stored += status == 201 ? 1 : 0;
    ASSERT_TRUE(status == 201 || status == 429) << status;
  }
  EXPECT_EQ(stored, 1000);
  EXPECT_EQ(write_event(kAdminToken, 0), 201) << "admins have no such limit";
  world.run_for(seconds(2));
  stored = 0;
  for (int i = 2000; i < 2500; ++i) {
    stored += write_event(kNodeToken, i) == 201 ? 1 : 0;
  }
  EXPECT_EQ(stored, 100);
  // Its own reports of how it is are something else.
  EXPECT_EQ(send({"POST",
                  "/api/v1/nodes",
                  {{"Authorization", std::string("Bearer ") + kNodeToken}},
                  R"({"metadata":{"name":"n1"}})",
                  {}})
                ->status,
            201);
}

TEST_F(EventRatesTest, WhoseShareARequestCountsAgainst) {
  using Rank = http::Caller::Rank;
  const auto rank = [&](const char* authorization) {
    const http::Caller caller =
        handler.read_head({"GET", "/", {{"Authorization", authorization}}}, {})->caller;
    return std::pair(caller.user, caller.rank);
  };
  EXPECT_EQ(rank("Bearer admin-token"), std::pair(std::string("admin"), Rank::admin));
  EXPECT_EQ(rank("Bearer viewer-token"), std::pair(std::string("viewer"), Rank::ordinary));
  EXPECT_EQ(rank("Bearer node-token"), std::pair(std::string("system:node:n1"), Rank::node));
  EXPECT_EQ(rank("Bearer wrong"), std::pair(std::string(), Rank::unknown));
  EXPECT_EQ(handler.read_head({"GET", "/"}, {})->caller.rank, Rank::unknown);
  // A user who impersonates another counts as itself.
  EXPECT_EQ(
      handler
          .read_head({"GET",
                      "/",
                      {{"Authorization", "Bearer admin-token"}, {"Impersonate-User", "viewer"}}},
                     {})
          ->caller.user,
      "admin");
}

}  // namespace
}  // namespace windlass::apiserver
