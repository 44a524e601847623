// One request being answered: its exchange, how the client wants the answer, and the note in the
// metrics. Copies share the exchange. Core executor only.
#pragma once

#include <memory>
#include <string>

#include "apiserver/rest/answers/responses.h"
#include "apiserver/rest/rest_context.h"
#include "apiserver/rest/rest_request.h"

namespace windlass::apiserver {

class Reply {
 public:
  Reply(RestContext& context, const RestRequest& request, std::shared_ptr<http::Exchange> exchange);

  void respond(http::Response response) const;
  void fail(const Status& failure, const Warnings& warnings = {}) const;
  // An object as it is stored, in the form that was negotiated. Encoded on the transport's thread.
  void object(int code, const ObjectPtr& object, const Warnings& warnings = {}) const;
  // An answer that is no object of the resource: a Status.
  void message(int code, const api::TypeMeta& type, const Message& message,
               const Warnings& warnings = {}) const;
  // What a write came to, once it is durable.
  void result(WriteResult result, int code, const Warnings& warnings = {}) const;
  // For answers that are streamed.
  void note(int code) const;

  const ResponseFormat& format() const { return format_; }
  const std::shared_ptr<http::Exchange>& exchange() const { return exchange_; }

 private:
  std::shared_ptr<RestContext> context_;
  ResponseFormat format_;
  std::string include_object_;
  const Served* served_;
  std::string verb_;
  std::string resource_;
  MonotonicTime began_;
  std::shared_ptr<http::Exchange> exchange_;
};

}  // namespace windlass::apiserver
