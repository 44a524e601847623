// Index lists from users and from Job status: no text may crash or hang either parser, and what is
// printed parses to the same set.
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>

#include "base/check.h"
#include "base/index_set.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using windlass::IndexSet;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const int32_t bound : {0, 100, std::numeric_limits<int32_t>::max()}) {
    const IndexSet::Stored stored = IndexSet::parse_stored(text, bound);
    CHECK(stored.set.last() < bound, "cut at the bound");
    const auto again = IndexSet::parse(stored.set.to_string(), bound);
    CHECK(again && *again == stored.set, "print, then parse");
    if (const auto strict = IndexSet::parse(text, bound)) {
      CHECK(*strict == stored.set, "both parsers read valid text the same");
      CHECK(stored.skipped.empty(), "valid text has nothing to skip");
    }
  }
  return 0;
}
