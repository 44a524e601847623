#include "http/message.h"

#include "http/characters.h"

namespace windlass::http {

std::optional<std::string_view> find_header(const Headers& headers, std::string_view name) {
  for (const Header& header : headers) {
    if (same_ignoring_case(header.name, name)) {
      return header.value;
    }
  }
  return std::nullopt;
}

std::string Response::take_body() {
  if (make_body) {
    return make_body();
  }
  return shared ? *shared : std::move(body);
}

}  // namespace windlass::http
