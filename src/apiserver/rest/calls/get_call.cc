// GET of one object: api.md M69, M86.
#include <google/protobuf/message.h>

#include "apiserver/auth/authorizer.h"
#include "apiserver/rest/answers/reply.h"
#include "apiserver/rest/answers/views.h"
#include "apiserver/rest/calls/calls.h"
#include "apiserver/rest/calls/naming_pods.h"
#include "apiserver/rest/calls/versioned_call.h"
#include "apiserver/rest/object_access.h"
#include "apiserver/rest/options.h"
#include "apiserver/stored_form.h"

namespace windlass::apiserver {
namespace {

// A whole object reads the same for ever, and hot ones are read again and again.
http::Response cached_response(RestContext& context, const RestRequest& request,
                               const ViewOptions& view, const store::VersionPtr& version) {
  const ResponseFormat& format = request.format;
  http::Response response;
  response.headers = answer_headers(format.content_type());
  const bool cacheable = format.form == ResponseForm::object && !format.pretty;
  const EncodedKey key{version->revision(), &request.kind(), encoded_variant(format.encoding)};
  if (cacheable) {
    if ((response.shared = context.encoded.find(key))) {
      return response;
    }
  }
  response.make_body = [view, version, object = decoded_as(request.kind(), *version), key,
                        cacheable, cache = &context.encoded] {
    const api::Kind& kind = *key.kind;
    std::unique_ptr<Message> made;
    if (!object) {
      made = kind.make();
      parse_version(kind, *version, *made);
    }
    std::string body = view_object(view, kind, object ? *object : *made);
    if (cacheable) {
      cache->insert(key, std::make_shared<const std::string>(body));
    }
    return body;
  };
  return response;
}

void answer_get(RestContext& context, const RestRequest& request, const Reply& reply) {
  const auto view = view_options(
      request.format, request.target.parameter("includeObject").value_or(""), context.clock.now());
  if (!view) {
    reply.fail(view.error());
    return;
  }
  const auto version = context.server.get_version(request.ref());
  if (!version) {
    reply.fail(version.error());
    return;
  }
  reply.respond(cached_response(context, request, *view, *version));
}

bool needs_naming_pod(const RestRequest& request) {
  return request.check_object && is_named_by_pods(request.kind());
}

// Before the look-up: a user without permission must not learn whether the object exists.
void run_if_named(RestContext& context, const RestRequest& request, const Reply& reply) {
  const std::string node(node_of(request.user));
  find_naming_pod(context.shared_from_this(), request.ref(), node,
                  [&context, request, reply, node](bool named) {
                    const auto allowed =
                        check_object(request.user, request.info,
                                     {request.info.name, named ? node : std::string_view()});
                    allowed ? answer_get(context, request, reply) : reply.fail(allowed.error());
                  });
}

void run_get(RestContext& context, const RestRequest& request, const Reply& reply) {
  if (needs_naming_pod(request)) {
    run_if_named(context, request, reply);
    return;
  }
  const auto allowed = check_before_read(context, request);
  allowed ? answer_get(context, request, reply) : reply.fail(allowed.error());
}

}  // namespace

Prepared prepare_get(RestContext& context, RestRequest request) {
  if (request.target.flag("export")) {
    return failure_response(
        bad_request("the export parameter, deprecated since v1.14, is no longer supported"),
        request.format);
  }
  const auto revision =
      parse_version(std::string(request.target.parameter("resourceVersion").value_or("")), false);
  if (!revision) {
    return failure_response(revision.error(), request.format);
  }
  const CallSpeed speed = needs_naming_pod(request) ? CallSpeed::slow : CallSpeed::quick;
  return versioned_call(
      context, std::move(request), *revision,
      [&context](const RestRequest& found, const Reply& reply) { run_get(context, found, reply); },
      speed);
}

}  // namespace windlass::apiserver
