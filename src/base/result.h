// Result<T>: a value, or the Status that says why not. Errors are values; nothing here throws.
//
//   TRY(Job job, decode(bytes));      // returns the error from the enclosing function
//   TRY_VOID(store.write(job));
//
// The one third-party header that our own headers include: see docs/decisions.
#pragma once

#include <tl/expected.hpp>
#include <utility>

#include "base/status.h"

namespace windlass {

template <class T>
using Result = tl::expected<T, Status>;

using Failure = tl::unexpected<Status>;

inline Failure fail(Status status) {
  return Failure(std::move(status));
}

}  // namespace windlass

#define WINDLASS_JOIN_INNER(a, b) a##b
#define WINDLASS_JOIN(a, b) WINDLASS_JOIN_INNER(a, b)
#define WINDLASS_TRY(temporary, declaration, expression)   \
  auto temporary = (expression);                           \
  if (!temporary) {                                        \
    return ::windlass::fail(std::move(temporary).error()); \
  }                                                        \
  declaration = *std::move(temporary)

#define TRY(declaration, expression) \
  WINDLASS_TRY(WINDLASS_JOIN(try_result_, __LINE__), declaration, expression)
#define TRY_VOID(expression)                                  \
  do {                                                        \
    if (auto try_result = (expression); !try_result) {        \
      return ::windlass::fail(std::move(try_result).error()); \
    }                                                         \
  } while (false)
