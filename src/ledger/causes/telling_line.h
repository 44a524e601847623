// The line at the end of a log that tells why the program ended. Pure; any thread.
#pragma once

#include <cstddef>
#include <string_view>

namespace windlass::ledger {

// Lines before these are not looked at.
inline constexpr size_t kMaxLinesRead = 100;

// A part of `tail`, as the program wrote it; "" where the log has no line with a letter or digit.
//
// Usually the last line. Where the log ends with the report of a crash, the line of that report
// that says why: the exception of a Python traceback, the last cause of a Java, JavaScript or .NET
// stack trace, the message of a Go or Rust panic, a failed assertion or check, what a C++ exception
// says, the summary of a sanitizer. Lines that only say that a process ended are passed over.
std::string_view telling_line(std::string_view tail);

}  // namespace windlass::ledger
