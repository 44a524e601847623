// Gathers what an attempt's record needs besides the pod: the end of the deciding container's log,
// and the values of the Secrets that the pod used, which are taken out of all text. When a Secret
// cannot be read, or has changed since the pod began, its values are not known: then the text is
// left out. Never takes longer than kPatience, and never has more than kMaxAtOnce under way; more
// wait in line.
//
// Lives on the client's executor; nothing is called after destruction.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/weak_self.h"
#include "client/reflector.h"
#include "controllers/job/attempt_keeper.h"
#include "evidence/attempt_builder.h"

namespace windlass::evidence {

// Reads at least the last `bytes` of the log of a container's last run, if there are so many.
// Answers later or at once; std::nullopt: its node keeps no logs.
using ReadLogTail = std::function<void(const api::ObjectPtr& pod, const std::string& container,
                                       size_t bytes, std::function<void(std::optional<LogTail>)>)>;

// Names of the Secrets that containers of the pod get values of, sorted.
std::vector<std::string> secrets_of(const api::Message& pod);

class EvidenceCollector {
 public:
  struct Options {
    size_t log_bytes = 16 * 1024;  // 0: no logs
    ReadLogTail read_log = {};     // empty: no logs
  };
  using Done = std::function<void(const AttemptEvidence&)>;

  static constexpr size_t kMaxAtOnce = 16;
  static constexpr size_t kMaxSecrets = 64;  // of one pod; with more, text is left out
  static constexpr Duration kPatience = seconds(5);

  EvidenceCollector(client::ClientEnv env, Options options);
  ~EvidenceCollector();
  EvidenceCollector(const EvidenceCollector&) = delete;
  EvidenceCollector& operator=(const EvidenceCollector&) = delete;

  // Whether there is anything to gather. Without it the record is made from the pod alone.
  bool has_work(const controllers::job::AttemptEnd& end) const;
  void collect(const controllers::job::AttemptEnd& end, Done done);

 private:
  struct Request {
    controllers::job::AttemptEnd end;
    Done done;
  };
  struct Search {
    Request request;
    AttemptEvidence found;
    std::vector<std::string> values;  // of Secrets
    size_t open = 0;                  // answers that are missing
    env::TimerId deadline = env::TimerId::none;
  };

  bool reads_log(const controllers::job::AttemptEnd& end) const;
  void start_waiting();
  void start(Request request);
  void read_secrets(uint64_t id, const api::Message& pod);
  void on_secret(uint64_t id, const std::string& name, const Result<client::ObjectPtr>& secret);
  void on_log(uint64_t id, std::optional<LogTail> log);
  void on_late(uint64_t id);
  void answered(uint64_t id);
  void finish(uint64_t id);

  client::ClientEnv env_;
  Options options_;
  std::deque<Request> waiting_;  // at most the pods that wait for their record
  std::map<uint64_t, Search> searches_;
  uint64_t next_id_ = 1;
  WeakSelf<EvidenceCollector> self_{this};
};

}  // namespace windlass::evidence
