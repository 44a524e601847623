// DELETE of one object and of a collection: api.md M50, M53, M55.
#include <google/protobuf/message.h>

#include <algorithm>

#include "apiserver/rest/calls.h"
#include "apiserver/rest/delete_options.h"
#include "apiserver/rest/list_encoder.h"
#include "apiserver/rest/object_access.h"
#include "apiserver/rest/options.h"
#include "apiserver/rest/reply.h"
#include "apiserver/rest/status_message.h"
#include "client/object_identity.h"

namespace windlass::apiserver {
namespace {

void answer_delete(RestContext& context, const RestRequest& request, const Reply& reply,
                   Decision decision) {
  const bool show_object = !decision.answer || !decision.removed ||
                           find_strategy(request.kind())->traits().delete_returns_object;
  if (show_object) {
    reply.decision(std::move(decision), 200);
    return;
  }
  const api::Kind& kind = request.kind();
  StatusDetails details;
  details.name = request.info.name;
  details.group = kind.group;
  details.kind = kind.plural;
  details.uid = client::uid_of(**decision.answer);
  context.server.store().when_committed(
      decision.durable_at,
      [reply, details, warnings = decision.warnings](const Result<void>& committed) {
        if (committed) {
          reply.message(200, status_type(), *deleted_message(details), warnings);
        } else {
          reply.fail(committed.error(), warnings);
        }
      });
}

// What was there before, as one list; each is deleted by itself, and one that is gone by then, or
// may not go, does not keep the others.
void run_delete_collection(RestContext& context, const RestRequest& request, const ReadQuery& query,
                           const DeleteRequest& wanted, const Reply& reply) {
  const Collection collection{&request.kind(), request.info.ns, query.label_selector,
                              query.field_selector};
  const auto page = context.server.read(collection, {query.limit, query.continue_token});
  if (!page) {
    reply.fail(page.error());
    return;
  }
  Warnings warnings;
  std::optional<Status> failed;
  for (const store::VersionPtr& version : page->items) {
    const client::KeyParts key = client::split_key(version->key());
    Decision decision =
        context.server.remove({&request.kind(), key.ns, key.name}, wanted.options, wanted.write);
    if (!decision.answer && !is_not_found(decision.answer.error()) && !failed) {
      failed = decision.answer.error();
    }
    for (const std::string& warning : decision.warnings) {
      if (std::ranges::find(warnings, warning) == warnings.end()) {
        warnings.push_back(warning);
      }
    }
  }
  context.server.store().when_committed(
      context.server.store().head_revision(),
      [reply, warnings, failed, page = *page, kind = &request.kind(),
       now = context.clock.now()](const Result<void>& committed) {
        if (!committed || failed) {
          reply.fail(committed ? *failed : committed.error(), warnings);
          return;
        }
        reply.respond(buffered_list_response({reply.format(), IncludeObject::metadata, now}, *kind,
                                             page, warnings));
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
    if (const auto allowed = check_stored_object(context, request); !allowed) {
      reply.fail(allowed.error());
      return;
    }
    answer_delete(context, request, reply,
                  context.server.remove(request.ref(), wanted.options, wanted.write));
  });
}

Prepared prepare_delete_collection(RestContext& context, RestRequest request) {
  auto wanted = read_delete_request(request);
  const auto query = parse_read_query(request.target, false);
  if (!wanted || !query) {
    return failure_response(wanted ? query.error() : wanted.error(), request.format);
  }
  return make_call([&context, wanted = *std::move(wanted), query = *query,
                    request = std::move(request)](std::shared_ptr<http::Exchange> exchange) {
    run_delete_collection(context, request, query, wanted,
                          Reply(context, request, std::move(exchange)));
  });
}

}  // namespace windlass::apiserver
