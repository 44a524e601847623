// What may come next on a command line that is not finished, for the shells; and the scripts that
// ask for it. Made from the flags that the commands declared. Pure: names that only a server or
// this machine knows are for the caller to add.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
}

namespace windlass::cli {

struct CompletionCandidate {
  std::string word;
  std::string about = {};

  bool operator==(const CompletionCandidate&) const = default;
};

// Jobs are `job/NAME`, their names alone are job_names.
enum class NameSource { none, jobs, job_names, namespaces, nodes, runs };

struct Completion {
  std::string current = {};  // the last word, or its part after `--flag=`; candidates begin with it
  std::string prefix = {};   // `--flag=`, which the shells want before each candidate
  std::vector<CompletionCandidate> candidates = {};
  NameSource names = NameSource::none;  // further candidates
  bool files = false;                   // likewise
  // The values of flags that came before, by their long names: `--kubeconfig`.
  std::map<std::string, std::string, std::less<>> values = {};

  // Where it begins with `current`.
  void add(const std::string& word, const std::string& about = "");
  // For the scripts, and for `kubectl windlass`, which has the protocol of Cobra: a line for each
  // candidate, a tab before its description, and `:0` (files as well) or `:4` (no files) at the
  // end.
  std::string text() const;
};

// `words` follow the program's name. The last one is being typed, and may be empty.
Completion complete(const CLI::App& program, const std::vector<std::string>& words);

enum class Shell { bash, zsh, fish };
std::string completion_script(Shell shell);

}  // namespace windlass::cli
