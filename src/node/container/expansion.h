// $(NAME) in a container's environment, command and arguments, within what the kernel takes as the
// arguments of a program. Values may name one another, so a short object can ask for more memory
// than there is: what does not fit is an error before it is made. Pure.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace windlass::node {

using Variables = std::map<std::string, std::string, std::less<>>;

// Of one argument or variable, its final NUL included: MAX_ARG_STRLEN of the kernel, 32 pages.
inline constexpr size_t kMaxArgumentBytes = 128 * 1024;
// Of all together: a quarter of the usual stack of 8 MiB (ARG_MAX). A machine with a smaller stack
// refuses less than that by itself.
inline constexpr size_t kMaxArgumentsBytes = 2 * 1024 * 1024;

// $(NAME) becomes the value; $$ becomes $, so that $$(NAME) stays as $(NAME); a name that is not
// known, and everything else, stays as it is. Nothing when that is more than `limit` bytes.
std::optional<std::string> expand(std::string_view text, const Variables& values, size_t limit);

// The program cannot be started with what it is given, now or later: a StartError, as where the
// kernel itself refuses (E2BIG).
Status start_refused(std::string message);
bool is_start_refused(const Status& status);

// Counts the strings of one container. What is written over by a later variable counts too, for it
// takes time all the same.
class ArgumentRoom {
 public:
  // `what` names the string in the error: `env A`, `args[2]`.
  Result<void> take(std::string_view what, size_t bytes);
  // Expands within the room, `extra` bytes for the variable's name among it.
  Result<std::string> expand(std::string_view what, std::string_view text, const Variables& values,
                             size_t extra = 0);

 private:
  size_t left_ = kMaxArgumentsBytes;
};

}  // namespace windlass::node
