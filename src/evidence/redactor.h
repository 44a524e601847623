// Replaces the values of Secrets in text that is kept. Bytes, not characters: it comes before the
// text is made UTF-8. A value counts in several forms: as it is, without the white space around it,
// each longer line of it, and as base64. What has fewer than kMinSecretBytes is left: replacing
// it would damage the text more than it hides. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace windlass::evidence {

inline constexpr size_t kMinSecretBytes = 4;
inline constexpr std::string_view kRedacted = "[redacted]";

class Redactor {
 public:
  Redactor() = default;
  explicit Redactor(const std::vector<std::string>& values);

  // Where the text was cut off, the rest of a value may stand there: it goes, too.
  enum class Cut { none, front, back, both };
  std::string redact(std::string_view text, Cut cut = Cut::none) const;
  bool empty() const { return forms_.empty(); }

 private:
  std::vector<std::string> forms_;  // the longest first
};

}  // namespace windlass::evidence
