// The annotation in which a Job's record travels may be edited by anyone. Whatever it says, reading
// it ends, stays within its bounds, and what was read is written as a text that reads the same.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "engine/state/record.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace windlass::engine;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const JobRecord read = parse_record(own_record(text, "u"));
  CHECK(read.backoff.failures() <= static_cast<int64_t>(kMaxBackoffFailures), "bounded");
  CHECK(read.counts.entries().size() <= IndexCounts::kMaxEntries, "bounded");
  const JobRecord again = parse_record(format_record(read));
  CHECK(format_record(again) == format_record(read), "a record reads as it was written");
  return 0;
}
