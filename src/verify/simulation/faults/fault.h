// The faults of safety.md 3 that the simulated world can inject, where they can strike, and
// their text form: `job-controller/write#12=lost-reply` strikes at the twelfth write of that
// component, counted over all its lives. Values; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/time.h"

namespace windlass::verify::simulation {

enum class ClientFault : uint8_t {
  crash_before,           // the component dies, the call was never sent
  crash_applied,          // it dies, the call was carried out
  crash_after,            // it dies right after it has taken in the answer
  lost_request,           // timeout, not applied
  lost_reply,             // timeout, applied
  conflict,               // 409
  invalid,                // 422, as an admission webhook may say
  throttled,              // 429 with Retry-After
  server_error,           // 500
  unavailable,            // 503
  forbidden,              // 403, as a quota may say
  namespace_terminating,  // 403 with its cause
  duplicated,             // sent twice by something on the way
  slow,                   // the answer, as it was then, comes late
  frozen,                 // nothing more is told for a while
  skipped,                // an event is never told; the stream ends, its place is gone
  broken,                 // the stream ends
  gone,                   // the stream ends with 410
  repeated,               // an event comes twice
  bookmark,               // a bookmark follows
};

// What a component does with the API.
enum class Site : uint8_t {
  write,
  note,  // a write of an Event: best effort, nothing waits for it
  read,  // get and list
  event  // of a watch
};

struct FaultInfo {
  ClientFault fault;
  std::string_view name;
  bool on_write;
  bool on_read;
  bool on_event;
  bool has_amount;  // takes time
};

std::span<const FaultInfo> all_faults();
const FaultInfo& info_of(ClientFault fault);
bool can_strike(ClientFault fault, Site site);
std::string_view site_name(Site site);

struct Strike {
  std::string component = {};
  Site site = Site::write;
  uint64_t ordinal = 0;  // from 1
  ClientFault fault = ClientFault::lost_reply;
  Duration amount = Duration::zero();

  bool operator==(const Strike&) const = default;
};

// `job-controller/event#3=frozen:20s`.
std::string text_of(const Strike& strike);
Result<Strike> parse_strike(std::string_view text);

}  // namespace windlass::verify::simulation
