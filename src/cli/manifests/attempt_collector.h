// The attempts of one Job, for commands that report about it or run parts of it again: from the
// ledger of the server, page by page or, where there is none, from the pods that are still there.
// Lives on the client's executor; the caller owns it until it has answered.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "client/api_client.h"
#include "explain/attempt_digest.h"
#include "ledger/ledger.h"

namespace windlass::cli {

class AttemptCollector {
 public:
  // Jobs of one name, one after the other, that are told apart.
  static constexpr size_t kMaxJobs = 1'000;

  using Done = std::function<void(Result<void>)>;

  AttemptCollector(client::ApiClient& api, ledger::AttemptSource& source,
                   explain::AttemptDigest::Wanted wanted)
      : api_(api), source_(source), wanted_(std::move(wanted)) {}

  // Of a Job that exists. Without a ledger, or where it has nothing of the Job, from its pods.
  void collect(const client::ObjectPtr& job, Done done);
  // Of the last Job with this name or, if there was none, with this UID. Success also means that
  // the ledger knows none.
  void collect_gone(const std::string& ns, const std::string& name, Done done);

  // Null where no attempt is known.
  const explain::AttemptDigest* digest() const;
  // Jobs of the name that came before.
  size_t earlier_jobs() const { return digests_.empty() ? 0 : digests_.size() - 1; }
  // Whether the attempts come from pods, and those of deleted pods are missing.
  bool from_pods() const { return from_pods_; }

 private:
  void read(const ledger::AttemptFilter& filter, const std::string& continue_token, Done done);
  void add(const ledger::AttemptPtr& attempt);
  void read_pods(const client::ObjectPtr& job, const Done& done);

  client::ApiClient& api_;
  ledger::AttemptSource& source_;
  const explain::AttemptDigest::Wanted wanted_;
  std::map<std::string, explain::AttemptDigest> digests_;  // by UID of the Job
  std::string newest_;                                     // UID of the Job of the newest attempt
  bool from_pods_ = false;
};

}  // namespace windlass::cli
