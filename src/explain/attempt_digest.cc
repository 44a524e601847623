#include "explain/attempt_digest.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>

#include "api/codec/wire_time.h"
#include "base/plain_line.h"
#include "ledger/causes/telling_line.h"
#include "schema/ledger/v1/attempt.pb.h"

namespace windlass::explain {
namespace {

using api::ledger::v1::Attempt;

constexpr size_t kMaxLineBytes = 500;

std::optional<int32_t> whole_number(std::string_view text) {
  int32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_whole = error == std::errc() && end == text.data() + text.size() && value >= 0;
  return is_whole ? std::optional(value) : std::nullopt;
}

std::string rule_text(const Attempt& attempt) {
  const auto& verdict = attempt.verdict();
  if (!verdict.has_rule()) {
    return "";
  }
  const std::string name =
      verdict.rule_name().empty() ? "" : fmt::format(" ({})", verdict.rule_name());
  return fmt::format("rule {}{}: {}", verdict.rule(), name, verdict.action());
}

AttemptLine line_for(const Attempt& attempt, const ledger::FailureCause* cause) {
  AttemptLine line;
  line.pod = attempt.pod_name();
  line.pod_uid = attempt.metadata().name();
  line.node = attempt.node_name();
  if (attempt.has_index()) {
    line.index = attempt.index();
  }
  line.number = attempt.number();
  line.phase = attempt.phase();
  line.counted = attempt.verdict().counted();
  line.cause = cause == nullptr ? "" : cause->title;
  line.rule = rule_text(attempt);
  if (cause != nullptr) {
    line.line = plain_line(ledger::telling_line(attempt.log().tail()), kMaxLineBytes);
  }
  if (attempt.has_created_at()) {
    line.created = api::time_of(attempt.created_at());
  }
  if (attempt.has_started_at()) {
    line.started = api::time_of(attempt.started_at());
  }
  if (attempt.has_ended_at()) {
    line.ended = api::time_of(attempt.ended_at());
  }
  return line;
}

void append_limited(std::vector<AttemptLine>& lines, AttemptLine line) {
  if (lines.size() < AttemptDigest::kMaxLines) {
    lines.push_back(std::move(line));
  }
}

}  // namespace

bool AttemptName::matches(const Attempt& attempt) const {
  if (number) {
    const bool is_index = index ? attempt.has_index() && attempt.index() == *index : true;
    return is_index && attempt.number() == *number;
  }
  return attempt.pod_name() == text || attempt.metadata().name() == text;
}

Result<AttemptName> parse_attempt_name(const std::string& text, std::optional<int64_t> index) {
  if (text.empty()) {
    return fail(plain_error(
        "--attempts takes two attempts: POD,POD or INDEX:NUMBER,INDEX:NUMBER or, with --index, "
        "NUMBER,NUMBER"));
  }
  AttemptName name;
  name.text = text;
  const size_t colon = text.find(':');
  if (colon != std::string::npos) {
    name.index = whole_number(std::string_view(text).substr(0, colon));
    name.number = whole_number(std::string_view(text).substr(colon + 1));
    if (!name.index || !name.number) {
      return fail(plain_error(
          fmt::format("invalid attempt \"{}\": must be INDEX:NUMBER, such as 7:2", text)));
    }
  } else if (const auto number = whole_number(text)) {
    name.number = number;
    if (index && *index <= std::numeric_limits<int32_t>::max()) {
      name.index = static_cast<int32_t>(*index);
    }
  }
  return name;
}

void AttemptDigest::add(const ledger::AttemptPtr& attempt) {
  const ledger::FailureCause* cause = groups_.add(attempt);
  const AttemptLine line = line_for(*attempt, cause);
  if (cause != nullptr) {
    append_limited(members_[cause->id], line);
  }
  ++counted_[line.counted];
  if (line.index && line.counted == "Succeeded" && *line.index >= 0) {
    succeeded_indexes_.insert(*line.index);
  }
  if (line.created) {
    first_ = std::min(first_.value_or(*line.created), *line.created);
  }
  if (line.ended) {
    last_ = std::max(last_.value_or(*line.ended), *line.ended);
  }
  job_name_ = attempt->job().name();
  job_uid_ = attempt->job().uid();
  add_wanted(attempt, line);
}

void AttemptDigest::add_wanted(const ledger::AttemptPtr& attempt, const AttemptLine& line) {
  if (wanted_.index && line.index == wanted_.index) {
    ++index_attempts_;
    append_limited(index_lines_, line);
    index_failure_ = line.cause.empty() ? index_failure_ : attempt;
  }
  if (!wanted_.pod.empty() && attempt->pod_name() == wanted_.pod) {
    wanted_pod_ = attempt;
  }
  wanted_attempts_.resize(wanted_.attempts.size());
  for (size_t i = 0; i < wanted_.attempts.size(); ++i) {
    if (wanted_.attempts[i].matches(*attempt)) {
      wanted_attempts_[i] = attempt;
    }
  }
}

const std::vector<AttemptLine>& AttemptDigest::members(const ledger::FailureCause& cause) const {
  return members_.at(cause.id);
}

int64_t AttemptDigest::counted(const std::string& how) const {
  const auto found = counted_.find(how);
  return found == counted_.end() ? 0 : found->second;
}

std::vector<std::string> last_log_lines(const Attempt& attempt, size_t count) {
  std::vector<std::string> lines;
  std::string_view rest = attempt.log().tail();
  while (rest.ends_with('\n')) {
    rest.remove_suffix(1);
  }
  while (!rest.empty() && lines.size() < count) {
    const size_t end = rest.rfind('\n');
    const size_t begin = end == std::string_view::npos ? 0 : end + 1;
    lines.push_back(plain_line(rest.substr(begin), kMaxLineBytes));
    rest = rest.substr(0, end == std::string_view::npos ? 0 : end);
  }
  std::reverse(lines.begin(), lines.end());
  return lines;
}

}  // namespace windlass::explain
