#include "http/message.h"

#include <algorithm>

namespace windlass::http {
namespace {

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

}  // namespace

std::optional<std::string_view> find_header(const Headers& headers, std::string_view name) {
  for (const Header& header : headers) {
    if (std::equal(header.name.begin(), header.name.end(), name.begin(), name.end(),
                   [](char a, char b) { return lower(a) == lower(b); })) {
      return header.value;
    }
  }
  return std::nullopt;
}

}  // namespace windlass::http
