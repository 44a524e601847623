#include "net/checks/grpc_message.h"

#include <gtest/gtest.h>

namespace windlass::net {
namespace {

using namespace std::string_literals;

TEST(GrpcMessage, ARequestIsFramed) {
  EXPECT_EQ(health_request(""), "\0\0\0\0\0"s);
  EXPECT_EQ(health_request("db"), "\0\0\0\0\4\x0A\2db"s);
  const std::string name(300, 'n');
  EXPECT_EQ(health_request(name), "\0\0\0\1\x2F\x0A\xAC\x02"s + name);
}

TEST(GrpcMessage, AnAnswerHasAStatus) {
  EXPECT_EQ(health_status("\0\0\0\0\2\x08\1"s), 1);
  EXPECT_EQ(health_status("\0\0\0\0\0"s), 0) << "UNKNOWN is not written";
  EXPECT_EQ(health_status("\0\0\0\0\6\x12\2ab\x08\2"s), 2) << "after an unknown field";
  EXPECT_EQ(health_status("\0\0\0\0\7\x1D\1\2\3\4\x08\3"s), 3);
}

TEST(GrpcMessage, WhatIsNoAnswerHasNone) {
  for (const std::string& body :
       {""s, "\0\0\0\0"s, "\1\0\0\0\2\x08\1"s, "\0\0\0\0\3\x08\1"s, "\0\0\0\0\1\x08"s,
        "\0\0\0\0\2\x12\5"s, "\0\0\0\0\1\x0B"s, "\0\0\0\0\1\xFF"s, "\0\0\0\0\3\x08\1\1"s}) {
    EXPECT_FALSE(health_status(body)) << ::testing::PrintToString(body);
  }
}

TEST(GrpcMessage, MessagesAreDecoded) {
  EXPECT_EQ(grpc_message_text("unknown%20service"), "unknown service");
  EXPECT_EQ(grpc_message_text("100%"), "100%");
  EXPECT_EQ(grpc_message_text("%zz%4"), "%zz%4");
}

}  // namespace
}  // namespace windlass::net
