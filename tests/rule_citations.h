// Reads the rules of docs/spec, and where code, tests and pages cite them (docs/spec/README.md has
// the grammar). Plain data and pure functions, apart from read_specification.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace windlass::house {

// The pages in which a citation without a page is looked up; the first that has it counts.
struct Pages {
  std::vector<std::string> of_comments;
  std::vector<std::string> of_names;  // of tests
  bool bare_numbers = false;          // 5.10 in a comment is a rule of job-controller.md
  // Names of tests have no dashes: N1 stands for both N-1 of one page and N1 of another.
  bool every_match = false;
};

// By the path of the file that cites.
const Pages& pages_of(std::string_view path);

struct Rule {
  std::string page;  // job-controller
  std::string id;    // 5.10, K-13, J61, A1, section-7, scenario-33
  std::string text;

  std::string name() const { return page + ".md " + id; }
  bool is_section() const { return id.starts_with("section-"); }
};

class Specification {
 public:
  // The text of a page: every `<a id="ID"></a>` begins a rule, which ends with its line.
  void add_page(const std::string& page, const std::vector<std::string>& lines);

  bool has_page(const std::string& page) const { return by_page_.contains(page); }
  const std::vector<Rule>& rules() const { return rules_; }
  // Its place in rules(), or -1. `J88c` is part (c) of J88.
  int find(const std::string& page, const std::string& id) const;

 private:
  std::vector<Rule> rules_;
  std::map<std::string, std::map<std::string, int>> by_page_;
};

Specification read_specification(const std::string& folder);

struct Citations {
  std::vector<int> rules;            // places in Specification::rules()
  std::vector<std::string> unknown;  // as they are written, with the page if one is given
};

// Which numbers are citations without the name of a page before them.
enum class Bare {
  none,
  labels,  // `C1: a pod was counted twice`
  all,
};

// Of a comment, a paragraph or a string literal.
Citations citations_in(const Specification& specification, const std::string& text,
                       const Pages& pages, Bare bare);

// The comments of C++ source, one text for each run of lines; and what stands in its string
// literals.
struct Texts {
  std::vector<std::string> comments;
  std::vector<std::string> strings;
};
Texts texts_of(const std::vector<std::string>& lines);

// Of a test's name: E6_E10_Name, Rule2_41_Name, Scenario42_Name.
Citations citations_of_test(const Specification& specification, const std::string& name,
                            const Pages& pages);

}  // namespace windlass::house
