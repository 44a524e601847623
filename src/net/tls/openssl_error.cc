#include "net/tls/openssl_error.h"

#include <fmt/format.h>
#include <openssl/err.h>

namespace windlass::net {

Status openssl_error(std::string_view operation) {
  const unsigned long code = ERR_get_error();
  ERR_clear_error();
  const char* reason = code == 0 ? nullptr : ERR_reason_error_string(code);
  return plain_error(fmt::format("{}: {}", operation, reason == nullptr ? "failed" : reason));
}

}  // namespace windlass::net
