// A pull scanner over JSON text: checks the grammar and hands out one token after the other, with
// its place in the text. Not the fast path (simdjson is): it serves where source text or positions
// matter, and says what is wrong in the words of Go's encoding/json, which users of Kubernetes
// know. The text must outlive it. Depth is bounded and nothing recurses.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace windlass::api {

inline constexpr size_t kMaxJsonDepth = 1000;

enum class JsonToken {
  begin_object,
  end_object,
  begin_array,
  end_array,
  key,
  string,
  number,
  literal,  // true, false, null
  end,
  error,
};

class JsonScanner {
 public:
  explicit JsonScanner(std::string_view text, size_t start = 0) : text_(text), at_(start) {}

  // The next token of a text that is one value. `end` and `error` repeat.
  JsonToken next();
  // The same, but `end` comes right behind the value, whatever follows it.
  JsonToken next_of_stream();

  // The token as it stands in the text, quotes included.
  std::string_view text() const { return text_.substr(token_start_, token_end_ - token_start_); }
  size_t offset() const { return token_start_; }
  size_t end_offset() const { return at_; }
  // How many objects and arrays are open behind this token.
  size_t depth() const { return open_.size(); }

  const std::string& error() const { return error_; }
  bool too_deep() const { return too_deep_; }

 private:
  enum class Expect { value, first_element, key, first_key, comma, nothing };

  bool in_object() const { return open_.back() == '{'; }
  bool at_end() const { return at_ >= text_.size(); }
  bool sees(char c) const { return !at_end() && text_[at_] == c; }
  void skip_space();

  JsonToken value();
  JsonToken key();
  JsonToken comma();
  JsonToken open(char bracket, Expect inside, JsonToken token);
  JsonToken close(JsonToken token);
  JsonToken complete(JsonToken token);
  bool scan_string();
  bool scan_escape();
  bool scan_number();
  bool scan_digits(std::string_view context);
  bool scan_word(std::string_view word);
  // Remembers what is wrong with the byte here; false, so that callers can return it.
  bool wrong(std::string_view context);
  JsonToken error_token(std::string_view context);

  std::string_view text_;
  size_t at_;
  size_t token_start_ = 0;
  size_t token_end_ = 0;
  std::string open_;  // one bracket per level
  Expect expect_ = Expect::value;
  std::string error_;
  bool too_deep_ = false;
};

// What is wrong with the text, or "" when it is one JSON value.
std::string json_syntax_error(std::string_view text);

}  // namespace windlass::api
