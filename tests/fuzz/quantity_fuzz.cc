// Quantities from users: no text may crash or hang, what is printed parses to the same value and
// prints the same again, and arithmetic holds.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "base/quantity.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using windlass::Quantity;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto quantity = Quantity::parse(text);
  if (!quantity) {
    return 0;
  }
  const std::string printed = quantity->to_string();
  const auto again = Quantity::parse(printed);
  CHECK(again && *again == *quantity, "print, then parse");
  CHECK(again->to_string() == printed, "what is printed is stable");

  Quantity rounded = *quantity;
  const bool exact = rounded.round_up_to_milli();
  CHECK(exact == (rounded == *quantity), "rounding says whether it lost something");
  CHECK(rounded.milli_value() == quantity->milli_value(), "milli_value rounds the same way");

  Quantity sum = *quantity;
  sum.add(rounded);
  sum.subtract(rounded);
  CHECK(sum == *quantity, "add, then subtract");
  return 0;
}
