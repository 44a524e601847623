#include "rule_citations.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <optional>
#include <stdexcept>

namespace windlass::house {

namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_upper(char c) {
  return c >= 'A' && c <= 'Z';
}
bool is_lower(char c) {
  return c >= 'a' && c <= 'z';
}
bool is_word(char c) {
  return is_digit(c) || is_upper(c) || is_lower(c) || c == '_';
}

size_t digits_at(const std::string& text, size_t at) {
  size_t end = at;
  while (end < text.size() && is_digit(text[end])) {
    ++end;
  }
  return end - at;
}

// K-13, J61, M20a, 5.10, 2.62a: where it ends, or `at`.
size_t end_of_id(const std::string& text, size_t at) {
  size_t end = at;
  if (end < text.size() && is_upper(text[end])) {
    end += end + 1 < text.size() && text[end + 1] == '-' ? 2u : 1u;
    const size_t count = digits_at(text, end);
    if (count == 0 || count > 3) {
      return at;
    }
    end += count;
  } else {
    const size_t first = digits_at(text, end);
    end += first;
    if (first == 0 || first > 2 || end >= text.size() || text[end] != '.') {
      return at;
    }
    const size_t second = digits_at(text, end + 1);
    if (second == 0 || second > 2) {
      return at;
    }
    end += 1 + second;
  }
  if (end < text.size() && is_lower(text[end]) &&
      (end + 1 == text.size() || !is_word(text[end + 1]))) {
    ++end;
  }
  const bool goes_on = end < text.size() && (is_word(text[end]) || text[end] == '%');
  return goes_on ? at : end;
}

// One reading of a text, from left to right.
class Reader {
 public:
  Reader(const Specification& specification, const std::string& text, const Pages& pages)
      : specification_(specification), text_(text), pages_(pages) {}

  Citations read(Bare bare) {
    while (at_ < text_.size()) {
      if (const auto page = page_here()) {
        at_ += page->size() + 3;
        cited_page(*page);
      } else if (may_begin_here(bare)) {
        bare_id();
      } else {
        in_code_ = in_code_ != (text_[at_] == '`');
        ++at_;
      }
    }
    return std::move(found_);
  }

 private:
  std::optional<std::string> page_here() const {
    if (at_ > 0 && (is_word(text_[at_ - 1]) || text_[at_ - 1] == '-')) {
      return std::nullopt;
    }
    size_t end = at_;
    while (end < text_.size() && (is_lower(text_[end]) || text_[end] == '-')) {
      ++end;
    }
    std::string page = text_.substr(at_, end - at_);
    // Of other pages, those that are cited as if they had rules.
    const bool known = specification_.has_page(page);
    const bool cited = text_.compare(end, 4, ".md ") == 0 && end_of_id(text_, end + 4) > end + 4 &&
                       is_upper(text_[end + 4]);
    if (page.empty() || text_.compare(end, 3, ".md") != 0 || !(known || cited)) {
      return std::nullopt;
    }
    return page;
  }

  bool may_begin_here(Bare bare) const {
    const size_t end = end_of_id(text_, at_);
    if (bare == Bare::none || end == at_ || in_code_ || text_.compare(at_, 5, "P-256") == 0 ||
        (bare == Bare::labels && (end == text_.size() || text_[end] != ':'))) {
      return false;
    }
    const char before = at_ == 0 ? ' ' : text_[at_ - 1];
    return !is_word(before) && std::string_view("-./#$@").find(before) == std::string_view::npos;
  }

  bool skip(std::string_view word) {
    if (text_.compare(at_, word.size(), word) != 0) {
      return false;
    }
    at_ += word.size();
    return true;
  }

  // The ids behind `page.md`: `#ID`, or a list.
  void cited_page(const std::string& page) {
    if (skip("#")) {
      size_t end = at_;
      while (end < text_.size() &&
             (is_word(text_[end]) || text_[end] == '-' || text_[end] == '.')) {
        ++end;
      }
      take(page, text_.substr(at_, end - at_));
      at_ = end;
      return;
    }
    if (!skip(" ")) {
      return;
    }
    while (listed(page)) {
      const size_t before = at_;
      if (!skip(", and ") && !skip(", ") && !skip(" and ") && !skip("; ")) {
        return;
      }
      if (!begins_item()) {
        at_ = before;
        return;
      }
    }
  }

  bool begins_item() const {
    for (const std::string_view word : {"section", "scenario", "row"}) {
      if (text_.compare(at_, word.size(), word) == 0) {
        return true;
      }
    }
    return end_of_id(text_, at_) > at_ || section_length() > 0 || !kind_.empty();
  }

  // A plain number is a section's: 7, 11A.
  size_t section_length() const {
    const size_t count = digits_at(text_, at_);
    size_t end = at_ + count;
    end += count > 0 && end < text_.size() && is_upper(text_[end]) ? 1u : 0u;
    const bool whole = end == text_.size() || !(is_word(text_[end]) || text_[end] == '%');
    return count > 0 && count < 4 && whole ? end - at_ : 0;
  }

  bool listed(const std::string& page) {
    for (const std::string_view word : {"sections ", "section ", "scenarios ", "scenario "}) {
      if (skip(word)) {
        kind_ = word.substr(0, word.starts_with("section") ? 7 : 8);
      }
    }
    if (skip("rows ") || skip("row ")) {
      kind_.clear();
    }
    size_t end = end_of_id(text_, at_);
    if (end > at_ && !(kind_ == "section" && is_digit(text_[at_]))) {
      range(page, end);
      kind_.clear();
      return true;
    }
    const std::string number =
        end > at_ ? text_.substr(at_, end - at_) : text_.substr(at_, section_length());
    if (number.empty()) {
      kind_.clear();
      return false;
    }
    at_ += number.size();
    take(page, (kind_.empty() ? "section" : kind_) + "-" + number);
    if (kind_ == "scenario" && (skip("-") || skip(" to "))) {
      const std::string last = text_.substr(at_, digits_at(text_, at_));
      at_ += last.size();
      between(page, "scenario-" + number, "scenario-" + last);
    }
    return true;
  }

  // An id up to `end`, or the range that begins with it.
  void range(const std::string& page, size_t end) {
    std::string first = text_.substr(at_, end - at_);
    at_ = end;
    const size_t before = at_;
    if (skip("-") || skip(" to ") || skip("..")) {
      const size_t last_end = end_of_id(text_, at_);
      const std::string last = text_.substr(at_, last_end - at_);
      const bool same_kind = !last.empty() && is_upper(last[0]) == is_upper(first[0]) &&
                             (is_digit(first[0]) || first[0] == last[0]);
      if (same_kind) {
        at_ = last_end;
        between(page, first, last);
        return;
      }
      at_ = before;
    }
    // A section of disruption.md is as good as a rule of job-controller.md there.
    if (is_digit(first[0]) && specification_.find(page, first) < 0) {
      first = "section-" + first;
    }
    take(page, first);
  }

  void between(const std::string& page, const std::string& first, const std::string& last) {
    int from = specification_.find(page, first);
    int to = specification_.find(page, last);
    const bool sections = from < 0 && to < 0;
    if (sections) {
      from = specification_.find(page, "section-" + first);
      to = specification_.find(page, "section-" + last);
    }
    if (from < 0 || to < 0 || to < from) {
      found_.unknown.push_back(page + ".md " + first + "-" + last);
      return;
    }
    for (int rule = from; rule <= to; ++rule) {
      if (specification_.rules()[static_cast<size_t>(rule)].is_section() == sections) {
        found_.rules.push_back(rule);
      }
    }
  }

  void bare_id() {
    const size_t end = end_of_id(text_, at_);
    const std::string id = text_.substr(at_, end - at_);
    if (is_digit(id[0]) && !pages_.bare_numbers) {
      at_ = end;
      return;
    }
    const std::string page = page_of_bare(id);
    if (page.empty()) {
      found_.unknown.push_back(id);
      at_ = end;
      return;
    }
    range(page, end);
  }

  std::string page_of_bare(const std::string& id) const {
    for (const auto& page : pages_.of_comments) {
      if (specification_.find(page, id) >= 0) {
        return page;
      }
    }
    return "";
  }

  void take(const std::string& page, const std::string& id) {
    const int rule = specification_.find(page, id);
    if (rule < 0) {
      found_.unknown.push_back(page + ".md " + id);
    } else {
      found_.rules.push_back(rule);
    }
  }

  const Specification& specification_;
  const std::string& text_;
  const Pages& pages_;
  size_t at_ = 0;
  bool in_code_ = false;  // between backticks
  std::string kind_;      // of the numbers in a list: section, scenario
  Citations found_;
};

}  // namespace

const Pages& pages_of(std::string_view path) {
  static const std::vector<std::string> job_first{"job-controller", "safety", "api", "disruption"};
  static const std::vector<std::string> safety_first{"safety", "job-controller", "api",
                                                     "disruption"};
  static const std::vector<std::string> node_first{"disruption", "safety", "api", "job-controller"};
  static const std::vector<std::string> api_first{"api", "safety", "disruption", "job-controller"};
  static const Pages engine{safety_first, job_first, true, false};
  static const Pages job{safety_first, safety_first, true, false};
  static const Pages reports{safety_first, safety_first, false, false};
  static const Pages node{node_first, node_first, false, true};
  static const Pages api{api_first, api_first, false, false};
  static const std::vector<std::pair<std::string_view, const Pages*>> by_place = {
      {"evict", &node},
      {"pod_condition", &node},
      {"src/controllers/garbage", &api},
      {"src/controllers/namespaces", &api},
      {"src/controllers/ttl", &api},
      {"src/controllers/job", &job},
      {"src/controllers", &node},
      {"src/engine", &engine},
      {"src/logind", &node},
      {"src/node", &node},
      {"src/placement", &node},
      {"src/policy", &node},
      {"src/scheduler", &node},
      {"src/supervisor", &node},
      {"src/verify", &job},
      {"tests/crash", &job},
      {"tests/pods", &node},
      {"tests/verify", &job},
      {"docs/spec/disruption", &node},
      {"docs/spec/job-controller", &reports},
      {"docs/spec/safety", &reports},
      {"docs/reference/differences", &job},
      {"docs/reference/exploration", &reports},
      {"docs/reference/testing", &reports},
  };
  for (const auto& [place, pages] : by_place) {
    if (path.find(place) != std::string_view::npos) {
      return *pages;
    }
  }
  return api;
}

void Specification::add_page(const std::string& page, const std::vector<std::string>& lines) {
  constexpr std::string_view kOpen = "<a id=\"";
  auto& places = by_page_[page];
  for (const auto& line : lines) {
    const size_t open = line.find(kOpen);
    if (open == std::string::npos) {
      continue;
    }
    const size_t begin = open + kOpen.size();
    const size_t end = line.find('"', begin);
    const std::string id = line.substr(begin, end - begin);
    const bool added = places.emplace(id, static_cast<int>(rules_.size())).second;
    if (!added) {
      throw std::invalid_argument(page + ".md has two rules " + id);
    }
    rules_.push_back({page, id, line});
  }
}

int Specification::find(const std::string& page, const std::string& id) const {
  const auto places = by_page_.find(page);
  if (places == by_page_.end() || id.empty()) {
    return -1;
  }
  if (const auto rule = places->second.find(id); rule != places->second.end()) {
    return rule->second;
  }
  if (!is_lower(id.back())) {
    return -1;
  }
  const auto whole = places->second.find(id.substr(0, id.size() - 1));
  const bool has_part =
      whole != places->second.end() && rules_[static_cast<size_t>(whole->second)].text.find(
                                           std::string("(") + id.back() + ")") != std::string::npos;
  return has_part ? whole->second : -1;
}

Specification read_specification(const std::string& folder) {
  Specification specification;
  for (const char* page : {"api", "disruption", "job-controller", "safety"}) {
    std::ifstream in(std::filesystem::path(folder) / (std::string(page) + ".md"));
    std::vector<std::string> lines;
    for (std::string line; std::getline(in, line);) {
      lines.push_back(line);
    }
    specification.add_page(page, lines);
  }
  return specification;
}

Citations citations_in(const Specification& specification, const std::string& text,
                       const Pages& pages, Bare bare) {
  return Reader(specification, text, pages).read(bare);
}

Texts texts_of(const std::vector<std::string>& lines) {
  Texts texts;
  bool goes_on = false;  // the line before was nothing but a comment
  for (const auto& line : lines) {
    std::string literal;
    size_t comment = std::string::npos;
    bool quoted = false;
    for (size_t i = 0; i < line.size() && comment == std::string::npos; ++i) {
      if (quoted && line[i] == '\\') {
        ++i;
      } else if (line[i] == '"') {
        quoted = !quoted;
        literal += ' ';
      } else if (quoted) {
        literal += line[i];
      } else if (line.compare(i, 2, "//") == 0) {
        comment = i;
      }
    }
    if (!literal.empty()) {
      texts.strings.push_back(std::move(literal));
    }
    const bool alone = line.find_first_not_of(' ') == comment && comment != std::string::npos;
    if (comment != std::string::npos) {
      const std::string text = line.substr(std::min(line.size(), comment + 3));
      if (alone && goes_on) {
        texts.comments.back() += ' ' + text;
      } else {
        texts.comments.push_back(text);
      }
    }
    goes_on = alone;
  }
  return texts;
}

namespace {

// E6_, 2_41_: the next part of a test's name and what is left of it.
std::optional<std::string> next_part(std::string& name) {
  const size_t end = name.find('_');
  if (end == std::string::npos || end + 1 == name.size()) {
    return std::nullopt;
  }
  std::string part = name.substr(0, end);
  name.erase(0, end + 1);
  return part;
}

// Scenario14And15: what follows `word`, which is cut off with it.
std::string cut_off(std::string& part, std::string_view word) {
  const size_t at = part.find(word);
  if (at == std::string::npos) {
    return "";
  }
  std::string rest = part.substr(at + word.size());
  part.resize(at);
  return rest;
}

// 41, 62a
bool is_number(const std::string& part) {
  const size_t count = digits_at(part, 0);
  return count > 0 && (count == part.size() || (count + 1 == part.size() && is_lower(part.back())));
}

// Letters, then digits, then perhaps a letter: {"E", "9a"}; {"", ""} for anything else.
std::pair<std::string, std::string> split(const std::string& part) {
  size_t letters = 0;
  while (letters < part.size() && (is_upper(part[letters]) || is_lower(part[letters]))) {
    ++letters;
  }
  std::string number = part.substr(letters);
  if (!is_number(number)) {
    return {};
  }
  return {part.substr(0, letters), std::move(number)};
}

// The rules that a letter and a number in a test's name may mean on a page.
int in_name(const Specification& specification, const std::string& page, const std::string& letter,
            const std::string& number) {
  const std::string id = page == "disruption" ? letter + "-" + number : letter + number;
  const int rule = specification.find(page, id);
  if (rule >= 0 || page != "disruption" || letter != "S") {
    return rule;
  }
  return specification.find(page, "scenario-" + number);
}

}  // namespace

Citations citations_of_test(const Specification& specification, const std::string& name,
                            const Pages& pages) {
  Citations found;
  const auto take = [&](const std::string& page, const std::string& id) {
    const int rule = specification.find(page, id);
    if (rule < 0) {
      found.unknown.push_back(page + ".md " + id);
    } else {
      found.rules.push_back(rule);
    }
  };
  std::string rest = name;
  while (auto part = next_part(rest)) {
    const std::string second_of_two = cut_off(*part, "And");
    const auto [letters, number] = split(*part);
    std::string after = rest;
    const auto second = next_part(after);
    const bool two_numbers = second && is_number(*second) && is_number(number);
    const bool names_rule = letters.empty() || letters == "R" || letters == "D" ||
                            letters == "Rule" || letters == "Rules" || letters == "Jc" ||
                            letters == "Section";
    if (number.empty()) {
      break;
    }
    if (letters == "KEP" || letters == "Row") {
      continue;
    }
    if (two_numbers && names_rule) {  // Rule2_41, D10_79, 10_60
      take("job-controller", number + "." + *second);
      rest = after;
    } else if (letters == "Scenario") {
      take("disruption", "scenario-" + number);
      if (!second_of_two.empty()) {
        take("disruption", "scenario-" + second_of_two);
      }
    } else if (letters == "Section" || letters == "Rules" || letters == "Rule") {
      take(pages.bare_numbers ? "job-controller" : pages.of_names.front(), "section-" + number);
    } else if (letters.size() == 1) {
      bool any = false;
      for (const auto& page : pages.of_names) {
        const int rule = in_name(specification, page, letters, number);
        if (rule >= 0 && (!any || pages.every_match)) {
          found.rules.push_back(rule);
          any = true;
        }
      }
      if (!any) {
        found.unknown.push_back(*part);
      }
    }
  }
  return found;
}

}  // namespace windlass::house
