// The guide to failure policies shows real output: every command in its console blocks is run, and
// its output must be the one shown.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "cli/commands/commands.h"
#include "cli/output/captured_output_testing.h"

namespace windlass::cli {
namespace {

constexpr const char* kGuide = "docs/guide/failure-policies.md";

struct Shown {
  std::string command;
  std::string output;
  int line = 0;
};

// The commands of the ```console blocks, each with the lines up to the next one.
std::vector<Shown> read_guide() {
  std::ifstream in(std::string(WINDLASS_SOURCE_DIR) + "/" + kGuide);
  std::vector<Shown> shown;
  bool inside = false;
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    if (line.starts_with("```")) {
      inside = line == "```console";
    } else if (inside && line.starts_with("$ ")) {
      shown.push_back({line.substr(2), "", number});
    } else if (inside && !shown.empty()) {
      shown.back().output += line + "\n";
    }
  }
  return shown;
}

std::vector<std::string> words_of(const std::string& command) {
  std::istringstream in(command);
  std::vector<std::string> words;
  for (std::string word; in >> word;) {
    words.push_back(word);
  }
  return words;
}

TEST(FailurePolicyGuide, ShowsWhatTheCommandsPrint) {
  const std::vector<Shown> commands = read_guide();
  ASSERT_GE(commands.size(), 6U) << kGuide;
  ExitCode last = ExitCode::ok;
  for (const Shown& shown : commands) {
    SCOPED_TRACE(std::string(kGuide) + ":" + std::to_string(shown.line) + ": " + shown.command);
    if (shown.command == "echo $?") {
      EXPECT_EQ(shown.output, std::to_string(static_cast<int>(last)) + "\n");
      continue;
    }
    std::vector<std::string> words = words_of(shown.command);
    ASSERT_EQ(words.front(), "windlass");
    words.erase(words.begin());
    testing::TextOutput output;
    last = run_command_line(all_commands(), words, output);
    EXPECT_EQ(output.out_text + output.err_text, shown.output);
  }
}

}  // namespace
}  // namespace windlass::cli
