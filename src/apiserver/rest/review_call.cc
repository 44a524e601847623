// SelfSubjectAccessReview: what the user may do (api.md M128).
#include <google/protobuf/message.h>

#include "apiserver/auth/authorizer.h"
#include "apiserver/rest/body.h"
#include "apiserver/rest/calls.h"
#include "apiserver/rest/responses.h"
#include "schema/authorization/v1/self_subject_access_review.pb.h"

namespace windlass::apiserver {
namespace {

using Review = api::authorization::v1::SelfSubjectAccessReview;

RequestInfo asked_for(const Review& review) {
  RequestInfo info;
  if (review.spec().has_non_resource_attributes()) {
    info.path = review.spec().non_resource_attributes().path();
    info.verb = review.spec().non_resource_attributes().verb();
    return info;
  }
  const auto& attributes = review.spec().resource_attributes();
  info.is_resource = true;
  info.verb = attributes.verb();
  info.group = attributes.group();
  info.version = attributes.version();
  info.ns = attributes.namespace_();
  info.resource = attributes.resource();
  info.subresource = attributes.subresource();
  info.name = attributes.name();
  return info;
}

}  // namespace

Prepared prepare_access_review(RestContext&, RestRequest request) {
  auto body = decode_body(request.http, request.kind(), FieldValidation::ignore);
  if (!body) {
    return failure_response(body.error(), request.format);
  }
  auto& review = static_cast<Review&>(*body->object);
  const AccessReview answer = review_access(request.user, asked_for(review));
  review.mutable_status()->set_allowed(answer.allowed);
  if (!answer.reason.empty()) {
    review.mutable_status()->set_reason(answer.reason);
  }
  Format plain = request.format;
  plain.form = Form::object;
  return message_response(201, plain, request.kind().type_meta(), review);
}

}  // namespace windlass::apiserver
