#include "cli/output/findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>

#include "api/codec/json/json_text.h"
#include "base/json_writer.h"
#include "base/xml.h"
#include "plane/version.h"

namespace windlass::cli {
namespace {

using Level = FileFinding::Level;

constexpr std::string_view kSarifSchema = "https://json.schemastore.org/sarif-2.1.0.json";

// As SARIF and GitHub call them, but for `note`.
std::string_view level_name(Level level) {
  return level == Level::error ? "error" : level == Level::warning ? "warning" : "note";
}

// Takes `:7` off the end of a place.
std::optional<int64_t> take_number(std::string_view& place) {
  const size_t colon = place.rfind(':');
  int64_t number = 0;
  if (colon == std::string_view::npos) {
    return std::nullopt;
  }
  const auto read = std::from_chars(place.data() + colon + 1, place.data() + place.size(), number);
  if (read.ec != std::errc() || read.ptr != place.data() + place.size() || number < 1) {
    return std::nullopt;
  }
  place = place.substr(0, colon);
  return number;
}

// A file name as the path of a URI.
std::string uri(std::string_view file) {
  std::string out;
  for (const char c : file) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 ||
                       std::string_view("-._~/").find(c) != std::string_view::npos;
    out += plain ? std::string(1, c)
                 : fmt::format("%{:02X}", static_cast<unsigned>(static_cast<unsigned char>(c)));
  }
  return out;
}

void write_rules(const std::vector<FileFinding>& findings, JsonWriter& json) {
  std::map<std::string, const FileFinding*> rules;
  for (const FileFinding& finding : findings) {
    rules.emplace(finding.rule, &finding);
  }
  json.key("rules").open_list();
  for (const auto& [id, first] : rules) {
    json.open_object().member("id", id);
    json.key("defaultConfiguration").open_object().member("level", level_name(first->level));
    json.close_object().close_object();
  }
  json.close_list();
}

void write_result(const FileFinding& finding, JsonWriter& json) {
  json.open_object().member("ruleId", finding.rule).member("level", level_name(finding.level));
  const std::string text =
      finding.object.empty() ? finding.text : finding.object + ": " + finding.text;
  json.key("message").open_object().member(
      "text", finding.help.empty() ? text : text + "\n" + finding.help);
  json.close_object();
  json.key("locations").open_list().open_object().key("physicalLocation").open_object();
  json.key("artifactLocation").open_object().member("uri", uri(finding.file)).close_object();
  json.key("region").open_object();
  json.key("startLine").number(finding.line).key("startColumn").number(finding.column);
  json.close_object().close_object().close_object().close_list().close_object();
}

std::string sarif(std::string_view command, const std::vector<FileFinding>& findings) {
  std::string compact;
  JsonWriter json(compact);
  json.open_object().member("$schema", kSarifSchema).member("version", "2.1.0");
  json.key("runs").open_list().open_object();
  json.key("tool").open_object().key("driver").open_object();
  json.member("name", fmt::format("windlass {}", command));
  json.member("version", plane::version_number().substr(1));
  write_rules(findings, json);
  json.close_object().close_object();
  json.key("results").open_list();
  for (const FileFinding& finding : findings) {
    write_result(finding, json);
  }
  json.close_list().close_object().close_list().close_object();
  std::string text;
  api::append_pretty_json(compact, text);
  return text + "\n";
}

std::string place(const FileFinding& finding) {
  return fmt::format("{}:{}:{}", finding.file, finding.line, finding.column);
}

struct TestCase {
  Examined examined;
  std::vector<const FileFinding*> failures;
};

std::string case_xml(const TestCase& test) {
  const std::string name = test.examined.object.empty() ? test.examined.file : test.examined.object;
  const std::string head = fmt::format("    <testcase classname=\"{}\" name=\"{}\"",
                                       xml_escaped(test.examined.file), xml_escaped(name));
  if (test.failures.empty()) {
    return head + "/>\n";
  }
  // More than one failure per case is not JUnit.
  std::string lines;
  for (const FileFinding* finding : test.failures) {
    lines += fmt::format("{}: {} [{}]\n", place(*finding), finding->text, finding->rule);
  }
  const FileFinding& first = *test.failures.front();
  return fmt::format(
      "{}>\n      <failure type=\"{}\" message=\"{}\">{}</failure>\n    </testcase>\n", head,
      xml_escaped(first.rule), xml_escaped(first.text), xml_escaped(lines));
}

// A case for each object, and for each file that has failures without one.
std::string junit(std::string_view command, const std::vector<FileFinding>& findings,
                  const std::vector<Examined>& examined) {
  std::vector<TestCase> tests;
  for (const Examined& one : examined) {
    tests.push_back({one, {}});
  }
  for (const FileFinding& finding : findings) {
    if (!finding.fails) {
      continue;
    }
    auto found = std::find_if(tests.begin(), tests.end(), [&finding](const TestCase& test) {
      return test.examined.file == finding.file && test.examined.object == finding.object;
    });
    if (found == tests.end()) {
      found = tests.insert(tests.end(), TestCase{{finding.file, finding.object}, {}});
    }
    found->failures.push_back(&finding);
  }
  const auto failed = std::count_if(tests.begin(), tests.end(),
                                    [](const TestCase& test) { return !test.failures.empty(); });
  std::string text = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites tests=\"{0}\" failures=\"{1}\">\n"
      "  <testsuite name=\"windlass {2}\" tests=\"{0}\" failures=\"{1}\">\n",
      tests.size(), failed, xml_escaped(command));
  for (const TestCase& test : tests) {
    text += case_xml(test);
  }
  return text + "  </testsuite>\n</testsuites>\n";
}

std::string github(const std::vector<FileFinding>& findings) {
  std::string text;
  for (const FileFinding& finding : findings) {
    const std::string_view level =
        finding.level == Level::note ? "notice" : level_name(finding.level);
    text += fmt::format(
        "::{} file={},line={},col={},title={}::{}\n", level, github_escaped(finding.file, true),
        finding.line, finding.column, github_escaped(finding.rule, true),
        github_escaped(finding.help.empty() ? finding.text : finding.text + "\n" + finding.help,
                       false));
  }
  return text;
}

}  // namespace

// What ends a property or a message of a workflow command is escaped.
std::string github_escaped(std::string_view text, bool property) {
  std::string out;
  for (const char c : text) {
    const bool special = c == '%' || c == '\r' || c == '\n' || (property && (c == ':' || c == ','));
    out += special ? fmt::format("%{:02X}", static_cast<unsigned>(c)) : std::string(1, c);
  }
  return out;
}

std::optional<FindingFormat> finding_format(std::string_view word) {
  if (word == "sarif") {
    return FindingFormat::sarif;
  }
  if (word == "junit") {
    return FindingFormat::junit;
  }
  return word == "github" ? std::optional(FindingFormat::github) : std::nullopt;
}

FileFinding finding_of_line(std::string_view line) {
  FileFinding finding;
  for (const auto& [mark, level] :
       {std::pair(std::string_view(": error: "), Level::error), {": warning: ", Level::warning}}) {
    const size_t at = line.find(mark);
    if (at == std::string_view::npos) {
      continue;
    }
    std::string_view where = line.substr(0, at);
    const auto last = take_number(where);
    const auto before = last ? take_number(where) : std::nullopt;
    finding.line = before ? *before : last.value_or(1);
    finding.column = before ? *last : 1;
    finding.file = where;
    finding.level = level;
    finding.text = line.substr(at + mark.size());
    finding.fails = level == Level::error;
    return finding;
  }
  finding.text = line;
  return finding;
}

std::string findings_text(FindingFormat format, std::string_view command,
                          const std::vector<FileFinding>& findings,
                          const std::vector<Examined>& examined) {
  switch (format) {
    case FindingFormat::sarif:
      return sarif(command, findings);
    case FindingFormat::junit:
      return junit(command, findings, examined);
    case FindingFormat::github:
      break;
  }
  return github(findings);
}

}  // namespace windlass::cli
