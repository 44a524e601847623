// GET of a collection: api.md M60-M68.
#include "apiserver/continue_token.h"
#include "apiserver/rest/calls.h"
#include "apiserver/rest/list_encoder.h"
#include "apiserver/rest/options.h"
#include "apiserver/rest/reply.h"
#include "apiserver/rest/versioned_call.h"

namespace windlass::apiserver {
namespace {

// A page of kubectl's size is one answer, made on the transport's thread; more than that is
// streamed.
constexpr size_t kMaxBufferedItems = 500;
constexpr size_t kPieceBytes = 64U << 10;

class ListStream final : public Stream {
 public:
  ListStream(const ViewOptions& view, const api::Kind& kind, CollectionPage page)
      : encoder_(view, kind, std::move(page)) {}

  Next run() override {
    std::string piece = encoder_.next(kPieceBytes);
    if (piece.empty()) {
      exchange()->finish();
      return Next::finished;
    }
    exchange()->write(std::make_shared<const std::string>(std::move(piece)));
    return Next::again;
  }

 private:
  ListEncoder encoder_;
};

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
  auto page = context.server.read(collection, plan.options);
  if (!page) {
    reply.respond(failure_response(page.error(), request.format, {},
                                   fresh_token(page.error(), plan.options.continue_token)));
    return;
  }
  if (page->items.size() <= kMaxBufferedItems || !ListEncoder::streams(request.format)) {
    reply.respond(buffered_list_response(*view, request.kind(), *std::move(page)));
    return;
  }
  reply.note(200);
  reply.exchange()->start(200, answer_headers(request.format.content_type()));
  streams.add(std::make_shared<ListStream>(*view, request.kind(), *std::move(page)),
              reply.exchange());
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
