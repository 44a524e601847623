// Attempts for tests and benchmarks.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "ledger/ledger.h"

namespace windlass::api::ledger::v1 {
class AttemptContainer;
}

namespace windlass::ledger {

// Of Job `sweep`, with one container `main`, which failed and counted.
class AttemptMaker {
 public:
  AttemptMaker();

  AttemptMaker& index(int32_t index);
  AttemptMaker& number(int32_t number);
  AttemptMaker& pod(const std::string& name);  // its UID, too
  AttemptMaker& node(const std::string& name);
  AttemptMaker& at(int64_t seconds);  // when it ended; it started 10 seconds before
  AttemptMaker& phase(const std::string& phase);
  AttemptMaker& reason(const std::string& reason, const std::string& message);
  AttemptMaker& counted(const std::string& counted);
  AttemptMaker& ignored() { return counted("Ignored"); }
  AttemptMaker& rule(int32_t place, const std::string& name, const std::string& action);
  AttemptMaker& disruption(const std::string& reason);
  AttemptMaker& log(const std::string& tail);
  // Of the container.
  AttemptMaker& container(const std::string& name);
  AttemptMaker& exit(int32_t code);
  AttemptMaker& signal(int32_t number);
  AttemptMaker& oom();
  AttemptMaker& container_reason(const std::string& reason, const std::string& message);
  AttemptMaker& waiting(const std::string& reason, const std::string& message);
  AttemptMaker& message(const std::string& message);
  AttemptMaker& memory(const std::string& limit, int64_t peak_bytes);
  AttemptMaker& other_container();  // one that ended well

  AttemptPtr make() const;

 private:
  api::ledger::v1::AttemptContainer& main();

  std::shared_ptr<api::ledger::v1::Attempt> attempt_;  // copies are the same attempt
};

// Of four causes, in this mixture: 40 % exit 42 with a Python traceback, 30 % OOMKilled, 20 % exit
// 1 with a timeout, 10 % preempted and ignored. No two have the same log.
std::vector<AttemptPtr> planted_failures(int count);

}  // namespace windlass::ledger
