// The attempt ledger: one lasting record for each pod of a Job. It outlives the pod, the Job and
// the namespace. Writers record through Ledger, readers find through AttemptSource; where the
// records are kept is behind both.
//
// Both live on the core executor: they are called there, and every callback runs there later, once,
// never inside the call. Objects that wait for an answer must survive it or hold a WeakSelf.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/index_set.h"
#include "base/result.h"
#include "base/time.h"

namespace windlass::api::ledger::v1 {
class Attempt;
}

namespace windlass::ledger {

// A record that no longer changes. metadata.namespace is the pod's, metadata.name its UID.
using AttemptPtr = std::shared_ptr<const api::ledger::v1::Attempt>;

class Ledger {
 public:
  virtual ~Ledger() = default;

  // Success means durable. It replaces the record of the same pod UID. After an error nothing of
  // this record is kept, and the caller may try again: a full disk passes.
  virtual void record(AttemptPtr attempt, std::function<void(Result<void>)> done) = 0;
};

// What a reader asks for; an attempt has to match all that is set. Text compares exactly.
struct AttemptFilter {
  std::string ns = {};       // "" for all namespaces
  std::string pod_uid = {};  // metadata.name of the record
  std::string job = {};      // name of the Job; several Jobs may have had it, one after the other
  std::string job_uid = {};
  std::optional<IndexSet> indexes = {};  // an attempt without an index matches none
  std::optional<int32_t> rule = {};      // place of the rule of the failure policy that matched
  std::string rule_name = {};
  std::optional<int32_t> exit_code = {};  // as exit_code_of() has it
  std::string node = {};
  std::string counted = {};  // Succeeded, Failed, Ignored or None
  // By time_of(): at `since` or later, before `until`.
  std::optional<Time> since = {};
  std::optional<Time> until = {};
};

// One page: oldest first by time_of(), within a second in the order in which they were recorded.
struct AttemptPage {
  std::vector<AttemptPtr> items = {};
  std::string next = {};  // continue token; "" on the last page
};

class AttemptSource {
 public:
  // As many as a page holds, whatever the limit is.
  static constexpr size_t kMaxPage = 5'000;
  static constexpr size_t kDefaultPage = 500;

  virtual ~AttemptSource() = default;

  // `limit` 0 means kDefaultPage. `continue_token` is "" or AttemptPage::next of the page before,
  // with the same filter; another text is a 400. A record that comes or is replaced between two
  // pages may be missed or seen twice; all others are seen once.
  virtual void find(const AttemptFilter& filter, size_t limit, const std::string& continue_token,
                    std::function<void(Result<AttemptPage>)> done) = 0;
};

}  // namespace windlass::ledger
