// Text that is made once and then only handed on: copies share it, so that half a megabyte of
// indexes is not copied from a draft to a decision to a stored status.
#pragma once

#include <memory>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>

namespace windlass::engine {

class SharedText {
 public:
  SharedText() = default;
  // Implicit: it stands wherever a string would.
  SharedText(std::string text)
      : text_(text.empty() ? nullptr : std::make_shared<const std::string>(std::move(text))) {}
  SharedText(const char* text) : SharedText(std::string(text)) {}

  const std::string& str() const {
    static const std::string kEmpty;
    return text_ != nullptr ? *text_ : kEmpty;
  }
  operator std::string_view() const { return str(); }
  bool empty() const { return text_ == nullptr; }
  size_t size() const { return str().size(); }

  bool operator==(const SharedText& other) const {
    return text_ == other.text_ || str() == other.str();
  }
  friend std::ostream& operator<<(std::ostream& out, const SharedText& text) {
    return out << '"' << text.str() << '"';
  }

 private:
  std::shared_ptr<const std::string> text_;  // never of an empty one
};

}  // namespace windlass::engine
