#include "apiserver/rest/rest_handler.h"

#include <algorithm>
#include <array>

#include "apiserver/auth/parsed_head.h"
#include "apiserver/rest/answers/responses.h"
#include "apiserver/rest/calls/calls.h"
#include "apiserver/rest/options.h"
#include "apiserver/rest/paths.h"
#include "apiserver/verbs/request_errors.h"
#include "http/status_response.h"

namespace windlass::apiserver {
namespace {

// For the metrics: methods are the client's to invent, label values are not.
std::string_view verb_label(std::string_view verb) {
  static constexpr std::array<std::string_view, 10> kVerbs = {
      "get",  "list", "watch", "create", "update", "patch", "delete", "deletecollection",
      "head", "post"};
  const auto* found = std::ranges::find(kVerbs, verb);
  return found == kVerbs.end() ? "other" : *found;
}

ResponseFormat format_of_error(const http::Headers& headers, const http::Target& target) {
  if (auto format = negotiate(headers, target, false)) {
    return *format;
  }
  ResponseFormat plain;
  plain.pretty = wants_pretty(headers, target);
  return plain;
}

bool is_limited_event(const RestRequest& request) {
  const std::string& verb = request.info.verb;
  return request.kind().plural == "events" &&
         (verb == "create" || verb == "update" || verb == "patch") &&
         role_of(request.user) != Role::admin;
}

// Whether the path itself names an object, whatever a selector says (api.md M86).
bool path_names_object(const RestRequest& request) {
  const RequestInfo& info = request.info;
  size_t segments = request.target.segments.size() - (info.group.empty() ? 2 : 3);
  const size_t first = info.group.empty() ? 2 : 3;
  if (request.target.segments[first] == "watch" && info.verb == "watch" && segments > 1) {
    --segments;
  }
  const bool in_namespace = !info.ns.empty() && info.resource != "namespaces";
  return segments > (in_namespace ? 3U : 1U);
}

// /api/v1/watch/..., the older way to ask for a watch (M2).
bool is_watch_path(const RestRequest& request) {
  const size_t first = request.info.group.empty() ? 2 : 3;
  return request.info.verb == "watch" && request.target.segments[first] == "watch" &&
         request.info.resource != "watch";
}

// Besides what the client selects by: of two parameters the first alone would count.
void select_name(http::Target& target, const std::string& name) {
  const std::string by_name = "metadata.name=" + name;
  const auto given = std::ranges::find(target.parameters, "fieldSelector", &http::Parameter::name);
  if (given == target.parameters.end()) {
    target.parameters.push_back({"fieldSelector", by_name});
  } else {
    given->value += (given->value.empty() ? "" : ",") + by_name;
  }
}

// M29: a namespaced object has a namespace, others have none.
bool has_right_scope(const RestRequest& request, bool named) {
  const api::Kind& kind = request.kind();
  if (kind.namespaced) {
    return !named || !request.info.ns.empty();
  }
  return request.info.ns.empty() || kind.plural == "namespaces";
}

// E5: lists that are always empty.
Prepared empty_list(RestContext& context, const EmptyResource& resource, RestRequest request) {
  if (request.info.verb != "list") {
    return failure_response(no_such_resource(), request.format);
  }
  return make_call([&context, &resource](const std::shared_ptr<http::Exchange>& exchange) {
    http::Response response;
    response.headers = answer_headers("application/json");
    response.body = R"({"kind":")" + std::string(resource.kind) + R"(List","apiVersion":")" +
                    (resource.group.empty() ? "" : std::string(resource.group) + "/") +
                    std::string(resource.version) + R"(","metadata":{"resourceVersion":")" +
                    std::to_string(context.server.store().revision()) + R"("},"items":[]})" + "\n";
    exchange->respond(std::move(response));
  });
}

}  // namespace

RestHandler::RestHandler(Server& server, env::Executor& executor, env::Clock& clock,
                         env::Random& random, Authenticator authenticator, RestOptions options)
    : authenticator_(std::move(authenticator)),
      options_(std::move(options)),
      discovery_(options_.address, options_.hooks.attempts != nullptr),
      openapi_(api_version_text(options_.version), options_.hooks.attempts != nullptr),
      context_(std::make_shared<RestContext>(server, clock, executor, random, options_.hooks)),
      streams_(std::make_unique<StreamHub>(executor, server.store())) {}

RestHandler::~RestHandler() {
  context_->open = false;
}

std::shared_ptr<http::RequestContext> RestHandler::read_head(const http::Request& head,
                                                             const http::Peer& peer) const {
  return parse_head(authenticator_, head, peer);
}

std::optional<http::Response> RestHandler::screen(const http::Request& head,
                                                  http::RequestContext& context) const {
  const auto& read = static_cast<const ParsedHead&>(context);
  if (!read.target) {
    return refuse_target(read.target.error());
  }
  if (read.authorized && !read.is_anonymous) {
    return std::nullopt;
  }
  const Status status = read.is_anonymous ? unauthorized() : read.authorized.error();
  http::Response refusal = failure_response(status, format_of_error(head.headers, *read.target));
  observe(read.info, refusal, context_->clock.monotonic());
  return refusal;
}

Prepared RestHandler::prepare(http::Request http) const {
  RestRequest request;
  request.began = context_->clock.monotonic();
  if (http.context == nullptr) {
    http.context = read_head(http, http.peer);
  }
  const auto context = std::move(http.context);
  auto& head = static_cast<ParsedHead&>(*context);
  if (!head.target) {
    return refuse_target(head.target.error());
  }
  request.target = *std::move(head.target);
  request.info = head.info;
  request.http = std::move(http);
  const MonotonicTime began = request.began;
  Prepared prepared = route(std::move(request), std::move(head.authorized));
  if (const auto* response = std::get_if<http::Response>(&prepared)) {
    observe(head.info, *response, began);
  }
  return prepared;
}

http::Response RestHandler::refuse_target(const Status& status) const {
  context_->metrics.observe("other", "", status.code, Duration::zero());
  return failure_response(status, ResponseFormat());
}

void RestHandler::observe(const RequestInfo& info, const http::Response& response,
                          MonotonicTime began) const {
  const Served* served = find_served(info.group, info.version, info.resource, info.subresource);
  context_->metrics.observe(verb_label(info.verb), served != nullptr ? served->kind->plural : "",
                            response.status, context_->clock.monotonic() - began);
}

Prepared RestHandler::route(RestRequest request, Result<Authorized> authorized) const {
  const http::Headers& headers = request.http.headers;
  const bool streams = request.info.verb == "watch" || request.info.subresource == "log" ||
                       request.info.subresource == "exec";
  if (const auto checked = check_timeout_parameter(request.target); !checked && !streams) {
    return failure_response(checked.error(), format_of_error(headers, request.target));
  }
  if (!authorized) {
    return failure_response(authorized.error(), format_of_error(headers, request.target));
  }
  request.user = std::move(authorized->user);
  request.check_object = authorized->check_object;
  return request.info.is_resource ? route_resource(std::move(request))
                                  : route_path(std::move(request));
}

Prepared RestHandler::route_resource(RestRequest request) const {
  RequestInfo& info = request.info;
  if (const EmptyResource* empty = find_empty_resource(info.group, info.version, info.resource)) {
    return empty_list(*context_, *empty, std::move(request));
  }
  const bool off = is_ledger(info.group, info.version) && context_->hooks.attempts == nullptr;
  if (off || find_served_version(info.group, info.version) == nullptr) {
    return page_not_found();
  }
  const bool named = path_names_object(request);
  request.served = find_served(info.group, info.version, info.resource, info.subresource);
  if (request.served == nullptr || info.has_more_segments || !has_right_scope(request, named)) {
    return failure_response(no_such_resource(),
                            format_of_error(request.http.headers, request.target));
  }
  const bool watch_path = is_watch_path(request);
  if (info.verb == "watch" && named) {
    if (watch_path) {
      select_name(request.target, info.name);
    } else {
      info.verb = "get";  // M86
    }
  }
  auto format = negotiate(request.http.headers, request.target, info.verb == "watch");
  if (!format) {
    return failure_response(format.error(), ResponseFormat());
  }
  request.format = *format;
  const bool wants_name = info.verb == "get" || info.verb == "update" || info.verb == "patch" ||
                          info.verb == "delete" || !info.subresource.empty();
  const bool everywhere = request.kind().namespaced && info.ns.empty();
  const bool bad_create = info.verb == "create" && (everywhere || (named && !wants_name));
  const bool bad_sweep = info.verb == "deletecollection" && everywhere;
  if (request.http.method == "HEAD" || !request.served->allows(info.verb) || bad_create ||
      bad_sweep || (wants_name && !named)) {
    return failure_response(method_not_allowed(), request.format);
  }
  if (is_limited_event(request) &&
      !context_->event_rates.take(request.user.name, context_->clock.monotonic())) {
    return failure_response(
        http::too_many_requests("this user writes too many events, some of them are not stored"),
        request.format);
  }
  if (!request.kind().namespaced) {
    info.ns.clear();
  }
  return dispatch(std::move(request));
}

Prepared RestHandler::dispatch(RestRequest request) const {
  RestContext& context = *context_;
  const std::string& verb = request.info.verb;
  const std::string_view subresource = request.served->subresource;
  if (subresource == "binding" || request.kind().kind == "Binding") {
    return prepare_bind(context, std::move(request));
  }
  if (subresource == "eviction") {
    return prepare_evict(context, std::move(request));
  }
  if (subresource == "log") {
    return prepare_log(context, std::move(request));
  }
  if (subresource == "exec") {
    return prepare_exec(context, std::move(request));
  }
  if (request.kind().kind == "SelfSubjectReview") {
    return prepare_self_review(context, std::move(request));
  }
  if (request.kind().kind == "SelfSubjectAccessReview") {
    return prepare_access_review(context, std::move(request));
  }
  if (request.kind().kind == "SelfSubjectRulesReview") {
    return prepare_rules_review(context, std::move(request));
  }
  if (&request.kind() == &api::kinds::attempt()) {
    return verb == "get" ? prepare_attempt_get(context, std::move(request))
                         : prepare_attempt_list(context, std::move(request));
  }
  if (verb == "get") {
    return prepare_get(context, std::move(request));
  }
  if (verb == "list") {
    return prepare_list(context, *streams_, std::move(request));
  }
  if (verb == "watch") {
    return prepare_watch(context, *streams_, std::move(request));
  }
  if (verb == "create") {
    return prepare_create(context, std::move(request));
  }
  if (verb == "update") {
    return prepare_update(context, std::move(request));
  }
  if (verb == "patch") {
    return prepare_patch(context, std::move(request));
  }
  if (verb == "delete") {
    return prepare_delete(context, std::move(request));
  }
  return prepare_delete_collection(context, *streams_, std::move(request));
}

Prepared RestHandler::route_path(RestRequest request) const {
  const std::vector<std::string>& path = request.target.segments;
  if (request.http.method != "GET" && request.http.method != "HEAD") {
    return failure_response(method_not_allowed(),
                            format_of_error(request.http.headers, request.target));
  }
  if (path.empty()) {
    return root_paths(context_->hooks.attempts != nullptr);
  }
  if (path[0] == "api" || path[0] == "apis") {
    return discovery_response(discovery_, request);
  }
  if (path[0] == "openapi") {
    return openapi_response(openapi_, request);
  }
  if (path[0] == "version" && path.size() == 1) {
    return version_response(options_.version);
  }
  if (path[0] == "healthz" || path[0] == "livez" || path[0] == "readyz") {
    return health_call(*context_, std::move(request));
  }
  if (path[0] == "metrics" && path.size() == 1) {
    return metrics_call(*context_, *streams_);
  }
  if (path[0] == "configz" && path.size() == 1 && !context_->hooks.settings.empty()) {
    return settings_response(context_->hooks.settings);
  }
  return page_not_found();
}

}  // namespace windlass::apiserver
