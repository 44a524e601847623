#include "posix/process/sealed_program.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <iterator>

namespace windlass::posix {
namespace {

std::string bytes_of(const char* path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

int run(const std::string& path) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::close_range(STDERR_FILENO + 1, ~0U, 0);  // as those that start a program do
    ::execl(path.c_str(), "program", nullptr);
    ::_exit(127);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(SealedProgram, IsTheProgramThatWasPutIn) {
  const auto yes = SealedProgram::make("yes", bytes_of("/bin/true"));
  const auto no = SealedProgram::make("no", bytes_of("/bin/false"));
  ASSERT_TRUE(yes.has_value() && no.has_value());
  EXPECT_EQ(run(yes->path()), 0);
  EXPECT_EQ(run(no->path()), 1);
}

TEST(SealedProgram, NobodyCanChangeIt) {
  const auto program = SealedProgram::make("program", bytes_of("/bin/true"));
  ASSERT_TRUE(program.has_value());
  FileDescriptor file(::open(program->path().c_str(), O_RDWR | O_CLOEXEC));
  EXPECT_EQ(::pwrite(file.get(), "x", 1, 0), -1);
  EXPECT_EQ(errno, file.valid() ? EPERM : EBADF);
  EXPECT_NE(::ftruncate(file.get(), 0), 0);
  file.reset();
  EXPECT_EQ(run(program->path()), 0);
}

}  // namespace
}  // namespace windlass::posix
