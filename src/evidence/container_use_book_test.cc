#include "evidence/container_use_book.h"

#include <gtest/gtest.h>

namespace windlass::evidence {
namespace {

env::ContainerExit exit_with(std::optional<uint64_t> memory, std::optional<uint64_t> cpu) {
  env::ContainerExit exit;
  exit.peak_memory_bytes = memory;
  exit.cpu_microseconds = cpu;
  return exit;
}

TEST(ContainerUseBook, KeepsTheMostMemoryAndAllTheTimeOfAContainersRuns) {
  ContainerUseBook book;
  book.add("p", "c", exit_with(100, 10));
  book.add("p", "c", exit_with(70, 5));
  book.add("p", "other", exit_with(std::nullopt, 7));
  EXPECT_EQ(book.find("p", "c")->peak_memory_bytes, 100);
  EXPECT_EQ(book.find("p", "c")->cpu_microseconds, 15);
  EXPECT_EQ(book.find("p", "other")->peak_memory_bytes, std::nullopt);
  EXPECT_FALSE(book.find("p", "none"));
  EXPECT_FALSE(book.find("q", "c"));
}

TEST(ContainerUseBook, ForgetsThePodsThatEndedFirst) {
  ContainerUseBook book;
  for (size_t i = 0; i <= ContainerUseBook::kMaxPods; ++i) {
    book.add(std::to_string(i), "c", exit_with(1, 1));
  }
  EXPECT_FALSE(book.find("0", "c"));
  EXPECT_TRUE(book.find("1", "c"));
  book.add("unknown", "c", exit_with(std::nullopt, std::nullopt));
  EXPECT_FALSE(book.find("unknown", "c"));
}

}  // namespace
}  // namespace windlass::evidence
