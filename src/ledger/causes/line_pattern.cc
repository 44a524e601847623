#include "ledger/causes/line_pattern.h"

#include <algorithm>
#include <optional>

#include "base/ascii.h"
#include "base/plain_line.h"
#include "base/utf8.h"

namespace windlass::ledger {
namespace {

constexpr std::string_view kCut = "...";
// Shorter names are words that a line may use for something else.
constexpr size_t kMinNameBytes = 4;
// Random identifiers change between letters and digits at least this often.
constexpr int kMinIdChanges = 3;
// Of words that mix hexadecimal letters and digits: a short commit has 7.
constexpr size_t kMinHexBytes = 7;

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || static_cast<unsigned char>(c) >= 0x80;
}
bool is_word(char c) {
  return is_digit(c) || is_letter(c);
}
bool is_hex(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}
bool is_one_of(std::string_view set, char c) {
  return set.find(c) != std::string_view::npos;
}

// Runs of blanks become one.
std::string collapsed(std::string_view line) {
  std::string text;
  text.reserve(line.size());
  for (const char c : line) {
    if (c != ' ' || (!text.empty() && text.back() != ' ')) {
      text += c;
    }
  }
  if (text.ends_with(' ')) {
    text.pop_back();
  }
  return text;
}

// Reads forms at one place of a text. Each function answers where the form ends, or nothing.
class FormReader {
 public:
  explicit FormReader(std::string_view text) : text_(text) {}

  using End = std::optional<size_t>;

  // 2026-01-02, with a clock behind it or not; or a clock alone.
  End time(size_t at) const {
    const End date_end = date(at);
    if (!date_end) {
      return ends_word(clock(at));
    }
    if (*date_end < text_.size() && is_one_of("T _", text_[*date_end])) {
      if (const End clock_end = ends_word(clock(*date_end + 1))) {
        return clock_end;
      }
    }
    return ends_word(date_end);
  }

  // 1h2m3.5s
  End duration(size_t at) const {
    const size_t begin = at;
    while (const End number = digits(at)) {
      at = *number;
      if (const End fraction = is_at(at, ".") ? digits(at + 1) : std::nullopt) {
        at = *fraction;
      }
      const size_t unit = unit_length(at);
      if (unit == 0) {
        return std::nullopt;
      }
      at += unit;
    }
    return at == begin ? std::nullopt : ends_word(at);
  }

  End uuid(size_t at) const {
    const size_t begin = at;
    bool has_digit = false;
    for (const size_t group : {8U, 4U, 4U, 4U, 12U}) {
      if (at != begin) {
        if (!is_at(at, "-")) {
          return std::nullopt;
        }
        ++at;
      }
      for (size_t i = 0; i < group; ++i, ++at) {
        if (at == text_.size() || !is_hex(text_[at])) {
          return std::nullopt;
        }
        has_digit = has_digit || is_digit(text_[at]);
      }
    }
    return has_digit ? ends_word(at) : std::nullopt;
  }

  // A number with its further digits: 1.5, 1,000, 10.0.0.7, 1e-05.
  size_t number(size_t at) const {
    at = *digits(at);
    while (is_at(at, ".") || is_at(at, ",")) {
      const End more = digits(at + 1);
      if (!more) {
        break;
      }
      at = *more;
    }
    if (is_at(at, "e") || is_at(at, "E")) {
      const bool has_sign = is_at(at + 1, "-") || is_at(at + 1, "+");
      if (const End exponent = ends_word(digits(at + (has_sign ? 2 : 1)))) {
        return *exponent;
      }
    }
    return at;
  }

  // To the next blank, quote or bracket, without the punctuation of the sentence.
  End path(size_t at) const {
    size_t end = at;
    while (end < text_.size() && !is_one_of(" \"'`<>()[]{},;|", text_[end])) {
      ++end;
    }
    while (end > at && is_one_of(".:!?", text_[end - 1])) {
      --end;
    }
    const bool has_word = std::any_of(text_.begin() + static_cast<std::ptrdiff_t>(at),
                                      text_.begin() + static_cast<std::ptrdiff_t>(end), is_word);
    return has_word ? End(end) : std::nullopt;
  }

  // One word with digits between quotes, up to the closing one.
  End quoted_id(size_t at) const {
    const char quote = text_[at];
    bool has_digit = false;
    for (size_t end = at + 1; end < text_.size() && text_[end] != ' '; ++end) {
      if (text_[end] == quote) {
        return has_digit ? End(end) : std::nullopt;
      }
      has_digit = has_digit || is_digit(text_[end]);
    }
    return std::nullopt;
  }

  bool is_at(size_t at, std::string_view piece) const {
    return at <= text_.size() && text_.substr(at).starts_with(piece);
  }

  // Nothing where the word goes on.
  End ends_word(End end) const {
    return end && *end < text_.size() && is_word(text_[*end]) ? std::nullopt : end;
  }

 private:
  End digits(size_t at) const {
    const size_t begin = at;
    while (at < text_.size() && is_digit(text_[at])) {
      ++at;
    }
    return at == begin ? std::nullopt : End(at);
  }
  End exactly(size_t count, size_t at) const {
    const End end = digits(at);
    return end && *end - at == count ? end : std::nullopt;
  }

  End date(size_t at) const {
    const End year = exactly(4, at);
    if (!year || *year == text_.size() || !is_one_of("-/.", text_[*year])) {
      return std::nullopt;
    }
    const End month = exactly(2, *year + 1);
    if (!month || !is_at(*month, text_.substr(*year, 1))) {
      return std::nullopt;
    }
    return exactly(2, *month + 1);
  }

  // 12:03:07.5, with a zone or not.
  End clock(size_t at) const {
    const End hour = digits(at);
    const End minute = hour && is_at(*hour, ":") ? digits(*hour + 1) : std::nullopt;
    const End second = minute && is_at(*minute, ":") ? digits(*minute + 1) : std::nullopt;
    if (!second) {
      return std::nullopt;
    }
    size_t end = *second;
    if (is_at(end, ".") || is_at(end, ",")) {
      end = digits(end + 1).value_or(end);
    }
    return zone(end);
  }
  size_t zone(size_t at) const {
    if (is_at(at, "Z")) {
      return at + 1;
    }
    const size_t sign = is_at(at, " ") ? at + 1 : at;
    if (!is_at(sign, "+") && !is_at(sign, "-")) {
      return at;
    }
    const End four = exactly(4, sign + 1);
    const End hour = exactly(2, sign + 1);
    const End minute = hour && is_at(*hour, ":") ? exactly(2, *hour + 1) : std::nullopt;
    return four ? *four : minute.value_or(at);
  }

  size_t unit_length(size_t at) const {
    for (const std::string_view unit : {"ms", "us", "\xc2\xb5s", "ns", "h", "m", "s"}) {
      if (is_at(at, unit)) {
        return unit.size();
      }
    }
    return 0;
  }

  std::string_view text_;
};

class PatternWriter {
 public:
  PatternWriter(std::string_view text, const LineNames& names)
      : text_(text), names_(names), forms_(text) {}

  std::string write() {
    while (at_ < text_.size() && !full_) {
      step();
    }
    return std::move(out_);
  }

 private:
  void step() {
    const char c = text_[at_];
    if (is_word(c) && starts_word()) {
      take_word();
    } else if (is_digit(c)) {
      replace(forms_.number(at_), "N");
    } else if (is_one_of("\"'`", c) && starts_word()) {
      take_quote();
    } else if (is_one_of("/.~", c) && starts_token() && is_path_start()) {
      take(forms_.path(at_), "PATH");
    } else if (is_one_of("+-", c) && starts_token() && at_ + 1 < text_.size() &&
               is_digit(text_[at_ + 1])) {
      ++at_;  // the sign of a number
    } else if (c == '[' && out_.empty() && skip_bracketed_time()) {
      return;
    } else if (c == ':' && at_ > 0 && is_word(text_[at_ - 1]) && take_rest_of_url(at_)) {
      return;
    } else {
      copy(std::max<size_t>(utf8_length(text_, at_), 1));
    }
  }

  bool starts_word() const { return at_ == 0 || !is_word(text_[at_ - 1]); }
  bool starts_token() const { return at_ == 0 || is_one_of(" \"'`=:([{<>,;|@", text_[at_ - 1]); }

  void take_word() {
    if (take_name(names_.pod, "POD") || take_name(names_.node, "NODE") ||
        take_rest_of_url(word_end())) {
      return;
    }
    if (is_hex(text_[at_]) && take(forms_.uuid(at_), "UUID")) {
      return;
    }
    if (is_digit(text_[at_])) {
      if (const auto time = forms_.time(at_)) {
        return out_.empty() && forms_.is_at(*time, " ") ? skip_to(*time + 1)
                                                        : replace(*time, "TIME");
      }
      if (take(forms_.duration(at_), "DURATION")) {
        return;
      }
    }
    const size_t end = word_end();
    if (is_id(text_.substr(at_, end - at_))) {
      replace(end, "N");
    } else if (is_digit(text_[at_])) {
      replace(forms_.number(at_), "N");
    } else {
      copy(letters_end() - at_);
    }
  }

  bool take_name(std::string_view name, std::string_view placeholder) {
    if (name.size() < kMinNameBytes || !forms_.is_at(at_, name)) {
      return false;
    }
    return take(forms_.ends_word(at_ + name.size()), placeholder);
  }

  // `scheme://rest`, of which `://rest` begins at `at`.
  bool take_rest_of_url(size_t at) {
    constexpr std::string_view kMark = "://";
    return forms_.is_at(at, kMark) && take(forms_.path(at + kMark.size()), "URL");
  }

  bool is_path_start() const {
    for (const std::string_view start : {"/", "./", "../", "~/"}) {
      if (forms_.is_at(at_, start)) {
        return forms_.path(at_).has_value();
      }
    }
    return false;
  }

  // A word with digits in quotes, unless a path begins there.
  void take_quote() {
    const auto end = forms_.quoted_id(at_);
    const bool is_path = at_ + 1 < text_.size() && is_one_of("/.~", text_[at_ + 1]);
    const bool is_url = end && text_.substr(at_, *end - at_).find("://") != std::string_view::npos;
    copy(1);
    if (end && !is_path && !is_url && !full_) {
      replace(*end, "ID");
      if (!full_) {
        copy(1);
      }
    }
  }

  // `[12:03:07] `
  bool skip_bracketed_time() {
    const auto time = forms_.time(at_ + 1);
    if (!time || !forms_.is_at(*time, "] ")) {
      return false;
    }
    skip_to(*time + std::string_view("] ").size());
    return true;
  }

  size_t word_end() const {
    size_t end = at_;
    while (end < text_.size() && is_word(text_[end])) {
      ++end;
    }
    return end;
  }
  size_t letters_end() const {
    size_t end = at_;
    while (end < text_.size() && is_letter(text_[end])) {
      ++end;
    }
    return end;
  }

  static bool is_id(std::string_view word) {
    const auto digits = static_cast<size_t>(std::count_if(word.begin(), word.end(), is_digit));
    if (digits == 0 || digits == word.size()) {
      return false;
    }
    if (word.starts_with("0x") || word.starts_with("0X")) {
      return std::all_of(word.begin() + 2, word.end(), is_hex);
    }
    if (word.size() >= kMinHexBytes && std::all_of(word.begin(), word.end(), is_hex)) {
      return true;
    }
    int changes = 0;
    for (size_t i = 1; i < word.size(); ++i) {
      changes += is_digit(word[i]) == is_digit(word[i - 1]) ? 0 : 1;
    }
    return changes >= kMinIdChanges;
  }

  void skip_to(size_t at) { at_ = at; }

  bool take(std::optional<size_t> end, std::string_view placeholder) {
    if (!end) {
      return false;
    }
    replace(*end, placeholder);
    return true;
  }
  void replace(size_t end, std::string_view placeholder) {
    emit(placeholder);
    at_ = end;
  }
  // Character by character, so that only the limit cuts.
  void copy(size_t bytes) {
    for (const size_t end = at_ + bytes; at_ < end && !full_;) {
      const size_t length = std::max<size_t>(utf8_length(text_, at_), 1);
      emit(text_.substr(at_, length));
      at_ += length;
    }
  }

  void emit(std::string_view piece) {
    if (out_.size() <= kMaxPatternBytes - kCut.size()) {
      cut_ = out_.size();
    }
    if (out_.size() + piece.size() > kMaxPatternBytes) {
      out_.resize(cut_);
      out_ += kCut;
      full_ = true;
    } else {
      out_ += piece;
    }
  }

  std::string_view text_;
  LineNames names_;
  FormReader forms_;
  size_t at_ = 0;
  std::string out_;
  size_t cut_ = 0;  // where the dots go if the text is too long
  bool full_ = false;
};

}  // namespace

std::string line_pattern(std::string_view line, const LineNames& names) {
  const std::string text = collapsed(plain_line(line, line.size()));
  return PatternWriter(text, names).write();
}

}  // namespace windlass::ledger
