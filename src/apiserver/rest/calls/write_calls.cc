// POST, PUT and PATCH: api.md M1, M90, M110.
#include <google/protobuf/message.h>

#include <optional>

#include "apiserver/rest/answers/format.h"
#include "apiserver/rest/answers/reply.h"
#include "apiserver/rest/body.h"
#include "apiserver/rest/calls/calls.h"
#include "apiserver/rest/object_access.h"
#include "apiserver/rest/options.h"

namespace windlass::apiserver {
namespace {

std::optional<PatchType> patch_type(const http::Request& request) {
  const std::string type =
      parse_media_type(http::find_header(request.headers, "Content-Type").value_or("")).type;
  if (type == "application/json-patch+json") {
    return PatchType::json;
  }
  if (type == "application/merge-patch+json") {
    return PatchType::merge;
  }
  if (type == "application/strategic-merge-patch+json") {
    return PatchType::strategic;
  }
  if (type == "application/apply-patch+yaml") {
    return PatchType::apply;
  }
  return std::nullopt;
}

Result<WriteOptions> write_options(WriteVerb verb, const RestRequest& request) {
  TRY(WriteOptions options,
      make_write_options(verb, parse_write_query(request.target, request.http.headers)));
  if (role_of(request.user) == Role::node) {
    options.node = node_of(request.user);
  }
  return options;
}

}  // namespace

Prepared prepare_create(RestContext& context, RestRequest request) {
  const auto options = write_options(WriteVerb::create, request);
  if (!options) {
    return failure_response(options.error(), request.format);
  }
  auto body = decode_body(request.http, request.kind(), options->field_validation);
  if (!body) {
    return failure_response(body.error(), request.format);
  }
  if (const auto allowed = check_new_object(request, *body->object); !allowed) {
    return failure_response(allowed.error(), request.format);
  }
  request.http.body.clear();
  return make_call([&context, options = *options, request = std::move(request),
                    body = *std::move(body)](std::shared_ptr<http::Exchange> exchange) mutable {
    const Reply reply(context, request, std::move(exchange));
    reply.result(context.server.create(request.ref(), std::move(body.object), options), 201,
                 body.warnings);
  });
}

Prepared prepare_update(RestContext& context, RestRequest request) {
  const auto options = write_options(WriteVerb::update, request);
  if (!options) {
    return failure_response(options.error(), request.format);
  }
  auto body = decode_body(request.http, request.kind(), options->field_validation);
  if (!body) {
    return failure_response(body.error(), request.format);
  }
  request.http.body.clear();
  return make_call([&context, options = *options, request = std::move(request),
                    body = *std::move(body)](std::shared_ptr<http::Exchange> exchange) mutable {
    const Reply reply(context, request, std::move(exchange));
    if (const auto allowed = check_before_write(context, request, request.ref()); !allowed) {
      reply.fail(allowed.error());
      return;
    }
    reply.result(context.server.update(request.ref(), request.served->subresource,
                                       std::move(body.object), options),
                 200, body.warnings);
  });
}

Prepared prepare_patch(RestContext& context, RestRequest request) {
  const std::optional<PatchType> type = patch_type(request.http);
  if (!type) {
    return failure_response(unsupported_media_type("415: Unsupported Media Type"), request.format);
  }
  const auto options =
      write_options(*type == PatchType::apply ? WriteVerb::apply : WriteVerb::patch, request);
  if (!options) {
    return failure_response(options.error(), request.format);
  }
  PatchBody body = read_patch(*type, request.http.body);
  request.http.body.clear();
  return make_call([&context, options = *options, request = std::move(request),
                    body = std::move(body)](std::shared_ptr<http::Exchange> exchange) {
    const Reply reply(context, request, std::move(exchange));
    if (const auto allowed = check_before_write(context, request, request.ref()); !allowed) {
      reply.fail(allowed.error());
      return;
    }
    reply.result(context.server.patch(request.ref(), request.served->subresource, body, options),
                 200);
  });
}

}  // namespace windlass::apiserver
