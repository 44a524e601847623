// Character classes that do not ask the locale. Pure; any thread.
#pragma once

namespace windlass {

constexpr bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

}  // namespace windlass
