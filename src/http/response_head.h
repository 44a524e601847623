// The head of an answer as bytes. Framing and the connection are the transport's business: what a
// handler says about them (Content-Length, Transfer-Encoding, Connection, Date) is left out. No
// header can break out of its line, whatever is in it. Pure; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/time.h"
#include "http/message.h"

namespace windlass::http {

struct Framing {
  std::optional<uint64_t> content_length = std::nullopt;
  bool chunked = false;
  bool close = false;          // the connection ends after this answer
  std::string_view upgrade{};  // what it is used for from now on; "" for HTTP
  std::string_view date{};     // as http_date() has it; "" for none
};

// Whether a handler may say this header at all: a name, and none that is the transport's business.
bool is_header_to_send(std::string_view name);
// Without what could break out of its line.
std::string clean_header_value(std::string_view value);

// Those of a handler that may be said, cleaned, with names in lower case as HTTP/2 has them.
Headers lower_case_headers(const Headers& headers);

std::string response_head(int status, const Headers& headers, const Framing& framing);

// `Not Found`; "" for what is not known.
std::string_view reason_phrase(int status);

// `Sun, 06 Nov 1994 08:49:37 GMT`.
std::string http_date(Time time);

// Whether an answer to this request, with this status, has a body at all.
bool may_have_body(std::string_view method, int status);

}  // namespace windlass::http
