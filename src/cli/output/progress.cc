#include "cli/output/progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "cli/output/text.h"

namespace windlass::cli {
namespace {

constexpr int64_t kBarWidth = 20;
constexpr size_t kMaxNameColumns = 24;
constexpr size_t kFewestLines = 3;
constexpr size_t kMostLogLines = 3;
constexpr size_t kMostCauses = 3;
constexpr size_t kRowsPerLogLine = 6;  // a low terminal has none

// A part of the bar: its share of the whole, and how it looks.
struct BarPart {
  int64_t share = 0;
  char sign = '-';
  Colour colour = Colour::green;
};

// At least one sign for what is there at all, as long as there is room.
std::string bar_text(int64_t wanted, const std::vector<BarPart>& parts, bool colours) {
  std::string text = "[";
  int64_t left = kBarWidth;
  for (const BarPart& part : parts) {
    const int64_t wished = std::max<int64_t>(part.share * kBarWidth / wanted, 1);
    const int64_t length = part.share == 0 ? 0 : std::min(wished, left);
    const std::string signs(static_cast<size_t>(length), part.sign);
    text += colours && length > 0 ? coloured(part.colour, signs) : signs;
    left -= length;
  }
  return text + std::string(static_cast<size_t>(left), '-') + "]";
}

std::string bar(const JobProgress& job, bool colours) {
  if (job.completions.value_or(0) <= 0) {
    return "";
  }
  // Failures first: one failed index among many thousands shows.
  const std::vector<BarPart> parts = {{job.failed_indexes.value_or(0), '!', Colour::red},
                                      {job.succeeded, '#', Colour::green},
                                      {job.running, '=', Colour::yellow}};
  return bar_text(*job.completions, parts, colours) + "  ";
}

std::string done_text(const JobProgress& job) {
  std::string text = job.completions ? fmt::format("{}/{} succeeded", grouped(job.succeeded),
                                                   grouped(*job.completions))
                                     : fmt::format("{} succeeded", grouped(job.succeeded));
  if (job.failed_indexes.value_or(0) > 0) {
    text += fmt::format(", {} {} failed", grouped(*job.failed_indexes),
                        *job.failed_indexes == 1 ? "index" : "indexes");
  } else if (job.failed > 0) {
    text += fmt::format(", {} failed", grouped(job.failed));
  }
  return text;
}

std::string time_left(const JobProgress& job) {
  const int64_t left = job.completions.value_or(0) - job.succeeded - job.failed_indexes.value_or(0);
  if (!job.rate || left <= 0) {
    return "";
  }
  const double needed = std::ceil(static_cast<double>(left) / *job.rate);
  constexpr double kLongest = 1e7;  // some months: no more than a guess
  return needed > kLongest ? ""
                           : fmt::format(", about {} left",
                                         format_duration(seconds(static_cast<int64_t>(needed))));
}

std::string rate_text(const JobProgress& job) {
  if (!job.rate) {
    return "";
  }
  return *job.rate >= 1 ? fmt::format("{:.0f}/s", *job.rate)
                        : fmt::format("{:.1f}/min", *job.rate * 60);
}

// `retry in 8s`, `12 indexes retry, the next in 8s`
std::string retry_text(const JobProgress& job) {
  if (!job.retry_in || *job.retry_in <= Duration::zero()) {
    return "";
  }
  const std::string next =
      fmt::format("in {:.0f}s", std::ceil(std::chrono::duration<double>(*job.retry_in).count()));
  return job.retrying < 2
             ? "retry " + next
             : fmt::format("{} indexes retry, the next {}", grouped(job.retrying), next);
}

std::string state_text(const JobProgress& job) {
  std::vector<std::string> parts;
  const auto add = [&parts](int64_t count, std::string_view what) {
    if (count > 0) {
      parts.push_back(fmt::format("{} {}", grouped(count), what));
    }
  };
  add(job.running, "running");
  add(job.pending, "pending");
  add(job.terminating, "terminating");
  if (const std::string retry = retry_text(job); !retry.empty()) {
    parts.push_back(retry);
  }
  if (const std::string rate = rate_text(job); !rate.empty()) {
    parts.push_back(rate + time_left(job));
  }
  return parts.empty() ? "nothing running" : fmt::format("{}", fmt::join(parts, ", "));
}

// A tab has as many columns as its place wants.
std::string without_tabs(std::string text) {
  std::replace(text.begin(), text.end(), '\t', ' ');
  return text;
}

std::vector<std::string> job_lines(const JobProgress& job, size_t name_columns,
                                   const BlockSize& size) {
  const std::string name =
      fmt::format("{:<{}}", cut_to_columns(job.name, name_columns), name_columns);
  std::vector<std::string> lines = {
      fmt::format("{}  {}{}", name, bar(job, size.colours), done_text(job))};
  if (!job.verdict.empty()) {
    const bool good = job.verdict == "Complete";
    lines.front() +=
        "  " +
        (size.colours ? coloured(good ? Colour::green : Colour::red, job.verdict) : job.verdict);
    return lines;
  }
  lines.push_back("  " + state_text(job));
  if (job.pending > 0 && !job.pending_for.empty()) {
    lines.push_back("  pending: " + job.pending_for);
  }
  return lines;
}

}  // namespace

void Pace::add(MonotonicTime now, int64_t done) {
  last_ = {now, done};
  if (samples_.empty() || now - samples_.back().first >= kBetweenSamples) {
    samples_.push_back(last_);
  }
  // The oldest stays until another is as old as the window.
  while (samples_.size() > 1 && now - samples_[1].first >= kWindow) {
    samples_.pop_front();
  }
}

std::optional<double> Pace::rate() const {
  if (samples_.empty()) {
    return std::nullopt;
  }
  const auto& [since, then] = samples_.front();
  const double took = std::chrono::duration<double>(last_.first - since).count();
  const int64_t grown = last_.second - then;
  return took > 0 && grown > 0 ? std::optional(static_cast<double>(grown) / took) : std::nullopt;
}

std::vector<std::string> progress_block(const std::vector<JobProgress>& jobs,
                                        const BlockSize& size) {
  std::vector<const JobProgress*> order;
  size_t name_columns = 0;
  for (const JobProgress& job : jobs) {
    order.push_back(&job);
    name_columns = std::max(name_columns, std::min(job.name.size(), kMaxNameColumns));
  }
  std::stable_partition(order.begin(), order.end(),
                        [](const JobProgress* job) { return job->verdict.empty(); });
  const size_t room = std::max(size.rows / 2, kFewestLines);
  std::vector<std::string> lines;
  size_t shown = 0;
  for (const JobProgress* job : order) {
    std::vector<std::string> more = job_lines(*job, name_columns, size);
    const size_t for_the_rest = shown + 1 == order.size() ? 0 : 1;
    if (shown > 0 && lines.size() + more.size() + for_the_rest > room) {
      break;
    }
    ++shown;
    std::move(more.begin(), more.end(), std::back_inserter(lines));
  }
  if (shown < order.size()) {
    lines.push_back(fmt::format("and {}", counted(order.size() - shown, "more Job")));
  }
  for (std::string& line : lines) {
    line = cut_to_columns(line, size.columns);
  }
  return lines;
}

std::vector<std::string> failure_block(const LastFailure& failure, const BlockSize& size) {
  if (failure.text.empty()) {
    return {};
  }
  std::vector<std::string> lines = {"  last: " + failure.text};
  const size_t room = std::min(size.rows / kRowsPerLogLine, kMostLogLines);
  const size_t shown = std::min(room, failure.log.size());
  for (size_t i = failure.log.size() - shown; i < failure.log.size(); ++i) {
    lines.push_back("  | " + without_tabs(failure.log[i]));
  }
  for (std::string& line : lines) {
    line = cut_to_columns(line, size.columns);
  }
  return lines;
}

std::vector<std::string> cause_lines(const std::vector<CauseCount>& causes, const BlockSize& size) {
  const size_t room = std::min(size.rows / kRowsPerLogLine, kMostCauses);
  std::vector<std::string> lines;
  for (size_t i = 0; i < std::min(room, causes.size()); ++i) {
    std::string line =
        fmt::format("  {:>6}x {}", grouped(causes[i].failures), without_tabs(causes[i].title));
    const size_t more = causes.size() - i - 1;
    if (i + 1 == room && more > 0) {
      const std::string rest = fmt::format(" and {}", counted(more, "more cause"));
      line = cut_to_columns(line, size.columns - std::min(rest.size(), size.columns)) + rest;
    }
    lines.push_back(cut_to_columns(line, size.columns));
  }
  return lines;
}

}  // namespace windlass::cli
