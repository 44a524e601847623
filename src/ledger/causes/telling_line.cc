#include "ledger/causes/telling_line.h"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <vector>

#include "base/ascii.h"

namespace windlass::ledger {
namespace {

// A program that goes on after a report of a crash did not end because of it.
constexpr size_t kMaxLinesAfterReport = 10;

bool contains_text(std::string_view line, std::string_view part) {
  return line.find(part) != std::string_view::npos;
}

bool is_blank(char c) {
  return c == ' ' || c == '\t';
}

bool says_something(std::string_view line) {
  return std::any_of(line.begin(), line.end(), [](char c) {
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           static_cast<unsigned char>(c) >= 0x80;
  });
}

bool starts_with_any(std::string_view line, std::span<const std::string_view> starts) {
  return std::any_of(starts.begin(), starts.end(),
                     [line](std::string_view start) { return line.starts_with(start); });
}

// Says that a process ended, which is known, or how to get more output.
bool is_epilogue(std::string_view line) {
  constexpr auto kStarts = std::to_array<std::string_view>({
      "exit status ",
      "note: run with `RUST_BACKTRACE",
      "note: Some details are omitted",
      "Node.js v",
      "Aborted (core dumped)",
      "make: ***",
      "*** Check failure stack trace",
      "stack backtrace:",
  });
  constexpr auto kWords = std::to_array<std::string_view>({"Aborted", "Killed", "Terminated"});
  return starts_with_any(line, kStarts) || line.ends_with("==ABORTING") ||
         std::find(kWords.begin(), kWords.end(), line) != kWords.end();
}

// The last lines of a log with something in them, the newest first.
class LastLines {
 public:
  explicit LastLines(std::string_view tail) {
    while (!tail.empty() && lines_.size() < kMaxLinesRead) {
      const size_t end = tail.rfind('\n');
      const size_t begin = end == std::string_view::npos ? 0 : end + 1;
      const std::string_view line = tail.substr(begin);
      if (says_something(line)) {
        lines_.push_back(line);
      }
      tail = tail.substr(0, end == std::string_view::npos ? 0 : end);
    }
  }

  size_t size() const { return lines_.size(); }
  // 0 is the last line. Without the blanks around it.
  std::string_view text(size_t place) const { return trimmed(lines_[place], " \t\r"); }
  bool is_indented(size_t place) const { return is_blank(lines_[place].front()); }

  // The last line that `fits(place)`.
  template <class Fits>
  std::optional<size_t> find(Fits fits) const {
    for (size_t place = 0; place < lines_.size(); ++place) {
      if (fits(place)) {
        return place;
      }
    }
    return std::nullopt;
  }
  template <class Fits>
  std::optional<size_t> find_text(Fits fits) const {
    return find([this, &fits](size_t place) { return fits(text(place)); });
  }

 private:
  std::vector<std::string_view> lines_;
};

using Place = std::optional<size_t>;

struct CrashReport {
  size_t telling = 0;
  size_t end = 0;  // its last line
};

// Frames and remarks below the telling line.
CrashReport with_frames(const LastLines& lines, size_t telling) {
  size_t end = telling;
  while (end > 0 && (lines.is_indented(end - 1) || is_epilogue(lines.text(end - 1)) ||
                     lines.text(end - 1).starts_with("Shadow byte"))) {
    --end;
  }
  return {telling, end};
}

// The exception stands behind the frames, which are indented.
std::optional<CrashReport> python_exception(const LastLines& lines) {
  const Place frame = lines.find_text([](std::string_view line) {
    return line.starts_with("File \"") && contains_text(line, ", line ");
  });
  for (size_t place = frame.value_or(0); place > 0;) {
    --place;
    if (!lines.is_indented(place)) {
      return with_frames(lines, place);
    }
  }
  return std::nullopt;
}

// The exception stands before the frames. The last one is the cause of those before it.
std::optional<CrashReport> exception_before_frames(const LastLines& lines) {
  const Place frame = lines.find([&lines](size_t place) {
    return lines.is_indented(place) && lines.text(place).starts_with("at ");
  });
  for (size_t place = frame.value_or(lines.size()); place < lines.size(); ++place) {
    if (!lines.is_indented(place) && !is_epilogue(lines.text(place))) {
      return with_frames(lines, place);
    }
  }
  return std::nullopt;
}

// The stacks of all goroutines follow, and a Go program that panics writes nothing else.
std::optional<CrashReport> go_panic(const LastLines& lines) {
  const Place stack = lines.find_text(
      [](std::string_view line) { return line.starts_with("goroutine ") && line.ends_with(":"); });
  for (size_t place = stack.value_or(lines.size()); place < lines.size(); ++place) {
    constexpr auto kStarts = std::to_array<std::string_view>({"panic: ", "fatal error: "});
    if (starts_with_any(lines.text(place), kStarts)) {
      return CrashReport{place, 0};
    }
  }
  return std::nullopt;
}

// `thread 'main' panicked at src/main.rs:2:5:` has its message on the next line; older compilers
// write `panicked at 'message', src/main.rs:2:5`.
std::optional<CrashReport> rust_panic(const LastLines& lines) {
  const Place panic = lines.find_text([](std::string_view line) {
    return line.starts_with("thread '") && contains_text(line, " panicked at ");
  });
  if (!panic) {
    return std::nullopt;
  }
  const bool has_next = *panic > 0 && lines.text(*panic).ends_with(":");
  return with_frames(lines, has_next ? *panic - 1 : *panic);
}

// One line that says all, whichever lines follow.
std::optional<CrashReport> one_line_report(const LastLines& lines) {
  constexpr auto kStarts = std::to_array<std::string_view>(
      {"what(): ", "SUMMARY: ", "Assertion failed: ", "Segmentation fault"});
  constexpr auto kParts =
      std::to_array<std::string_view>({"Assertion `", "Check failed: ", ": Assertion failed: "});
  const Place place = lines.find_text([&](std::string_view line) {
    return starts_with_any(line, kStarts) ||
           std::any_of(kParts.begin(), kParts.end(),
                       [line](std::string_view part) { return contains_text(line, part); });
  });
  return place ? std::optional(with_frames(lines, *place)) : std::nullopt;
}

}  // namespace

std::string_view telling_line(std::string_view tail) {
  const LastLines lines(tail);
  Place telling;  // of the last report
  for (const auto find :
       {python_exception, exception_before_frames, go_panic, rust_panic, one_line_report}) {
    const auto report = find(lines);
    if (report && report->end <= kMaxLinesAfterReport && (!telling || report->telling < *telling)) {
      telling = report->telling;
    }
  }
  if (!telling) {
    telling = lines.find_text([](std::string_view line) { return !is_epilogue(line); });
  }
  return lines.size() == 0 ? std::string_view() : lines.text(telling.value_or(0));
}

}  // namespace windlass::ledger
