#include "posix/error.h"

#include <fmt/format.h>

#include <string>
#include <system_error>

namespace windlass::posix {

Status system_error(std::string_view operation, std::string_view path, int error) {
  // Not strerror, which is not safe with threads.
  std::string reason = std::generic_category().message(error);
  // "Is a directory" reads better in the middle of a line; "I/O error" keeps its capitals.
  if (reason.size() > 1 && reason[0] >= 'A' && reason[0] <= 'Z' &&
      (reason[1] == ' ' || (reason[1] >= 'a' && reason[1] <= 'z'))) {
    reason[0] = static_cast<char>(reason[0] - 'A' + 'a');
  }
  return plain_error(fmt::format("{} {}: {}", operation, path, reason));
}

}  // namespace windlass::posix
