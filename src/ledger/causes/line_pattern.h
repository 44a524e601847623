// The pattern of a log line: what stays when the same thing goes wrong with another record, on
// another node, at another time. Lines with equal patterns have one cause. Pure; any thread.
//
//   record 17 is no JSON                      record N is no JSON
//   cannot open /data/part-0003.csv: denied   cannot open PATH: denied
//   12:03:07 key "user-7f3a" at 0x7ffd12      key "ID" at N
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace windlass::ledger {

inline constexpr size_t kMaxPatternBytes = 200;

// What the line may call its own pod and node; "" where that is not known.
struct LineNames {
  std::string_view pod = {};
  std::string_view node = {};
};

// N stands for numbers, hexadecimal ones and random identifiers too; UUID, TIME, DURATION, PATH and
// URL for themselves, ID for a quoted word with digits, POD and NODE for `names`. A time at the
// start is left out. Not more than kMaxPatternBytes, printable, without digits, and its own
// pattern. The work is proportional to the line.
std::string line_pattern(std::string_view line, const LineNames& names = {});

}  // namespace windlass::ledger
