// Failed attempts of a Job, grouped by their cause: how the pod ended, what the failure policy
// said, and the pattern of the last log line. `windlass explain`, `run` and `rerun` share this
// code, so that they name and number causes alike.
//
//   CauseGroups groups;
//   groups.add(attempt);                     // each attempt once, when it has ended
//   for (const FailureCause* cause : groups.causes()) ...
//
// Pure values; a CauseGroups belongs to one thread. The order in which attempts are added changes
// no group unless there are more patterns than kMaxPatternsPerEnd.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/index_set.h"
#include "base/time.h"
#include "ledger/ledger.h"

namespace windlass::ledger {

// How the pods of a cause ended. The first that fits:
enum class EndKind : uint8_t {
  disruption,        // something else ended the pod, as its DisruptionTarget condition says
  out_of_memory,     // OOMKilled, which is told from any other SIGKILL
  pod_reason,        // the pod as a whole was ended or refused: DeadlineExceeded, Evicted, OutOfcpu
  container_reason,  // the runtime has a word for it: StartError, ImagePullBackOff
  exit_code,         // the container ended by itself, or by a signal
  signal,            // the same where the exit code is not known
  vanished,          // the pod went before its end was seen
  unknown,
};

// What all failures of one cause have in common.
struct CauseKey {
  EndKind end = EndKind::unknown;
  bool ignored = false;              // the failure policy ignored them; else they counted
  std::optional<int32_t> rule = {};  // of the failure policy
  std::string rule_name = {};
  std::string action = {};     // of that rule
  std::string container = {};  // whose end decided; "" where none did
  std::optional<int32_t> exit_code = {};
  int32_t signal = 0;       // 0 without one
  std::string reason = {};  // of the disruption, pod or container
  // Pattern of the telling line or message; "" where it would say nothing.
  std::string line = {};
  bool other_lines = false;  // stands for all lines beyond kMaxPatternsPerEnd

  auto operator<=>(const CauseKey&) const = default;
};

struct FailureCause {
  CauseKey key = {};
  std::string id = {};     // 10 hexadecimal digits, the same in every process
  std::string title = {};  // exit 42 `record N is no JSON`; without control characters
  int64_t count = 0;       // failures
  IndexSet indexes = {};
  std::optional<Time> first = {};  // when the first and the last of them ended
  std::optional<Time> last = {};
  std::map<std::string, int64_t> nodes = {};  // failures by node; pods without a node are not in it
  AttemptPtr sample = {};                     // the last to end
  std::string sample_line = {};               // its line in full; "" without one

  // The title, with `(ignored)` where it is.
  std::string full_title() const;
};

// A node that has far more failures of a cause than its share of the Job's attempts explains.
struct HeavyNode {
  std::string node = {};
  int64_t failures = 0;         // of this cause, on this node
  int64_t attempts = 0;         // of the Job, on this node
  int64_t failures_in_all = 0;  // of this cause, on any node
  int64_t attempts_in_all = 0;  // of the Job, on any node
};

// Whether that is so: at least 5 failures; at least 3 times the rate of failures of the other
// nodes; and so far above it that chance does not explain it (4 standard deviations of the
// difference of two proportions). A node alone has none to be compared with.
bool is_heavy(const HeavyNode& node);

class CauseGroups {
 public:
  // Of one way to end. More patterns come from a program that writes something else each time;
  // they are one cause.
  static constexpr size_t kMaxPatternsPerEnd = 100;
  // A longer line of a sample is cut.
  static constexpr size_t kMaxSampleBytes = 1'000;

  CauseGroups();
  ~CauseGroups();
  CauseGroups(CauseGroups&&) noexcept;
  CauseGroups& operator=(CauseGroups&&) noexcept;

  // The cause that it belongs to, which lives as long as the groups; null for an attempt that did
  // not fail, or that the Job itself removed. All attempts tell which share of them each node has.
  const FailureCause* add(const AttemptPtr& attempt);

  // Those that counted come first, then the ignored ones; of both the most frequent first.
  std::vector<const FailureCause*> causes() const;
  // By its place in causes(), from 1, or by its id. An error for the user where there is none.
  Result<const FailureCause*> find(std::string_view name) const;
  // At most `most`, with the most failures first.
  std::vector<HeavyNode> heavy_nodes(const FailureCause& cause, size_t most = 3) const;

  int64_t failures() const { return failures_; }  // ignored ones included
  int64_t attempts() const { return attempts_; }

 private:
  CauseKey limited(CauseKey key);

  int64_t attempts_ = 0;
  int64_t failures_ = 0;
  int64_t attempts_on_nodes_ = 0;
  std::map<std::string, int64_t> attempts_by_node_;
  std::map<CauseKey, std::unique_ptr<FailureCause>> causes_;
  std::map<CauseKey, size_t> patterns_;  // by key without its line
};

}  // namespace windlass::ledger
