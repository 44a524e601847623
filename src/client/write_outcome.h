// A write without an answer may have been applied; one that never left has not. Who sends writes
// says which it was, who plans the next ones asks. Pure; any thread.
#pragma once

#include <string>
#include <utility>

#include "base/status.h"

namespace windlass::client {

// The request did not leave this process: it has certainly not been applied.
inline Status not_sent(std::string why) {
  return {503, "NotSent", std::move(why), {}};
}
inline bool is_not_sent(const Status& status) {
  return status.reason == "NotSent";
}

}  // namespace windlass::client
