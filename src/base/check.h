// A broken invariant ends the program, in release builds too: going on would turn a bug into lost
// or wrong data. Never used for bad input; bad input is a Result.
#pragma once

#include <string_view>

namespace windlass {

// Prints "file:line: CHECK failed: condition (why)" to standard error and aborts.
[[noreturn]] void check_failed(const char* file, int line, const char* condition,
                               std::string_view why);

}  // namespace windlass

#define CHECK(condition, why)                                          \
  do {                                                                 \
    if (!(condition)) [[unlikely]] {                                   \
      ::windlass::check_failed(__FILE__, __LINE__, #condition, (why)); \
    }                                                                  \
  } while (false)
