// What is wrong in manifest files, in the formats that pipelines read: SARIF 2.1.0, JUnit and the
// annotations of GitHub. docs/guide/ci.md describes them. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace windlass::cli {

enum class FindingFormat { sarif, junit, github };

// Nothing for other words.
std::optional<FindingFormat> finding_format(std::string_view word);

struct FileFinding {
  enum class Level { error, warning, note };

  std::string file = {};
  int64_t line = 1;
  int64_t column = 1;
  Level level = Level::error;
  std::string rule = {};    // never-matches
  std::string text = {};    // what is wrong, in one line
  std::string object = {};  // job.batch/demo
  std::string help = {};    // why it is wrong, and what to do; may be ""
  bool fails = true;        // makes the command fail

  bool operator==(const FileFinding&) const = default;
};

// An object that was examined, or a file without one.
struct Examined {
  std::string file = {};
  std::string object = {};
};

// `job.yaml:7:3: error: spec.x: ...`, as this program prints it. `rule` and `object` are unset.
FileFinding finding_of_line(std::string_view line);

// Text as message, or as a property, of a workflow command of GitHub.
std::string github_escaped(std::string_view text, bool property);

// `command` is that of this program: `policy lint`.
std::string findings_text(FindingFormat format, std::string_view command,
                          const std::vector<FileFinding>& findings,
                          const std::vector<Examined>& examined);

}  // namespace windlass::cli
