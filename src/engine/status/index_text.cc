#include "engine/status/index_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>

namespace windlass::engine {
namespace {

// One printed run: a number, or two with a dash. A run of two is printed as two ("5,6").
struct Printed {
  int64_t first = 0;
  int64_t last = 0;
  size_t end = 0;  // where the next one begins, behind the comma
};

Printed read(std::string_view text, size_t at) {
  const auto number = [&] {
    int64_t value = 0;
    for (; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at) {
      value = value * 10 + (text[at] - '0');
    }
    return value;
  };
  Printed run;
  run.first = run.last = number();
  if (at < text.size() && text[at] == '-') {
    ++at;
    run.last = number();
  }
  run.end = std::min(at + 1, text.size());
  return run;
}

// Where the first run that begins at or behind `at` begins.
size_t next_run(std::string_view text, size_t at) {
  const size_t comma = text.find(',', at);
  return comma == std::string_view::npos ? text.size() : comma + 1;
}

// From the run at `at` on: where the first one stands that ends at `index` or above. In ever longer
// steps, then halving.
size_t seek(std::string_view text, size_t at, int64_t index) {
  constexpr size_t kNear = 64;
  size_t beyond = text.size();
  for (size_t step = kNear; at + step < beyond; step *= 2) {
    const size_t probe = next_run(text, at + step);
    if (probe >= beyond || read(text, probe).last >= index) {
      beyond = probe;
      break;
    }
    at = probe;
  }
  while (beyond - at > kNear) {
    const size_t middle = next_run(text, at + (beyond - at) / 2);
    if (middle >= beyond) {
      break;
    }
    (read(text, middle).last >= index ? beyond : at) = middle;
  }
  while (at < text.size() && read(text, at).last < index) {
    at = read(text, at).end;
  }
  return at;
}

class Merger {
 public:
  explicit Merger(std::string_view text) : text_(text) { out_.reserve(text.size() + kMore); }

  // Ascending, and apart from each other.
  void add(int64_t first, int64_t last) {
    if (open_ && first <= open_->second + 1) {
      first = open_->first;
    } else {
      close();
      // What ends two below may be the first half of a run of two that touches.
      copy_to(seek(text_, at_, first - 2));
    }
    while (at_ < text_.size()) {
      const Printed run = whole_run();
      if (run.first > last + 1) {
        break;
      }
      if (run.last + 1 < first) {
        copy_to(run.end);
        continue;
      }
      first = std::min(first, run.first);
      last = std::max(last, run.last);
      at_ = run.end;
    }
    open_ = {first, last};
  }

  std::string text() {
    close();
    copy_to(text_.size());
    return std::move(out_);
  }

 private:
  static constexpr size_t kMore = 4096;

  // The run at at_, with the second half of a run of two.
  Printed whole_run() const {
    Printed run = read(text_, at_);
    if (run.first == run.last && run.end < text_.size()) {
      const Printed second = read(text_, run.end);
      if (second.first == run.last + 1) {
        run.last = second.last;
        run.end = second.end;
      }
    }
    return run;
  }

  void separate() {
    if (!out_.empty()) {
      out_ += ',';
    }
  }

  // Runs stay as they are up to the one that begins at `end`.
  void copy_to(size_t end) {
    if (end > at_) {
      separate();
      const size_t comma = end < text_.size() ? 1 : 0;
      out_.append(text_.substr(at_, end - at_ - comma));
      at_ = end;
    }
  }

  void close() {
    if (!open_) {
      return;
    }
    const auto [first, last] = *std::exchange(open_, std::nullopt);
    separate();
    number(first);
    if (last > first) {
      out_ += last == first + 1 ? ',' : '-';
      number(last);
    }
  }

  void number(int64_t value) {
    std::array<char, 24> digits{};
    out_.append(digits.data(),
                std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr);
  }

  std::string_view text_;
  std::string out_;
  size_t at_ = 0;                                    // what is before it is in out_, or in open_
  std::optional<std::pair<int64_t, int64_t>> open_;  // the run that may yet grow
};

}  // namespace

std::string add_to_text(std::string_view text, const IndexBits& added) {
  Merger merger(text);
  const int64_t end = IndexBits::kMaxIndex + 1;
  for (int64_t first = added.next_in(0, end); first < end;) {
    const int64_t behind = added.next_out(first, end);
    merger.add(first, behind - 1);
    first = added.next_in(behind, end);
  }
  return merger.text();
}

}  // namespace windlass::engine
