#include "apiserver/rest/answers/reply.h"

#include "apiserver/rest/answers/views.h"
#include "client/object_identity.h"
#include "schema/meta/v1/meta.pb.h"

namespace windlass::apiserver {
namespace {

std::string resource_label(const Served* served) {
  if (served == nullptr) {
    return "";
  }
  std::string label(served->kind->plural);
  if (!served->subresource.empty()) {
    label.append("/").append(served->subresource);
  }
  return label;
}

}  // namespace

Reply::Reply(RestContext& context, const RestRequest& request,
             std::shared_ptr<http::Exchange> exchange)
    : context_(context.shared_from_this()),
      format_(request.format),
      include_object_(request.target.parameter("includeObject").value_or("")),
      served_(request.served),
      verb_(request.info.verb),
      resource_(resource_label(request.served)),
      began_(request.began),
      exchange_(std::move(exchange)) {}

void Reply::note(int code) const {
  context_->metrics.observe(verb_, resource_, code, context_->clock.monotonic() - began_);
}

void Reply::respond(http::Response response) const {
  note(response.status);
  exchange_->respond(std::move(response));
}

void Reply::fail(const Status& failure, const Warnings& warnings) const {
  respond(failure_response(failure, format_, warnings));
}

void Reply::message(int code, const api::TypeMeta& type, const Message& message,
                    const Warnings& warnings) const {
  ResponseFormat plain = format_;
  plain.form = ResponseForm::object;
  respond(message_response(code, plain, type, message, warnings));
}

void Reply::object(int code, const ObjectPtr& object, const Warnings& warnings) const {
  const Result<ViewOptions> view = view_options(format_, include_object_, context_->clock.now());
  if (!view) {
    fail(view.error());
    return;
  }
  http::Response response;
  response.status = code;
  response.headers = answer_headers(format_.content_type(), warnings);
  response.make_body = [view = *view, kind = served_->kind, object] {
    return view_object(view, *kind, *object);
  };
  respond(std::move(response));
}

void Reply::result(WriteResult result, int code, const Warnings& warnings) const {
  store::Store& store = context_->server.store();
  const store::Revision durable_at = result.durable_at;
  store.when_committed(durable_at, [reply = *this, code, warnings,
                                    result = std::make_shared<WriteResult>(std::move(result))](
                                       const Result<void>& committed) {
    Warnings all = warnings;
    all.insert(all.end(), result->warnings.begin(), result->warnings.end());
    if (!committed) {
      reply.fail(committed.error(), all);
    } else if (!result->answer) {
      reply.fail(result->answer.error(), all);
    } else {
      reply.object(result->created ? 201 : code, *result->answer, all);
    }
  });
}

}  // namespace windlass::apiserver
