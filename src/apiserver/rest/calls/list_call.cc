// GET of a collection: api.md M60-M68.
#include "apiserver/rest/answers/list_stream.h"
#include "apiserver/rest/calls/calls.h"
#include "apiserver/rest/calls/versioned_call.h"
#include "apiserver/rest/options.h"
#include "apiserver/verbs/continue_token.h"

namespace windlass::apiserver {
namespace {

struct ListPlan {
  ReadQuery query;
  store::Revision at_least = 0;  // wait for it
  ReadOptions options;
};

// M62, M65.
Result<ListPlan> plan_list(const http::Target& target) {
  ListPlan plan;
  TRY(plan.query, parse_read_query(target, false));
  const ReadQuery& query = plan.query;
  TRY(plan.at_least, parse_version(query.version, true));
  const bool whole = query.version == "0" && query.continue_token.empty();
  plan.options.limit = whole ? 0 : query.limit;
  plan.options.continue_token = query.continue_token;
  const bool exact =
      query.match == VersionMatch::exact || (query.match == VersionMatch::none && query.limit > 0);
  if (exact) {
    plan.options.exact = plan.at_least;
  }
  return plan;
}

// M67: how to go on from an expired token, at the price of consistency.
std::string fresh_token(const Status& failure, const std::string& continue_token) {
  if (failure.code != 410 || continue_token.empty()) {
    return "";
  }
  auto token = decode_continue(continue_token);
  if (!token) {
    return "";
  }
  token->revision = 0;
  token->left.reset();  // of the snapshot that is gone
  return encode_continue(*token);
}

void run_list(RestContext& context, StreamHub& streams, const RestRequest& request,
              const ListPlan& plan, const Reply& reply) {
  const auto view = view_options(
      request.format, request.target.parameter("includeObject").value_or(""), context.clock.now());
  if (!view) {
    reply.fail(view.error());
    return;
  }
  const Collection collection{&request.kind(), request.info.ns, plan.query.label_selector,
                              plan.query.field_selector};
  auto search = CollectionSearch::begin(context.server, collection, plan.options);
  if (!search) {
    reply.respond(failure_response(search.error(), request.format, {},
                                   fresh_token(search.error(), plan.options.continue_token)));
    return;
  }
  stream_search(streams, *view, request.kind(), *std::move(search), reply);
}

}  // namespace

Prepared prepare_list(RestContext& context, StreamHub& streams, RestRequest request) {
  auto plan = plan_list(request.target);
  if (!plan) {
    return failure_response(plan.error(), request.format);
  }
  const store::Revision at_least = plan->at_least;
  return versioned_call(
      context, std::move(request), at_least,
      [&context, &streams, plan = *std::move(plan)](const RestRequest& found, const Reply& reply) {
        run_list(context, streams, found, plan, reply);
      });
}

}  // namespace windlass::apiserver
