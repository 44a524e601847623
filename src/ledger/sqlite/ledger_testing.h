// Attempts for tests of what keeps them.
#pragma once

#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "base/generator.h"
#include "ledger/ledger.h"
#include "ledger/sqlite/attempt_reader.h"
#include "schema/ledger/v1/attempt.pb.h"

namespace windlass::ledger {

inline std::string test_uid(uint64_t number) {
  return fmt::format("{:08x}-0000-4000-8000-{:012x}", number, number);
}

// One that failed, of a Job with this name.
inline std::shared_ptr<api::ledger::v1::Attempt> test_attempt(uint64_t number,
                                                              const std::string& job = "train") {
  auto attempt = std::make_shared<api::ledger::v1::Attempt>();
  attempt->mutable_metadata()->set_namespace_("batch");
  attempt->mutable_metadata()->set_name(test_uid(number));
  attempt->mutable_job()->set_name(job);
  attempt->mutable_job()->set_uid("uid-of-" + job);
  attempt->set_index(static_cast<int32_t>(number % 100));
  attempt->set_number(1);
  attempt->set_pod_name(fmt::format("{}-{}-x7x7x", job, number % 100));
  attempt->set_node_name(fmt::format("node-{}", number % 5));
  attempt->set_phase("Failed");
  attempt->mutable_ended_at()->set_seconds(1'700'000'000 + static_cast<int64_t>(number / 3));
  auto* container = attempt->add_containers();
  container->set_name("main");
  container->set_exit_code(static_cast<int32_t>(number % 7));
  attempt->set_deciding_container("main");
  attempt->mutable_verdict()->set_counted("Failed");
  return attempt;
}

// Any at all, of few Jobs, nodes and codes, so that filters find several.
inline AttemptPtr random_attempt(Generator& random) {
  const uint64_t number = random.uniform(200);
  auto attempt = test_attempt(number, fmt::format("job-{}", random.uniform(4)));
  attempt->mutable_metadata()->set_namespace_(random.chance(0.5) ? "batch" : "other");
  if (random.chance(0.2)) {
    attempt->mutable_metadata()->set_name(fmt::format("no uuid {}", number));
  }
  if (random.chance(0.3)) {
    attempt->mutable_job()->set_uid("second");
  }
  attempt->mutable_ended_at()->set_seconds(1'700'000'000 + static_cast<int64_t>(random.uniform(9)));
  static constexpr const char* kCounted[] = {"Succeeded", "Failed", "Ignored", "None", ""};
  attempt->mutable_verdict()->set_counted(kCounted[random.uniform(5)]);
  if (random.chance(0.4)) {
    attempt->mutable_verdict()->set_rule(static_cast<int32_t>(random.uniform(3)));
    attempt->mutable_verdict()->set_rule_name(random.chance(0.5) ? "bad-input" : "oom");
  }
  if (random.chance(0.2)) {
    attempt->clear_index();
    attempt->clear_node_name();
    attempt->clear_containers();
  }
  if (random.chance(0.1)) {
    attempt->mutable_log()->set_tail(std::string(random.uniform(9'000), 'x'));
  }
  return attempt;
}

// Every page of what the filter finds.
inline std::vector<AttemptPtr> find_all(AttemptReader& reader, const AttemptFilter& filter = {},
                                        size_t limit = 500) {
  std::vector<AttemptPtr> all;
  std::string next;
  do {
    AttemptPage page = reader.find(filter, limit, next).value();
    all.insert(all.end(), page.items.begin(), page.items.end());
    next = page.next;
  } while (!next.empty());
  return all;
}

}  // namespace windlass::ledger
