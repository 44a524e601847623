#include "remote/server_text.h"

#include <gtest/gtest.h>

namespace windlass::remote {
namespace {

constexpr const char* kAuthorization = "Bearer secret-token-0123456789";

TEST(ServerText, TakesTheTokenOut) {
  const ServerText text(kAuthorization);
  EXPECT_EQ(text.shown("no secret-token-0123456789, not secret-token-0123456789", 100),
            "no [redacted], not [redacted]");
}

TEST(ServerText, ATokenAtTheCutLeavesNoPart) {
  const ServerText text(kAuthorization);
  EXPECT_EQ(text.shown("not secret-token-0123456789", 10), "not [redac...");
}

TEST(ServerText, IsOneBoundedLine) {
  EXPECT_EQ(ServerText().shown("a\nb\x1b[31m", 100), "a b [31m");
  EXPECT_EQ(ServerText().shown(std::string(50, 'x'), 10), "xxxxxxxxxx...");
}

TEST(ServerText, AShortTokenCouldBeAnyWord) {
  EXPECT_EQ(ServerText("Bearer node").shown("the node is not known", 100), "the node is not known");
}

}  // namespace
}  // namespace windlass::remote
