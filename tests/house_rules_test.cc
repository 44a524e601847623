// The rules of CONTRIBUTING.md that a program can check: layers, calls that belong behind env, file
// and function sizes, and what the repository must not contain. Runs in the repository's root.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <regex.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

constexpr size_t kMaxColumns = 100;
constexpr size_t kMaxSourceLines = 600;
constexpr size_t kMaxTestLines = 1000;
constexpr size_t kMaxFunctionLines = 70;

struct SourceFile {
  std::string path;    // src/api/codec/json.h
  std::string folder;  // api, controllers/job; "" outside src
  std::vector<std::string> lines;

  bool is_test() const {
    return path.ends_with("_test.cc") || path.ends_with("testing.h") ||
           path.ends_with("testing.cc") || folder.empty();
  }
  bool is_header() const { return path.ends_with(".h"); }
};

// POSIX's, not std::regex: the library's is compiled, whatever the build, and reads the tree in a
// second instead of a minute.
class Pattern {
 public:
  explicit Pattern(const char* text) {
    if (::regcomp(&compiled_, text, REG_EXTENDED) != 0) {
      throw std::invalid_argument(text);
    }
  }
  ~Pattern() { ::regfree(&compiled_); }
  Pattern(const Pattern&) = delete;
  Pattern& operator=(const Pattern&) = delete;

  bool is_in(const std::string& line) const {
    return ::regexec(&compiled_, line.c_str(), 0, nullptr, 0) == 0;
  }
  // What its first pair of parentheses holds.
  std::optional<std::string> find(const std::string& line) const {
    regmatch_t match[2];
    if (::regexec(&compiled_, line.c_str(), 2, match, 0) != 0) {
      return std::nullopt;
    }
    return line.substr(static_cast<size_t>(match[1].rm_so),
                       static_cast<size_t>(match[1].rm_eo - match[1].rm_so));
  }

 private:
  regex_t compiled_;
};

std::vector<std::string> lines_of(const fs::path& path) {
  std::ifstream in(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) {
    lines.push_back(line);
  }
  return lines;
}

const std::vector<SourceFile>& sources() {
  static const std::vector<SourceFile> files = [] {
    std::vector<SourceFile> found;
    for (const char* root : {"src", "tests", "bench"}) {
      for (const auto& entry : fs::recursive_directory_iterator(root)) {
        const auto extension = entry.path().extension();
        if (!entry.is_regular_file() || (extension != ".h" && extension != ".cc")) {
          continue;
        }
        SourceFile file;
        file.path = entry.path().generic_string();
        if (std::string_view(root) == "src") {
          file.folder = entry.path().parent_path().generic_string().substr(4);
        }
        file.lines = lines_of(entry.path());
        found.push_back(std::move(file));
      }
    }
    std::sort(found.begin(), found.end(),
              [](const auto& a, const auto& b) { return a.path < b.path; });
    return found;
  }();
  return files;
}

// Folder -> the folders it may include, from the windlass_layer lines of CMakeLists.txt.
struct Layers {
  std::map<std::string, std::set<std::string>> allowed;
  std::map<std::string, std::set<std::string>> allowed_in_tests;

  // A subfolder belongs to the nearest layer above it; "" when there is none.
  std::string layer_of(std::string folder) const {
    while (!folder.empty() && !allowed.contains(folder)) {
      const auto slash = folder.rfind('/');
      folder.resize(slash == std::string::npos ? 0 : slash);
    }
    return folder;
  }
};

Layers read_layers() {
  Layers layers;
  const Pattern layer(R"(windlass_layer\(([^)]*)\))");
  for (const auto& line : lines_of("CMakeLists.txt")) {
    const auto found = layer.find(line);
    if (!found) {
      continue;
    }
    std::istringstream words(*found);
    std::string folder;
    words >> folder;
    auto& allowed = layers.allowed[folder];
    allowed.insert(folder);
    std::string mode;
    for (std::string word; words >> word;) {
      if (word == "DEPENDS" || word == "LINK" || word == "TEST_DEPENDS" || word == "APART") {
        mode = word;
      } else if (mode == "DEPENDS") {
        // Layers are listed bottom up, so what a dependency may include is known by now.
        EXPECT_TRUE(layers.allowed.contains(word)) << folder << " comes before " << word;
        allowed.insert(layers.allowed[word].begin(), layers.allowed[word].end());
      } else if (mode == "TEST_DEPENDS") {
        layers.allowed_in_tests[folder].insert(layers.allowed[word].begin(),
                                               layers.allowed[word].end());
      }
    }
  }
  return layers;
}

// Without its comment and what its strings hold.
std::string code_of(const std::string& line) {
  std::string code;
  bool quoted = false;
  for (size_t i = 0; i < line.size(); ++i) {
    if (quoted && line[i] == '\\') {
      ++i;
    } else if (line[i] == '"') {
      quoted = !quoted;
      code += '"';
    } else if (!quoted && line.compare(i, 2, "//") == 0) {
      break;
    } else if (!quoted) {
      code += line[i];
    }
  }
  return code;
}

TEST(HouseRules, AFolderIncludesOnlyTheLayersBelowIt) {
  const Layers layers = read_layers();
  ASSERT_GE(layers.allowed.size(), 10u);
  const Pattern include(R"re(^#include "(.*)/[^/]*")re");
  for (const auto& file : sources()) {
    if (file.folder.empty()) {
      continue;
    }
    const std::string layer = layers.layer_of(file.folder);
    ASSERT_FALSE(layer.empty()) << file.folder << " has no windlass_layer";
    for (const auto& line : file.lines) {
      const auto folder = include.find(line);
      if (!folder || folder->starts_with("schema")) {
        continue;
      }
      const std::string target = layers.layer_of(*folder);
      bool allowed = layers.allowed.at(layer).contains(target);
      if (!allowed && file.is_test() && layers.allowed_in_tests.contains(layer)) {
        allowed = layers.allowed_in_tests.at(layer).contains(target);
      }
      EXPECT_TRUE(allowed) << file.path << ": " << line;
    }
  }
}

TEST(HouseRules, OnlyTheEdgesKnowTheRealAndTheSimulatedWorld) {
  for (const auto& file : sources()) {
    if (file.folder.empty() || file.folder == "cli" || file.folder == "posix" ||
        file.folder == "sim" || file.folder == "net" || file.folder == "remote" ||
        file.folder == "logind" || file.folder == "supervisor" ||
        file.folder.starts_with("simulation") || file.is_test()) {
      continue;
    }
    for (const auto& line : file.lines) {
      EXPECT_FALSE(line.starts_with("#include \"posix/") || line.starts_with("#include \"sim/"))
          << file.path << ": " << line;
    }
  }
}

TEST(HouseRules, TheOutsideIsReachedThroughEnvOnly) {
  const Pattern banned(
      R"((_clock::now\()|(\brandom_device\b)|(\bmt19937)|(\brand\()|(std::j?thread\b)|((^|[^.[:alnum:]_>])sleep(_for|_until)?\()|(\busleep\()|(\bgetenv\()|(std::(cout|cerr|clog)\b)|(\b[io]?fstream\b)|(\bfopen\()|((^|[^[:alnum:]_>])::open\()|(\bsystem\()|(\bpopen\()|(\bfork\())");
  for (const auto& file : sources()) {
    // net has its I/O threads and sockets on posix's event loops; the supervisor is a process of
    // its own that does nothing but talk to the kernel.
    if (file.folder.empty() || file.folder == "posix" || file.folder == "net" ||
        file.folder == "supervisor" || file.is_test()) {
      continue;
    }
    for (size_t i = 0; i < file.lines.size(); ++i) {
      EXPECT_FALSE(banned.is_in(code_of(file.lines[i])))
          << file.path << ':' << i + 1 << ": " << file.lines[i];
    }
  }
}

TEST(HouseRules, NoCoroutines) {
  const Pattern banned(R"(\bco_(await|return|yield)\b)");
  for (const auto& file : sources()) {
    for (const auto& line : file.lines) {
      EXPECT_FALSE(banned.is_in(code_of(line))) << file.path << ": " << line;
    }
  }
}

TEST(HouseRules, ThirdPartyHeadersStayOutOfOurHeaders) {
  const Pattern third_party(
      R"(^#include [<"](fmt|google|simdjson|yaml|CLI|boost|openssl|sqlite3|curl|nghttp2|dbus|schema|gtest|rapidcheck))");
  for (const auto& file : sources()) {
    if (!file.is_header() || file.is_test()) {
      continue;
    }
    for (const auto& line : file.lines) {
      EXPECT_FALSE(third_party.is_in(line)) << file.path << ": " << line;
    }
  }
}

TEST(HouseRules, HeadersSayWhatTheyAre) {
  for (const auto& file : sources()) {
    if (!file.is_header()) {
      continue;
    }
    const auto& lines = file.lines;
    EXPECT_TRUE(std::find(lines.begin(), lines.end(), "#pragma once") != lines.end()) << file.path;
    // The opening comment, or one on the first class of a one-class header.
    const bool opens_with_comment = !lines.empty() && lines[0].starts_with("//");
    const bool has_comment = std::any_of(lines.begin(), lines.end(),
                                         [](const auto& line) { return line.starts_with("// "); });
    EXPECT_TRUE(opens_with_comment || has_comment) << file.path;
  }
}

TEST(HouseRules, FilesAndLinesStaySmall) {
  for (const auto& file : sources()) {
    const size_t limit = file.is_test() ? kMaxTestLines : kMaxSourceLines;
    EXPECT_LE(file.lines.size(), limit) << file.path;
    for (size_t i = 0; i < file.lines.size(); ++i) {
      const auto& line = file.lines[i];
      // A string literal or an include cannot always be broken.
      if (line.find('"') == std::string::npos) {
        size_t columns = 0;
        for (const char c : line) {
          columns += (static_cast<unsigned char>(c) & 0xC0) != 0x80 ? 1 : 0;
        }
        EXPECT_LE(columns, kMaxColumns) << file.path << ':' << i + 1;
      }
      EXPECT_EQ(line.find('\t'), std::string::npos) << file.path << ':' << i + 1 << " has a tab";
      EXPECT_FALSE(line.ends_with(' ')) << file.path << ':' << i + 1 << " ends in a blank";
    }
  }
}

// clang-format puts a function's closing brace in column one, and nothing else but namespaces,
// types and tables there.
TEST(HouseRules, FunctionsFitOnAScreen) {
  const Pattern opens(R"(^[A-Za-z].*\)( const| noexcept| override)*.*\{$)");
  for (const auto& file : sources()) {
    if (file.is_test()) {
      continue;
    }
    size_t start = 0;
    for (size_t i = 0; i < file.lines.size(); ++i) {
      const auto& line = file.lines[i];
      if (opens.is_in(line) && !line.starts_with("namespace")) {
        start = i + 1;
      } else if (line == "}" && start != 0) {
        EXPECT_LE(i + 1 - start, kMaxFunctionLines) << file.path << ':' << start;
        start = 0;
      }
    }
  }
}

TEST(HouseRules, NoLeftovers) {
  const Pattern leftover(R"(\b(TODO|FIXME|XXX|HACK)\b)");
  for (const auto& file : sources()) {
    if (file.path == "tests/house_rules_test.cc") {
      continue;
    }
    for (size_t i = 0; i < file.lines.size(); ++i) {
      EXPECT_FALSE(leftover.is_in(file.lines[i])) << file.path << ':' << i + 1;
    }
  }
}

TEST(HouseRules, TheRepositorySpeaksOfTheProjectAlone) {
  const Pattern foreign(R"(/work/|/root/|/home/[a-z]|\bissue #?[0-9]|\bsubagent|\bhelper h[0-9])");
  for (const char* root : {"src", "tests", "bench", "docs", "examples", "proto", "cmake"}) {
    for (const auto& entry : fs::recursive_directory_iterator(root)) {
      const std::string path = entry.path().generic_string();
      if (!entry.is_regular_file() || path == "tests/house_rules_test.cc" ||
          path.starts_with("tests/fuzz/corpus")) {
        continue;
      }
      const auto lines = lines_of(entry.path());
      for (size_t i = 0; i < lines.size(); ++i) {
        EXPECT_FALSE(foreign.is_in(lines[i])) << path << ':' << i + 1 << ": " << lines[i];
      }
    }
  }
}

TEST(HouseRules, EveryFolderHasTests) {
  // A folder without any test is a folder nobody checks.
  std::set<std::string> with_sources;
  std::set<std::string> with_tests;
  for (const auto& file : sources()) {
    if (file.path.ends_with("_test.cc")) {
      with_tests.insert(file.folder);
    } else if (file.path.ends_with(".cc") && !file.folder.empty()) {
      with_sources.insert(file.folder);
    }
  }
  for (const auto& folder : with_sources) {
    EXPECT_TRUE(with_tests.contains(folder)) << "src/" << folder << " has no test";
  }
}

}  // namespace
