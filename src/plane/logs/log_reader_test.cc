#include "plane/logs/log_reader.h"

#include <gtest/gtest.h>

#include "virtual_world/virtual_files.h"

namespace windlass::plane {
namespace {

// Lines `first` to `last`, each with a time and a text of its own.
std::string cri_lines(int first, int last) {
  std::string log;
  for (int i = first; i <= last; ++i) {
    std::string nanos = std::to_string(i);
    nanos.insert(0, 9 - nanos.size(), '0');
    log += "2026-01-02T03:04:05." + nanos + "Z stdout F line " + std::to_string(i) + "\n";
  }
  return log;
}

std::string plain_lines(int first, int last) {
  std::string text;
  for (int i = first; i <= last; ++i) {
    text += "line " + std::to_string(i) + "\n";
  }
  return text;
}

class LogReaderTest : public ::testing::Test {
 protected:
  // All there is for now, in pieces of so many bytes.
  std::string read_all(size_t piece = 100) {
    std::string all;
    while (const auto text = reader.read(piece)) {
      all += *text;
    }
    return all;
  }

  virtual_world::VirtualFiles files;
  LogReader reader{files, "/l/0.log", LogText(apiserver::LogRequest(), Time())};
};

TEST_F(LogReaderTest, ReadsOldestFirstInPieces) {
  EXPECT_EQ(read_all(), "");
  files.put("/l/0.log.2", cri_lines(1, 9));
  files.put("/l/0.log.1", cri_lines(10, 19));
  files.put("/l/0.log", cri_lines(20, 25));
  EXPECT_EQ(read_all(), plain_lines(1, 25));
  EXPECT_EQ(reader.read(100), std::nullopt);
  files.put("/l/0.log", cri_lines(20, 30));
  EXPECT_EQ(read_all(), plain_lines(26, 30));
}

TEST_F(LogReaderTest, KeepsItsPlaceWhenFilesMoveOn) {
  files.put("/l/0.log.1", cri_lines(1, 9));
  files.put("/l/0.log", cri_lines(10, 15));
  std::string all = reader.read(100).value_or("");
  files.put("/l/0.log.2", cri_lines(1, 9));
  files.put("/l/0.log.1", cri_lines(10, 19));
  files.put("/l/0.log", "");  // made, and nothing in it yet
  all += read_all();
  EXPECT_EQ(all, plain_lines(1, 19));
  files.put("/l/0.log", cri_lines(20, 21));
  EXPECT_EQ(read_all(), plain_lines(20, 21));
}

TEST_F(LogReaderTest, GoesOnWithTheOldestWhenItsFileIsGone) {
  files.put("/l/0.log", cri_lines(1, 9));
  reader.read(100);
  files.put("/l/0.log.4", cri_lines(100, 104));
  files.put("/l/0.log", cri_lines(105, 109));
  EXPECT_EQ(read_all(), plain_lines(100, 109));
}

TEST_F(LogReaderTest, ACopyIsAPlaceToComeBackTo) {
  files.put("/l/0.log", cri_lines(1, 9));
  const std::string first = reader.read(100).value_or("");
  const LogReader place = reader;
  const std::string rest = read_all();
  EXPECT_EQ(first + rest, plain_lines(1, 9));
  reader = place;
  EXPECT_EQ(read_all(), rest);
}

}  // namespace
}  // namespace windlass::plane
