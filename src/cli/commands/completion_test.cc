// What the shells are told; names of a cluster are in tests/install.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "cli/commands/commands.h"
#include "cli/output/captured_output_testing.h"

namespace windlass::cli {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsSupersetOf;
using ::testing::Not;
using ::testing::StartsWith;

// The candidates without their descriptions, and the directive.
std::vector<std::string> offered(std::vector<std::string> words) {
  testing::TextOutput output;
  words.insert(words.begin(), "__complete");
  EXPECT_EQ(run_command_line(all_commands(), words, output), ExitCode::ok);
  EXPECT_EQ(output.err_text, "");
  std::vector<std::string> lines;
  std::istringstream text(output.out_text);
  for (std::string line; std::getline(text, line);) {
    lines.push_back(line.substr(0, line.find('\t')));
  }
  return lines;
}

TEST(Completion, CommandsAndTheirSubcommands) {
  EXPECT_THAT(offered({""}), IsSupersetOf({"run", "up", "policy", "help"}));
  EXPECT_THAT(offered({""}), Not(Contains("__complete")));
  EXPECT_THAT(offered({"ru"}), ElementsAre("run", "runs", ":4"));
  EXPECT_THAT(offered({"policy", ""}), ElementsAre("test", "lint", ":4"));
  EXPECT_THAT(offered({"help", "policy", "te"}), ElementsAre("test", ":4"));
}

TEST(Completion, FlagsByTheirBeginning) {
  EXPECT_THAT(offered({"simulate", "--lose"}), ElementsAre("--lose-node-every", ":4"));
  EXPECT_THAT(offered({"run", "job.yaml", "--no-"}), ElementsAre("--no-record", ":4"));
  EXPECT_THAT(offered({"run", "-"}), IsSupersetOf({"--timeout", "-f", "--help"}));
}

TEST(Completion, ValuesOfFlags) {
  EXPECT_THAT(offered({"run", "--ledger", "o"}), ElementsAre("on", "off", ":4"));
  EXPECT_THAT(offered({"run", "--ledger=of"}), ElementsAre("--ledger=off", ":4"));
  EXPECT_THAT(offered({"run", "-o", ""}), ElementsAre("json", "yaml", ":4"));
  EXPECT_THAT(offered({"run", "--timeout", ""}), ElementsAre(":4"));
  EXPECT_THAT(offered({"completion", ""}), ElementsAre("bash", "zsh", "fish", ":4"));
}

TEST(Completion, FilesWhereAFileGoes) {
  EXPECT_THAT(offered({"run", "--log-dir", ""}), ElementsAre(":0"));
  EXPECT_THAT(offered({"run", "-f", ""}), ElementsAre(":0"));
  EXPECT_THAT(offered({"run", ""}), ElementsAre(":0"));
  EXPECT_THAT(offered({"run", "a.yaml", "b"}), ElementsAre(":0"));
  // The first argument is a name, the second a file.
  EXPECT_THAT(offered({"image", "add", ""}), ElementsAre(":4"));
  EXPECT_THAT(offered({"image", "add", "name", ""}), ElementsAre(":0"));
}

TEST(Completion, NothingForWhatIsUnknown) {
  EXPECT_THAT(offered({"--zork", "zork", "--zork="}), ElementsAre(":4"));
  EXPECT_THAT(offered({}), Contains(StartsWith(":")));
}

}  // namespace
}  // namespace windlass::cli
