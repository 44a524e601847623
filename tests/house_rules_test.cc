// The rules of CONTRIBUTING.md that a program can check: layers, calls that belong behind env, file
// and function sizes, and what the repository must not contain. Runs in the repository's root.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <regex.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "source_functions.h"
#include "source_tree.h"

namespace {

namespace fs = std::filesystem;
using windlass::house::files_below;
using windlass::house::functions_of;
using windlass::house::lines_of;

constexpr size_t kMaxColumns = 100;
constexpr size_t kMaxSourceLines = 600;
constexpr size_t kMaxTestLines = 1000;
constexpr size_t kMaxFunctionLines = 70;
constexpr size_t kMaxFolderFiles = 48;  // with tests; about 40 is better

struct SourceFile {
  std::string path;    // src/api/codec/json/json.h
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

const std::vector<SourceFile>& sources() {
  static const std::vector<SourceFile> files = [] {
    std::vector<SourceFile> found;
    for (const auto& path : files_below({"src", "tests", "bench"})) {
      if (!path.ends_with(".h") && !path.ends_with(".cc")) {
        continue;
      }
      SourceFile file;
      file.path = path;
      if (path.starts_with("src/")) {
        file.folder = fs::path(path).parent_path().generic_string().substr(4);
      }
      file.lines = lines_of(path);
      found.push_back(std::move(file));
    }
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
  std::map<std::string, std::vector<std::string>> test_depends;
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
        test_depends[folder].push_back(word);
      }
    }
  }
  // Tests may name layers that are listed below their own.
  for (const auto& [folder, names] : test_depends) {
    for (const auto& name : names) {
      const auto& allowed = layers.allowed.at(name);
      layers.allowed_in_tests[folder].insert(allowed.begin(), allowed.end());
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

// A line of Markdown without what stands between backticks.
std::string without_code(const std::string& line) {
  std::string text;
  bool code = false;
  for (const char c : line) {
    code = code != (c == '`');
    if (!code && c != '`') {
      text += c;
    }
  }
  return text;
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

bool is_in_layer(const SourceFile& file, std::initializer_list<std::string_view> layers) {
  return std::any_of(layers.begin(), layers.end(), [&](std::string_view layer) {
    return file.folder == layer || file.folder.starts_with(std::string(layer) + "/");
  });
}

TEST(HouseRules, OnlyTheEdgesKnowTheRealAndTheVirtualWorld) {
  for (const auto& file : sources()) {
    if (file.folder.empty() || file.is_test() ||
        is_in_layer(file, {"posix", "virtual_world", "net", "remote", "logind", "postgres",
                           "supervisor", "images/store", "backup", "plane", "cli", "verify"})) {
      continue;
    }
    for (const auto& line : file.lines) {
      EXPECT_FALSE(line.starts_with("#include \"posix/") ||
                   line.starts_with("#include \"virtual_world/"))
          << file.path << ": " << line;
    }
  }
}

TEST(HouseRules, WhatOnlyProvesTheProgramIsNotInIt) {
  bool found = false;
  for (const auto& [layer, allowed] : read_layers().allowed) {
    if (layer.starts_with("verify/")) {
      found = true;
      continue;
    }
    for (const auto& name : allowed) {
      EXPECT_FALSE(name.starts_with("verify/")) << layer << " depends on " << name;
    }
  }
  EXPECT_TRUE(found);
}

TEST(HouseRules, TheOutsideIsReachedThroughEnvOnly) {
  const Pattern banned(
      R"((_clock::now\()|(\brandom_device\b)|(\bmt19937)|(\brand\()|(std::j?thread\b)|((^|[^.[:alnum:]_>])sleep(_for|_until)?\()|(\busleep\()|(\bgetenv\()|(std::(cout|cerr|clog)\b)|(\b[io]?fstream\b)|(\bfopen\()|((^|[^[:alnum:]_>])::open\()|(\bsystem\()|(\bpopen\()|(\bfork\())");
  for (const auto& file : sources()) {
    // net has its I/O threads and sockets on posix's event loops; the supervisor is a process of
    // its own that does nothing but talk to the kernel.
    if (file.folder.empty() || file.is_test() ||
        is_in_layer(file, {"posix", "net", "supervisor"})) {
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

// Whether a header is a private part of its folder: only .cc files beside it include it.
bool is_private_header(const SourceFile& header) {
  const std::string include = "#include \"" + header.path.substr(4) + "\"";
  return std::all_of(sources().begin(), sources().end(), [&](const SourceFile& file) {
    return (!file.is_header() && file.folder == header.folder) ||
           std::find(file.lines.begin(), file.lines.end(), include) == file.lines.end();
  });
}

TEST(HouseRules, ThirdPartyHeadersStayOutOfOurHeaders) {
  const Pattern third_party(
      R"(^#include [<"](fmt|google|simdjson|yaml|CLI|boost|openssl|sqlite3|curl|nghttp2|dbus|schema|gtest|rapidcheck))");
  for (const auto& file : sources()) {
    if (!file.is_header() || file.is_test()) {
      continue;
    }
    for (const auto& line : file.lines) {
      EXPECT_TRUE(!third_party.is_in(line) || is_private_header(file)) << file.path << ": " << line;
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

TEST(HouseRules, FunctionsAreFoundWhereverTheirBodiesAre) {
  const auto lines_of_functions = [](const char* text) {
    std::vector<size_t> lines;
    for (const auto& function : functions_of(text)) {
      lines.push_back(function.lines);
    }
    return lines;
  };
  using Lines = std::vector<size_t>;
  EXPECT_EQ(lines_of_functions("int f() {\n  return 1;\n}\n"), Lines{3});
  EXPECT_EQ(
      lines_of_functions("class C {\n public:\n  void f() const override {\n    g();\n  }\n};\n"),
      Lines{3});
  EXPECT_EQ(
      lines_of_functions("class C {\n  C(int a,\n    int b)\n      : a_(a),\n        b_(b) {\n"
                         "    if (a) {\n    }\n  }\n};\n"),
      Lines{7});
  EXPECT_EQ(lines_of_functions("auto f() -> int {\n  return R\"({)\"[0] + '{';  // {\n}\n"),
            Lines{3});
  EXPECT_EQ(
      lines_of_functions("const auto f = [](int a) {\n};\nint t[] = {1, 2};\nstruct S {\n};\n"),
      Lines{});
}

TEST(HouseRules, FunctionsFitOnAScreen) {
  size_t functions = 0;
  for (const auto& file : sources()) {
    if (file.is_test()) {
      continue;
    }
    for (const auto& function : functions_of(fmt::format("{}\n", fmt::join(file.lines, "\n")))) {
      ++functions;
      EXPECT_LE(function.lines, kMaxFunctionLines) << file.path << ':' << function.line;
    }
  }
  EXPECT_GE(functions, 5000u);
}

TEST(HouseRules, FoldersAreReadAtOneGlance) {
  std::map<std::string, size_t> files;
  for (const auto& path : files_below({"src"})) {
    ++files[fs::path(path).parent_path().generic_string()];
  }
  for (const auto& [folder, count] : files) {
    EXPECT_LE(count, kMaxFolderFiles) << folder;
  }
}

// At namespace scope, in headers and sources. A nested type is read with the name of its class.
TEST(HouseRules, ATypeNameHasOneMeaning) {
  const Pattern type(
      R"(^(class|struct|enum class|enum) (\[\[nodiscard\]\] )?[A-Z][A-Za-z0-9]*( final)?( : [^;]*)?( \{|$))");
  const Pattern name(R"(([A-Z][A-Za-z0-9]*))");
  std::map<std::string, std::string> declared;
  for (const auto& file : sources()) {
    for (const auto& line : file.lines) {
      if (file.is_test() || !type.is_in(line)) {
        continue;
      }
      const auto [first, is_new] = declared.emplace(*name.find(line), file.path);
      EXPECT_TRUE(is_new) << file.path << ": " << first->first << " is also declared in "
                          << first->second;
    }
  }
  EXPECT_GE(declared.size(), 1000u);
}

// Pages, and comments in code.
TEST(HouseRules, TextNamesItsSubjects) {
  const Pattern vague(
      R"((^|[^[:alnum:]_./"-])([Ss]omebody|[Ss]omeone|[Nn]obody|[Aa]nybody|[Ww]hoever)([^[:alnum:]_"]|$))");
  std::vector<std::string> paths =
      files_below({"docs", "src", "tests", "bench", "proto", "examples", "deploy", "packages"});
  paths.insert(paths.end(), {"README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md"});
  for (const auto& path : paths) {
    if (path == "tests/house_rules_test.cc" || path.find("/node_modules/") != std::string::npos) {
      continue;
    }
    const bool is_code = path.ends_with(".cc") || path.ends_with(".h") ||
                         path.ends_with(".proto") || path.ends_with(".js");
    const bool is_text = path.ends_with(".md");
    const auto lines = is_code || is_text ? lines_of(path) : std::vector<std::string>();
    for (size_t i = 0; i < lines.size(); ++i) {
      const size_t comment = is_code ? lines[i].find("// ") : 0;
      EXPECT_FALSE(comment != std::string::npos && vague.is_in(lines[i].substr(comment)))
          << path << ':' << i + 1 << ": " << lines[i];
    }
  }
}

TEST(HouseRules, SpecificationAndReferenceShareNoName) {
  for (const auto& entry : fs::directory_iterator("docs/reference")) {
    EXPECT_FALSE(fs::exists(fs::path("docs/spec") / entry.path().filename())) << entry.path();
  }
}

// Numbers without gaps, each in the table of docs/decisions/README.md; a superseded record names
// the one that took its place.
TEST(HouseRules, DecisionsAreNumberedAndListed) {
  const Pattern superseded(R"(^\*\*Status:\*\* superseded(.*))");
  const Pattern link(R"(\((0[0-9][0-9][0-9])-)");
  std::map<size_t, std::string> records;
  for (const auto& entry : fs::directory_iterator("docs/decisions")) {
    const std::string name = entry.path().filename().generic_string();
    if (name == "README.md") {
      continue;
    }
    EXPECT_TRUE(records.emplace(std::stoul(name.substr(0, 4)), name).second)
        << name << " has the number of another record";
  }
  std::string table;
  for (const auto& line : lines_of("docs/decisions/README.md")) {
    table += line + '\n';
  }
  size_t next = 1;
  for (const auto& [number, name] : records) {
    EXPECT_EQ(number, next++) << name;
    EXPECT_NE(table.find(fmt::format("| {} | [", number)), std::string::npos) << name;
    EXPECT_NE(table.find('(' + name + ')'), std::string::npos) << name;
    for (const auto& line : lines_of(fs::path("docs/decisions") / name)) {
      EXPECT_TRUE(!superseded.is_in(line) || link.is_in(line)) << name << ": by which record?";
    }
  }
  EXPECT_GE(records.size(), 50u);
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

// [text](path#anchor), in Markdown; code between backticks is not a link.
TEST(HouseRules, DocumentsLinkToFilesThatExist) {
  const Pattern link(R"(\]\(([^)#:]+)(#[^)]*)?\))");
  size_t links = 0;
  for (auto entry = fs::recursive_directory_iterator("."); entry != fs::end(entry); ++entry) {
    const std::string path = entry->path().generic_string();
    if (path == "./build" || path == "./.git") {
      entry.disable_recursion_pending();
    }
    if (!path.ends_with(".md")) {
      continue;
    }
    for (const auto& line : lines_of(entry->path())) {
      std::string rest = without_code(line);
      for (auto found = link.find(rest); found; found = link.find(rest)) {
        ++links;
        EXPECT_TRUE(fs::exists(entry->path().parent_path() / *found)) << path << ": " << *found;
        rest = rest.substr(rest.find("](" + *found) + 2);
      }
    }
  }
  EXPECT_GE(links, 100u);
}

// `engine/policy/outcome.cc`, by the end of its path.
TEST(HouseRules, TheMapNamesFilesThatExist) {
  const auto files = files_below({"src", "proto", "tests"});
  const Pattern name(R"(`([a-z0-9_/]+\.(cc|h|proto))`)");
  size_t names = 0;
  for (const auto& line : lines_of("ARCHITECTURE.md")) {
    std::string rest = line;
    for (auto found = name.find(rest); found; found = name.find(rest)) {
      ++names;
      EXPECT_TRUE(std::any_of(files.begin(), files.end(), [&](const std::string& file) {
        return ('/' + file).ends_with('/' + *found);
      })) << *found;
      rest = rest.substr(rest.find('`' + *found + '`') + found->size() + 2);
    }
  }
  EXPECT_GE(names, 80u);
}

// `src/verify/explorer/model_state.h`, in any page.
TEST(HouseRules, PagesNameFilesThatExist) {
  const Pattern name(
      R"(`((src|tests|bench|proto|docs|examples|deploy|packages|cmake)/[A-Za-z0-9_./-]+)`)");
  std::vector<std::string> pages = files_below({"docs", "src", "tests", "bench", "examples"});
  pages.insert(pages.end(), {"README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md"});
  size_t names = 0;
  for (const auto& page : pages) {
    if (!page.ends_with(".md")) {
      continue;
    }
    for (const auto& line : lines_of(page)) {
      std::string rest = line;
      for (auto found = name.find(rest); found; found = name.find(rest)) {
        ++names;
        EXPECT_TRUE(fs::exists(*found)) << page << ": " << *found;
        rest = rest.substr(rest.find('`' + *found + '`') + found->size() + 2);
      }
    }
  }
  EXPECT_GE(names, 80u);
}

// "These are the 26 files": those that its section names, each once.
TEST(HouseRules, ThePathsCountTheirFiles) {
  const Pattern count(R"(These are the ([0-9]+))");
  const Pattern name(R"(`([a-z0-9_/]+\.(cc|h))`)");
  size_t sections = 0;
  std::string said;
  std::set<std::string> named;
  const auto check = [&] {
    if (!said.empty()) {
      ++sections;
      EXPECT_EQ(said, std::to_string(named.size()));
    }
    said.clear();
    named.clear();
  };
  for (const auto& line : lines_of("ARCHITECTURE.md")) {
    if (line.starts_with("## ")) {
      check();
    }
    said = count.find(line).value_or(said);
    std::string rest = line;
    for (auto found = name.find(rest); found; found = name.find(rest)) {
      named.insert(fs::path(*found).filename().generic_string());
      rest = rest.substr(rest.find('`' + *found + '`') + found->size() + 2);
    }
  }
  check();
  EXPECT_EQ(sections, 2u);
}

// In it, below it, or above it within its layer: a part may be tested through the whole.
TEST(HouseRules, EveryFolderHasTests) {
  const Layers layers = read_layers();
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
    const std::string layer = layers.layer_of(folder);
    EXPECT_TRUE(std::any_of(with_tests.begin(), with_tests.end(),
                            [&](const std::string& tested) {
                              return (tested + '/').starts_with(folder + '/') ||
                                     ((folder + '/').starts_with(tested + '/') &&
                                      layers.layer_of(tested) == layer);
                            }))
        << "src/" << folder << " has no test";
  }
}

}  // namespace
