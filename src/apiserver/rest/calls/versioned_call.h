// A call that begins when the store has reached the version that its client knows (api.md M62,
// M64, M69): what GET, list and watch have in common.
#pragma once

#include <functional>
#include <memory>
#include <utility>

#include "apiserver/rest/answers/reply.h"
#include "apiserver/rest/rest_context.h"
#include "apiserver/rest/rest_request.h"

namespace windlass::apiserver {

// Waits until the store has committed a revision that a client has heard of, or says that it is
// not going to (api.md M64). Core executor only.
inline constexpr Duration kVersionWait = seconds(3);

// `then` runs inside this call when the revision is there already.
void wait_for_version(RestContext& context, store::Revision revision,
                      const std::function<void(Result<void>)>& then);

// `run(request, reply)` on the core executor. Mostly the version is there, and nothing is copied.
template <class Run>
std::unique_ptr<http::Call> versioned_call(RestContext& context, RestRequest request,
                                           store::Revision at_least, Run run,
                                           CallSpeed speed = CallSpeed::slow) {
  auto begin = [&context, at_least, run = std::move(run),
                request = std::move(request)](std::shared_ptr<http::Exchange> exchange) mutable {
    const Reply reply(context, request, std::move(exchange));
    if (context.server.store().revision() >= at_least) {
      run(request, reply);
      return;
    }
    wait_for_version(context, at_least,
                     [run, request = std::make_shared<const RestRequest>(std::move(request)),
                      reply](const Result<void>& there) {
                       if (there) {
                         run(*request, reply);
                       } else {
                         reply.fail(there.error());
                       }
                     });
  };
  return make_call(std::move(begin), speed);
}

}  // namespace windlass::apiserver
