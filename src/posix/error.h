#pragma once

#include <string_view>

#include "base/status.h"

namespace windlass::posix {

// `open job.yaml: no such file or directory`, as Go programs say it. `error` is an errno.
Status system_error(std::string_view operation, std::string_view path, int error);

}  // namespace windlass::posix
