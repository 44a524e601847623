#include "verify/ledgers/attempt_maker.h"

#include <fmt/format.h>

#include "schema/ledger/v1/attempt.pb.h"

namespace windlass::ledger {
namespace {

// A log of some size that is different each time.
std::string progress_lines(int number) {
  std::string log;
  for (int i = 0; i < 40; ++i) {
    log += fmt::format("2026-01-02T03:04:{:02}Z INFO worker {} read record {} in {}ms\n", i % 60,
                       number, number * 40 + i, (number * 7 + i) % 90);
  }
  return log;
}

std::string python_log(int number) {
  return fmt::format(
      "{}Traceback (most recent call last):\n  File \"/app/load.py\", line 12, in load\n"
      "    return parse(text)\nValueError: record {} of /data/part-{:05}.csv is no JSON\n",
      progress_lines(number), number * 31, number % 977);
}

AttemptMaker planted(int number) {
  AttemptMaker attempt;
  attempt.index(number)
      .at(1'700'000'000 + number)
      .pod(fmt::format("sweep-{}-x7k2p", number))
      .node(fmt::format("node-{}", number % 7));
  switch (number % 10) {
    case 0:
      return attempt.exit(143).disruption("PreemptionByScheduler").ignored().rule(0, "", "Ignore");
    case 1:
    case 2:
      return attempt.exit(1).log(progress_lines(number) +
                                 fmt::format("cannot reach 10.0.{}.{}:{} after {}.{}s\n",
                                             number % 250, number % 7, 8000 + number % 100,
                                             number % 60, number % 10));
    case 3:
    case 4:
    case 5:
      return attempt.exit(137).oom().log(progress_lines(number));
    default:
      return attempt.exit(42).log(python_log(number));
  }
}

}  // namespace

AttemptMaker::AttemptMaker() : attempt_(std::make_shared<api::ledger::v1::Attempt>()) {
  attempt_->mutable_metadata()->set_namespace_("default");
  attempt_->mutable_job()->set_name("sweep");
  attempt_->mutable_job()->set_uid("00000000-0000-4000-8000-000000000001");
  attempt_->set_number(1);
  attempt_->set_phase("Failed");
  attempt_->mutable_verdict()->set_counted("Failed");
  attempt_->add_containers()->set_name("main");
  pod("sweep-x7k2p");
}

AttemptMaker& AttemptMaker::index(int32_t index) {
  attempt_->set_index(index);
  return *this;
}

AttemptMaker& AttemptMaker::number(int32_t number) {
  attempt_->set_number(number);
  return *this;
}

AttemptMaker& AttemptMaker::pod(const std::string& name) {
  attempt_->set_pod_name(name);
  attempt_->mutable_metadata()->set_name("uid-of-" + name);
  return *this;
}

AttemptMaker& AttemptMaker::node(const std::string& name) {
  attempt_->set_node_name(name);
  return *this;
}

AttemptMaker& AttemptMaker::at(int64_t seconds) {
  attempt_->mutable_created_at()->set_seconds(seconds - 12);
  attempt_->mutable_scheduled_at()->set_seconds(seconds - 11);
  attempt_->mutable_started_at()->set_seconds(seconds - 10);
  attempt_->mutable_ended_at()->set_seconds(seconds);
  return *this;
}

AttemptMaker& AttemptMaker::phase(const std::string& phase) {
  attempt_->set_phase(phase);
  return *this;
}

AttemptMaker& AttemptMaker::reason(const std::string& reason, const std::string& message) {
  attempt_->set_reason(reason);
  attempt_->set_message(message);
  return *this;
}

AttemptMaker& AttemptMaker::counted(const std::string& counted) {
  attempt_->mutable_verdict()->set_counted(counted);
  return *this;
}

AttemptMaker& AttemptMaker::rule(int32_t place, const std::string& name,
                                 const std::string& action) {
  attempt_->mutable_verdict()->set_rule(place);
  attempt_->mutable_verdict()->set_rule_name(name);
  attempt_->mutable_verdict()->set_action(action);
  return *this;
}

AttemptMaker& AttemptMaker::disruption(const std::string& reason) {
  attempt_->mutable_disruption()->set_reason(reason);
  return *this;
}

AttemptMaker& AttemptMaker::log(const std::string& tail) {
  attempt_->mutable_log()->set_tail(tail);
  return *this;
}

AttemptMaker& AttemptMaker::container(const std::string& name) {
  main().set_name(name);
  return *this;
}

AttemptMaker& AttemptMaker::exit(int32_t code) {
  main().set_exit_code(code);
  return *this;
}

AttemptMaker& AttemptMaker::signal(int32_t number) {
  main().set_signal(number);
  return *this;
}

AttemptMaker& AttemptMaker::oom() {
  main().set_oom_killed(true);
  main().set_reason("OOMKilled");
  return *this;
}

AttemptMaker& AttemptMaker::container_reason(const std::string& reason,
                                             const std::string& message) {
  main().set_reason(reason);
  main().set_message(message);
  return *this;
}

AttemptMaker& AttemptMaker::waiting(const std::string& reason, const std::string& message) {
  main().clear_exit_code();
  return container_reason(reason, message);
}

AttemptMaker& AttemptMaker::message(const std::string& message) {
  main().set_message(message);
  return *this;
}

AttemptMaker& AttemptMaker::memory(const std::string& limit, int64_t peak_bytes) {
  (*main().mutable_limits())["memory"].set_string(limit);
  main().set_peak_memory_bytes(peak_bytes);
  return *this;
}

AttemptMaker& AttemptMaker::other_container() {
  auto& other = *attempt_->add_containers();
  other.set_name("other");
  other.set_exit_code(0);
  return *this;
}

api::ledger::v1::AttemptContainer& AttemptMaker::main() {
  return *attempt_->mutable_containers(0);
}

AttemptPtr AttemptMaker::make() const {
  return std::make_shared<const api::ledger::v1::Attempt>(*attempt_);
}

std::vector<AttemptPtr> planted_failures(int count) {
  std::vector<AttemptPtr> attempts;
  for (int number = 0; number < count; ++number) {
    attempts.push_back(planted(number).make());
  }
  return attempts;
}

}  // namespace windlass::ledger
