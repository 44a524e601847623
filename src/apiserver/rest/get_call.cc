// GET of one object: api.md M69, M86.
#include <google/protobuf/message.h>

#include "apiserver/rest/calls.h"
#include "apiserver/rest/object_access.h"
#include "apiserver/rest/options.h"
#include "apiserver/rest/reply.h"
#include "apiserver/rest/views.h"
#include "apiserver/rest/wait_for_version.h"
#include "base/check.h"

namespace windlass::apiserver {
namespace {

// The message of a version, made on the transport's thread unless somebody has it.
ObjectPtr parsed(const api::Kind& kind, const store::Version& version) {
  std::unique_ptr<Message> made = kind.make();
  CHECK(made->ParseFromString(version.bytes()), "stored bytes are an object of their kind");
  return made;
}

// A whole object reads the same for ever, and hot ones are read again and again.
http::Response cached_response(RestContext& context, const RestRequest& request,
                               const ViewOptions& view, const store::VersionPtr& version) {
  const Format& format = request.format;
  http::Response response;
  response.headers = answer_headers(format.content_type());
  const bool cacheable = format.form == Form::object && !format.pretty;
  const EncodedKey key{version->revision(), &request.kind(), encoded_variant(format.encoding)};
  if (cacheable) {
    if (const http::Chunk chunk = context.encoded.find(key)) {
      response.body = *chunk;
      return response;
    }
  }
  response.make_body = [view, version, object = version->decoded(), key, cacheable,
                        cache = &context.encoded] {
    const api::Kind& kind = *key.kind;
    std::string body = view_object(view, kind, object ? *object : *parsed(kind, *version));
    if (cacheable) {
      cache->insert(key, std::make_shared<const std::string>(body));
    }
    return body;
  };
  return response;
}

void run_get(RestContext& context, const RestRequest& request, const Reply& reply) {
  const auto allowed = check_stored_object(context, request);
  if (!allowed) {
    reply.fail(allowed.error());
    return;
  }
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

}  // namespace

Prepared prepare_get(RestContext& context, RestRequest request) {
  const auto revision =
      parse_version(std::string(request.target.parameter("resourceVersion").value_or("")), false);
  if (!revision) {
    return failure_response(revision.error(), request.format);
  }
  return make_call([&context, revision = *revision,
                    request = std::move(request)](std::shared_ptr<http::Exchange> exchange) {
    const Reply reply(context, request, std::move(exchange));
    wait_for_version(context, revision, [&context, request, reply](const Result<void>& there) {
      if (there) {
        run_get(context, request, reply);
      } else {
        reply.fail(there.error());
      }
    });
  });
}

}  // namespace windlass::apiserver
