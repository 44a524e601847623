#include "remote/transport/request_queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace windlass::remote {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(RequestQueue, ReadsAndChangesKeepTheirOrder) {
  RequestQueue queue;
  queue.push(1, "");
  queue.push(2, "");
  queue.push_front(3);
  EXPECT_EQ(queue.size(), 3u);
  EXPECT_THAT(queue.take_all(), ElementsAre(3, 1, 2));
  EXPECT_TRUE(queue.empty());
}

TEST(RequestQueue, CreatesTakeTurnsByTheirOwner) {
  RequestQueue queue;
  for (const uint64_t id : {1U, 2U, 3U}) {
    queue.push(id, "large");
  }
  queue.push(10, "small");
  EXPECT_EQ(queue.size(), 4u);
  EXPECT_THAT(queue.take_all(), ElementsAre(1, 10, 2, 3));
  queue.push(11, "small");
  EXPECT_EQ(queue.front(), 11u);
}

TEST(RequestQueue, WhatWasBegunGoesFirstButForOneTurnInFour) {
  RequestQueue queue;
  queue.push(100, "a");
  queue.push(101, "a");
  for (const uint64_t id : {1U, 2U, 3U, 4U, 5U}) {
    queue.push(id, "");
  }
  EXPECT_THAT(queue.take_all(), ElementsAre(1, 2, 3, 100, 4, 5, 101));
  EXPECT_EQ(queue.size(), 0u);
  EXPECT_THAT(queue.take_all(), IsEmpty());
}

}  // namespace
}  // namespace windlass::remote
