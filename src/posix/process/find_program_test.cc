#include "posix/process/find_program.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "posix/testing.h"

namespace windlass::posix {
namespace {

std::string error_of(const std::vector<std::string>& command) {
  const auto found = find_program(command, {"PATH=/usr/bin:/bin"});
  return found ? "found" : found.error().message;
}

TEST(FindProgram, LooksInThePathOfTheEnvironment) {
  const TemporaryDirectory directory;
  const std::string tool = directory.write("tool", "#!/bin/sh\nexit 5\n");
  ASSERT_EQ(::chmod(tool.c_str(), 0700), 0);
  EXPECT_EQ(*find_program({"tool"}, {"PATH=/nowhere:" + directory.path()}), tool);
  EXPECT_EQ(*find_program({"tool"}, {"PATH=/nowhere", "PATH=" + directory.path()}), tool)
      << "the last PATH wins";
  EXPECT_EQ(*find_program({tool}, {}), tool);
  EXPECT_FALSE(find_program({"tool"}, {"PATH=/usr/bin"}).has_value());
  EXPECT_TRUE(find_program({"sh"}, {}).has_value()) << "without PATH, the usual places";
}

TEST(FindProgram, ErrorsSayWhatIsWrong) {
  const TemporaryDirectory directory;
  EXPECT_EQ(error_of({"no-such-program"}),
            "exec: \"no-such-program\": executable file not found in $PATH");
  EXPECT_EQ(error_of({"/no/such/program"}),
            "exec: \"/no/such/program\": stat /no/such/program: no such file or directory");
  const std::string plain = directory.write("plain", "not executable");
  EXPECT_EQ(error_of({plain}), "exec: \"" + plain + "\": stat " + plain + ": permission denied");
  EXPECT_EQ(error_of({}), "exec: no command");
}

}  // namespace
}  // namespace windlass::posix
