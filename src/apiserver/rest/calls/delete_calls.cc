// DELETE of one object: api.md M50, M53.
#include <google/protobuf/message.h>

#include "apiserver/rest/answers/reply.h"
#include "apiserver/rest/answers/responses.h"
#include "apiserver/rest/calls/calls.h"
#include "apiserver/rest/calls/delete_options.h"
#include "apiserver/rest/object_access.h"
#include "client/object_identity.h"

namespace windlass::apiserver {
namespace {

// M1: who asked in the old words for what is not done yet is told so.
int code_of(const DeleteRequest& wanted, const WriteResult& result) {
  return wanted.cascades && !result.removed ? 202 : 200;
}

void answer_delete(RestContext& context, const RestRequest& request, const DeleteRequest& wanted,
                   const Reply& reply, WriteResult result) {
  const bool show_object = !result.answer || !result.removed ||
                           find_strategy(request.kind())->traits().delete_returns_object;
  if (show_object) {
    const int code = code_of(wanted, result);
    reply.result(std::move(result), code);
    return;
  }
  const api::Kind& kind = request.kind();
  StatusDetails details;
  details.name = request.info.name;
  details.group = kind.group;
  details.kind = kind.plural;
  details.uid = client::uid_of(**result.answer);
  context.server.store().when_committed(
      result.durable_at,
      [reply, details, warnings = result.warnings](const Result<void>& committed) {
        if (committed) {
          reply.message(200, status_type(), *deleted_message(details), warnings);
        } else {
          reply.fail(committed.error(), warnings);
        }
      });
}

}  // namespace

Prepared prepare_delete(RestContext& context, RestRequest request) {
  auto wanted = read_delete_request(request);
  if (!wanted) {
    return failure_response(wanted.error(), request.format);
  }
  return make_call([&context, wanted = *std::move(wanted),
                    request = std::move(request)](std::shared_ptr<http::Exchange> exchange) {
    const Reply reply(context, request, std::move(exchange));
    if (const auto allowed = check_before_write(context, request, request.ref()); !allowed) {
      reply.fail(allowed.error());
      return;
    }
    answer_delete(context, request, wanted, reply,
                  context.server.remove(request.ref(), wanted.options, wanted.write));
  });
}

}  // namespace windlass::apiserver
