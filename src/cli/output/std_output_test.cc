#include "cli/output/std_output.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <string>
#include <thread>

#include "posix/files/file_descriptor.h"

namespace windlass::cli {
namespace {

struct Pipe {
  Pipe() {
    std::array<int, 2> ends = {-1, -1};
    EXPECT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
    read = posix::FileDescriptor(ends[0]);
    write = posix::FileDescriptor(ends[1]);
  }

  // Reads what the pipe holds; to its end, once every writer has closed it.
  std::string drain() const {
    std::string all;
    std::array<char, 4096> bytes = {};
    for (ssize_t got = 1; got > 0; all.append(bytes.data(), static_cast<size_t>(got))) {
      got = std::max<ssize_t>(::read(read.get(), bytes.data(), bytes.size()), 0);
    }
    return all;
  }

  posix::FileDescriptor read;
  posix::FileDescriptor write;
};

TEST(StdOutput, WhatCannotBeWrittenIsSaidOnceAndNoSuccess) {
  const posix::FileDescriptor full(::open("/dev/full", O_WRONLY | O_CLOEXEC));
  ASSERT_TRUE(full.valid());
  Pipe err;
  StdOutput output(full.get(), err.write.get());
  EXPECT_EQ(output.exit_code(ExitCode::ok), ExitCode::ok);
  output.out("a\n");
  output.out("b\n");
  EXPECT_EQ(output.exit_code(ExitCode::ok), ExitCode::failed);
  EXPECT_EQ(output.exit_code(ExitCode::usage), ExitCode::usage);
  err.write.reset();
  EXPECT_EQ(err.drain(), "error: write standard output: no space left on device\n");
}

TEST(StdOutput, AReaderThatHasGoneIsNoError) {
  Pipe out;
  Pipe err;
  out.read.reset();
  const auto before = ::signal(SIGPIPE, SIG_IGN);  // as the program has it
  StdOutput output(out.write.get(), err.write.get());
  output.out("a\n");
  ::signal(SIGPIPE, before);
  EXPECT_EQ(output.exit_code(ExitCode::ok), ExitCode::ok);
  err.write.reset();
  EXPECT_EQ(err.drain(), "");
}

TEST(StdOutput, WaitsForAReaderWhereWritesDoNotBlock) {
  Pipe out;
  ASSERT_EQ(::fcntl(out.write.get(), F_SETFL, O_NONBLOCK), 0);
  std::string got;
  std::thread reader([&] { got = out.drain(); });
  const std::string text(8 * 1024 * 1024, 'x');  // more than a pipe holds
  StdOutput output(out.write.get(), out.write.get());
  output.out(text);
  output.err("y");
  out.write.reset();
  reader.join();
  EXPECT_TRUE(got == text + "y") << got.size();
  EXPECT_EQ(output.exit_code(ExitCode::ok), ExitCode::ok);
}

}  // namespace
}  // namespace windlass::cli
