// SelfSubjectReview, SelfSubjectAccessReview and SelfSubjectRulesReview: who the user is, and may
// do what (api.md M128).
#include <google/protobuf/message.h>

#include "apiserver/auth/authorizer.h"
#include "apiserver/rest/answers/responses.h"
#include "apiserver/rest/body.h"
#include "apiserver/rest/calls/calls.h"
#include "apiserver/rest/options.h"
#include "schema/authentication/v1/self_subject_review.pb.h"
#include "schema/authorization/v1/self_subject_access_review.pb.h"
#include "schema/authorization/v1/self_subject_rules_review.pb.h"

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

using RulesReviewMessage = api::authorization::v1::SelfSubjectRulesReview;
using Texts = google::protobuf::RepeatedPtrField<std::string>;

Texts texts(const std::vector<std::string>& from) {
  return {from.begin(), from.end()};
}

std::vector<ServedResource> served_resources() {
  std::vector<ServedResource> resources;
  for (const Served& served : all_served()) {
    if (served.subresource.empty()) {
      resources.push_back({served.kind->group, served.kind->plural});
    }
  }
  return resources;
}

void fill_rules(const RulesReview& rules, RulesReviewMessage& review) {
  auto& status = *review.mutable_status();
  status.Clear();
  for (const ResourceRule& rule : rules.resources) {
    auto& added = *status.add_resource_rules();
    *added.mutable_verbs() = texts(rule.verbs);
    *added.mutable_api_groups() = texts(rule.groups);
    *added.mutable_resources() = texts(rule.resources);
    *added.mutable_resource_names() = texts(rule.names);
  }
  for (const PathRule& rule : rules.paths) {
    auto& added = *status.add_non_resource_rules();
    *added.mutable_verbs() = texts(rule.verbs);
    *added.mutable_non_resource_urls() = texts(rule.paths);
  }
}

Prepared created(const RestRequest& request, const Message& review) {
  ResponseFormat plain = request.format;
  plain.form = ResponseForm::object;
  return message_response(201, plain, request.kind().type_meta(), review);
}

// A review is a create that stores nothing, with the options of a create.
Result<Body> read_review(const RestRequest& request) {
  TRY(const WriteOptions options,
      make_write_options(WriteVerb::create,
                         parse_write_query(request.target, request.http.headers)));
  return decode_body(request.http, request.kind(), options.field_validation);
}

}  // namespace

Prepared prepare_self_review(RestContext&, RestRequest request) {
  auto body = read_review(request);
  if (!body) {
    return failure_response(body.error(), request.format);
  }
  auto& review = static_cast<api::authentication::v1::SelfSubjectReview&>(*body->object);
  auto& user = *review.mutable_status()->mutable_user_info();
  user.Clear();
  user.set_username(request.user.name);
  *user.mutable_groups() = texts(request.user.groups);
  if (!request.user.uid.empty()) {
    user.set_uid(request.user.uid);
  }
  return created(request, review);
}

Prepared prepare_access_review(RestContext&, RestRequest request) {
  auto body = read_review(request);
  if (!body) {
    return failure_response(body.error(), request.format);
  }
  auto& review = static_cast<Review&>(*body->object);
  const AccessReview answer = review_access(request.user, asked_for(review));
  review.mutable_status()->set_allowed(answer.allowed);
  if (!answer.reason.empty()) {
    review.mutable_status()->set_reason(answer.reason);
  }
  return created(request, review);
}

Prepared prepare_rules_review(RestContext&, RestRequest request) {
  auto body = read_review(request);
  if (!body) {
    return failure_response(body.error(), request.format);
  }
  auto& review = static_cast<RulesReviewMessage&>(*body->object);
  if (review.spec().namespace_().empty()) {
    return failure_response(bad_request("no namespace on request"), request.format);
  }
  // The same in every namespace: the roles here know none.
  fill_rules(review_rules(request.user, served_resources()), review);
  return created(request, review);
}

}  // namespace windlass::apiserver
