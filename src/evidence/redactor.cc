#include "evidence/redactor.h"

#include <algorithm>
#include <utility>

#include "api/codec/base64.h"
#include "base/utf8.h"

namespace windlass::evidence {
namespace {

// Of a value with several lines, such as a key: shorter ones are dashes and words.
constexpr size_t kMinLineBytes = 8;

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  const size_t first = text.find_first_not_of(kSpace);
  return first == std::string_view::npos
             ? std::string_view()
             : text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

void add_form(std::string_view form, std::vector<std::string>& forms) {
  if (form.size() >= kMinSecretBytes) {
    forms.emplace_back(form);
    // A node writes what is not UTF-8 in another way.
    std::string shown = readable(form, form.size());
    if (shown != form) {
      forms.push_back(std::move(shown));
    }
  }
}

void add_base64(std::string_view value, std::vector<std::string>& forms) {
  if (value.size() >= kMinSecretBytes) {
    std::string encoded;
    api::append_base64(value, encoded);
    encoded.resize(encoded.find_last_not_of('=') + 1);
    forms.push_back(std::move(encoded));
  }
}

void add_lines(std::string_view value, std::vector<std::string>& forms) {
  while (!value.empty()) {
    const size_t end = value.find('\n');
    const std::string_view line = trimmed(value.substr(0, end));
    if (line.size() >= kMinLineBytes) {
      add_form(line, forms);
    }
    value.remove_prefix(end == std::string_view::npos ? value.size() : end + 1);
  }
}

// The longest rest of the form that the text begins with.
size_t rest_at_front(std::string_view text, std::string_view form) {
  for (size_t length = std::min(form.size() - 1, text.size()); length >= kMinSecretBytes;
       --length) {
    if (text.starts_with(form.substr(form.size() - length))) {
      return length;
    }
  }
  return 0;
}

size_t start_at_back(std::string_view text, std::string_view form) {
  for (size_t length = std::min(form.size() - 1, text.size()); length >= kMinSecretBytes;
       --length) {
    if (text.ends_with(form.substr(0, length))) {
      return length;
    }
  }
  return 0;
}

std::string replace_all(std::string_view text, std::string_view form) {
  std::string out;
  for (size_t found = text.find(form); found != std::string_view::npos; found = text.find(form)) {
    out.append(text.substr(0, found)).append(kRedacted);
    text.remove_prefix(found + form.size());
  }
  return out.append(text);
}

}  // namespace

Redactor::Redactor(const std::vector<std::string>& values) {
  for (const std::string& value : values) {
    const std::string_view inner = trimmed(value);
    add_form(value, forms_);
    add_base64(value, forms_);
    if (inner.size() != value.size()) {
      add_form(inner, forms_);
      add_base64(inner, forms_);
    }
    if (inner.find('\n') != std::string_view::npos) {
      add_lines(inner, forms_);
    }
  }
  std::sort(forms_.begin(), forms_.end(), [](const std::string& a, const std::string& b) {
    return a.size() != b.size() ? a.size() > b.size() : a < b;
  });
  forms_.erase(std::unique(forms_.begin(), forms_.end()), forms_.end());
}

std::string Redactor::redact(std::string_view text, Cut cut) const {
  size_t front = 0;
  size_t back = 0;
  for (const std::string& form : forms_) {
    if (cut == Cut::front || cut == Cut::both) {
      front = std::max(front, rest_at_front(text, form));
    }
    if (cut == Cut::back || cut == Cut::both) {
      back = std::max(back, start_at_back(text, form));
    }
  }
  front = std::min(front, text.size());
  back = std::min(back, text.size() - front);
  std::string inner(text.substr(front, text.size() - front - back));
  for (const std::string& form : forms_) {
    if (inner.find(form) != std::string::npos) {
      inner = replace_all(inner, form);
    }
  }
  return (front > 0 ? std::string(kRedacted) : std::string()) + inner +
         (back > 0 ? std::string(kRedacted) : std::string());
}

}  // namespace windlass::evidence
