// Ends of logs, which any program may have written: no text may crash or hang, patterns are
// bounded, printable and their own patterns, and a title never has a control character. The text is
// the log of an attempt; its first byte chooses how the attempt ended.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/check.h"
#include "base/plain_line.h"
#include "ledger/causes/cause_text.h"
#include "ledger/causes/failure_cause.h"
#include "ledger/causes/line_pattern.h"
#include "ledger/causes/telling_line.h"
#include "schema/ledger/v1/attempt.pb.h"

namespace {

using namespace windlass::ledger;  // NOLINT: a fuzz target, not a library
using windlass::api::ledger::v1::Attempt;

bool has_control(std::string_view text) {
  return std::any_of(text.begin(), text.end(),
                     [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == '\x7f'; });
}

AttemptPtr attempt_with(uint8_t end, std::string_view text) {
  const std::string words(text);
  auto attempt = std::make_shared<Attempt>();
  attempt->set_phase("Failed");
  attempt->set_node_name(words.substr(0, 20));
  attempt->mutable_log()->set_tail(words);
  auto& container = *attempt->add_containers();
  container.set_name(words.substr(0, 10));
  if ((end & 1) != 0) {
    container.set_exit_code(end);
  } else {
    container.set_message(words);
    container.set_reason(words.substr(0, 30));
  }
  if ((end & 2) != 0) {
    attempt->mutable_disruption()->set_reason(words.substr(0, 30));
  }
  if ((end & 4) != 0) {
    attempt->set_reason(words.substr(0, 30));
    attempt->set_message(words);
  }
  return attempt;
}

void check_line(std::string_view text) {
  const std::string pattern = line_pattern(text);
  CHECK(pattern.size() <= kMaxPatternBytes, "a pattern is bounded");
  CHECK(!has_control(pattern), "a pattern is printable");
  CHECK(line_pattern(pattern) == pattern, "a pattern is its own pattern");
  const std::string plain = windlass::plain_line(text, text.size());
  CHECK(windlass::plain_line(plain, plain.size()) == plain, "plain text stays");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  const uint8_t end = size == 0 ? 0 : data[0];
  text.remove_prefix(size == 0 ? 0 : 1);
  check_line(text);
  const std::string_view line = telling_line(text);
  CHECK(line.find('\n') == std::string_view::npos, "one line");
  CHECK(line.empty() ||
            (line.data() >= text.data() && line.data() + line.size() <= text.data() + text.size()),
        "a part of the log");

  CauseGroups groups;
  const FailureCause* cause = groups.add(attempt_with(end, text));
  CHECK(cause != nullptr, "it failed");
  CHECK(!has_control(cause->full_title()), "a title is printable");
  CHECK(groups.find(cause->id).has_value(), "found by its id");
  CHECK(groups.add(attempt_with(end, text)) == cause, "the same again");
  CHECK(!has_control(causes_summary(groups)), "a summary is one line");
  return 0;
}
