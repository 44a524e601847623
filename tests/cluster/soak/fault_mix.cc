#include "cluster/soak/fault_mix.h"

#include <array>
#include <span>
#include <utility>

#include "http/message.h"

namespace windlass::cluster_tests {
namespace {

using cli::testing::Fault;
using Harm = Fault::Harm;

// The leader must be able to renew: five misses in a row and it stops, as it should.
constexpr double kLeaseHarmed = 0.03;
constexpr double kWriteHarmed = 0.08;
constexpr double kReadHarmed = 0.15;
constexpr double kWatchHarmed = 0.9;
constexpr int64_t kLatestMs = 1500;
constexpr int64_t kMostEvents = 1000;  // before a watch is cut

constexpr std::array<int, 7> kRefusals = {401, 409, 422, 429, 500, 503, 503};
constexpr std::array<int, 4> kReadRefusals = {401, 429, 500, 503};
constexpr std::array<int, 4> kWatchRefusals = {410, 429, 500, 503};

// The controller and its election name their version; the user of the soak does not.
bool is_of_controller(const http::Request& request) {
  const auto agent = http::find_header(request.headers, "User-Agent");
  return agent && agent->starts_with("windlass/");
}

std::string class_of(const http::Request& request) {
  if (request.target.find("/leases") != std::string::npos) {
    return "lease";
  }
  if (request.method != "GET") {
    return "write";
  }
  return request.target.find("watch=true") != std::string::npos ? "watch" : "read";
}

std::string name_of(const Fault& fault) {
  switch (fault.harm) {
    case Harm::refuse:
      return std::to_string(fault.status);
    case Harm::lose_request:
      return "lost-request";
    case Harm::lose_answer:
      return "lost-answer";
    case Harm::cut_answer:
      return "cut-answer";
    case Harm::late:
      return "late";
    default:
      return "none";
  }
}

}  // namespace

Fault FaultMix::choose_harm(const std::string& class_of_request) {
  const bool watch = class_of_request == "watch";
  constexpr std::array<Harm, 5> kHarms = {Harm::refuse, Harm::lose_request, Harm::lose_answer,
                                          Harm::cut_answer, Harm::late};
  Fault fault;
  fault.harm = random_.pick(std::span<const Harm>(kHarms));
  // A watch has no one answer that could be lost.
  if (watch && fault.harm == Harm::lose_answer) {
    fault.harm = Harm::cut_answer;
  }
  std::span<const int> refusals = kRefusals;
  if (class_of_request == "read") {
    refusals = kReadRefusals;
  } else if (watch) {
    refusals = kWatchRefusals;
  }
  fault.status = random_.pick(refusals);
  if (fault.status == 429) {
    fault.headers = {{"Retry-After", "1"}};
  }
  fault.delay = milliseconds(random_.between(1, kLatestMs));
  fault.events = static_cast<size_t>(random_.between(0, kMostEvents));
  return fault;
}

Fault FaultMix::choose(const http::Request& request) {
  if (!is_of_controller(request)) {
    return {};
  }
  const std::lock_guard lock(mutex_);
  ++tally_.requests;
  const std::string kind = class_of(request);
  // A controller that cannot start exits with an error; its supervisor starts it again.
  if (!std::exchange(leads_, leads_ || (kind == "lease" && request.method != "GET"))) {
    return {};
  }
  const double share = kind == "lease"   ? kLeaseHarmed
                       : kind == "write" ? kWriteHarmed
                       : kind == "watch" ? kWatchHarmed
                                         : kReadHarmed;
  if (!random_.chance(share)) {
    return {};
  }
  const Fault fault = choose_harm(kind);
  ++tally_.harmed;
  ++tally_.kinds[kind + ' ' + name_of(fault)];
  return fault;
}

FaultMix::Tally FaultMix::tally() const {
  const std::lock_guard lock(mutex_);
  return tally_;
}

}  // namespace windlass::cluster_tests
