#include "apiserver/rest/calls/versioned_call.h"

#include <fmt/format.h>

namespace windlass::apiserver {
namespace {

// A client can only know a revision of the future if it heard it from another server; then there
// is nothing to be told of, so looking again now and then is enough.
constexpr Duration kLookAgain = milliseconds(50);

Status too_large(store::Revision wanted, store::Revision current) {
  Status status;
  status.code = 504;
  status.reason = "Timeout";
  status.message =
      fmt::format("Timeout: Too large resource version: {}, current: {}", wanted, current);
  status.details.causes.push_back({"ResourceVersionTooLarge", "Too large resource version", ""});
  status.details.retry_after_seconds = 1;
  return status;
}

void look(RestContext& context, store::Revision revision, Duration left,
          const std::function<void(Result<void>)>& then) {
  const store::Revision current = context.server.store().revision();
  if (current >= revision) {
    then({});
  } else if (left <= Duration::zero()) {
    then(fail(too_large(revision, current)));
  } else {
    context.executor.schedule(kLookAgain,
                              [shared = context.shared_from_this(), revision, left, then] {
                                if (shared->open) {
                                  look(*shared, revision, left - kLookAgain, then);
                                }
                              });
  }
}

}  // namespace

void wait_for_version(RestContext& context, store::Revision revision,
                      const std::function<void(Result<void>)>& then) {
  look(context, revision, kVersionWait, then);
}

}  // namespace windlass::apiserver
