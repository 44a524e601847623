// GET of attempts, which come from the ledger and not from the store: docs/reference/ledger.md.
#include <algorithm>

#include "api/codec/json/json.h"
#include "api/codec/protobuf.h"
#include "apiserver/rest/answers/reply.h"
#include "apiserver/rest/answers/views.h"
#include "apiserver/rest/answers/wire.h"
#include "apiserver/rest/calls/calls.h"
#include "apiserver/rest/options.h"
#include "apiserver/table/table.h"
#include "apiserver/verbs/request_errors.h"
#include "ledger/attempt_selector.h"
#include "schema/ledger/v1/attempt.pb.h"
#include "schema/meta/v1/meta.pb.h"

namespace windlass::apiserver {
namespace {

using ledger::AttemptFilter;
using ledger::AttemptPage;
using ledger::AttemptSource;

struct AttemptSearch {
  AttemptFilter filter;
  size_t limit = 0;
  std::string continue_token;
};

Result<AttemptSearch> plan_search(const RestRequest& request) {
  TRY(const ReadQuery query, parse_read_query(request.target, false));
  if (!query.label_selector.empty()) {
    return fail(
        bad_request("attempts have no labels: use a field selector, for example "
                    "job.name=NAME"));
  }
  AttemptSearch search;
  TRY(search.filter, ledger::parse_attempt_selector(query.field_selector));
  const std::string& ns = request.info.ns;
  if (!ns.empty() && !search.filter.ns.empty() && ns != search.filter.ns) {
    return fail(bad_request("metadata.namespace differs from the namespace of the path"));
  }
  search.filter.ns = ns.empty() ? search.filter.ns : ns;
  search.limit = static_cast<size_t>(
      std::clamp<int64_t>(query.limit, 0, static_cast<int64_t>(AttemptSource::kMaxPage)));
  search.continue_token = query.continue_token;
  return search;
}

std::string partial_list(const ResponseFormat& format, const AttemptPage& page) {
  const api::TypeMeta type = {"meta.k8s.io/" + format.meta_version, "PartialObjectMetadataList"};
  if (format.encoding == Encoding::protobuf) {
    api::meta::v1::ListMeta metadata;
    metadata.set_continue_(page.next);
    std::string raw;
    append_field(1, metadata.SerializeAsString(), raw);
    for (const ledger::AttemptPtr& attempt : page.items) {
      std::string item;
      append_field(1, api::encode_protobuf(attempt->metadata()), item);
      append_field(2, item, raw);
    }
    std::string body;
    append_envelope_head(type, raw.size(), body);
    return body + raw;
  }
  std::string json =
      R"({"kind":")" + type.kind + R"(","apiVersion":")" + type.api_version + R"(","metadata":)";
  append_list_metadata({"", page.next, {}}, json);
  json += R"(,"items":[)";
  for (size_t i = 0; i < page.items.size(); ++i) {
    json += i == 0 ? "" : ",";
    append_partial_json(format.meta_version, *page.items[i], json);
  }
  return encode_json_text(format, json + "]}");
}

std::string attempt_table(const ViewOptions& view, const AttemptPage& page) {
  std::string json;
  TableWriter table(view, api::kinds::attempt(), json);
  table.open({"", page.next, {}}, true);
  for (const ledger::AttemptPtr& attempt : page.items) {
    table.row(*attempt);
  }
  table.close();
  return encode_json_text(view.format, std::move(json));
}

std::string attempt_list(const ViewOptions& view, const AttemptPage& page) {
  switch (view.format.form) {
    case ResponseForm::table:
      return attempt_table(view, page);
    case ResponseForm::partial:
      return partial_list(view.format, page);
    case ResponseForm::object:
      break;
  }
  api::ledger::v1::AttemptList list;
  list.mutable_metadata()->set_continue_(page.next);
  for (const ledger::AttemptPtr& attempt : page.items) {
    *list.add_items() = *attempt;
  }
  return encode_message(view.format, api::kinds::attempt().list_type_meta(), list);
}

// Encoded on the transport's thread.
template <class Encode>
void respond_with(const Reply& reply, Encode encode) {
  http::Response response;
  response.headers = answer_headers(reply.format().content_type());
  response.make_body = std::move(encode);
  reply.respond(std::move(response));
}

Result<ViewOptions> view_of(RestContext& context, const RestRequest& request) {
  return view_options(request.format, request.target.parameter("includeObject").value_or(""),
                      context.clock.now());
}

}  // namespace

Prepared prepare_attempt_list(RestContext& context, RestRequest request) {
  auto search = plan_search(request);
  if (!search) {
    return failure_response(search.error(), request.format);
  }
  auto view = view_of(context, request);
  if (!view) {
    return failure_response(view.error(), request.format);
  }
  return make_call([&context, request = std::move(request), search = *std::move(search),
                    view = *std::move(view)](const std::shared_ptr<http::Exchange>& exchange) {
    const Reply reply(context, request, exchange);
    context.hooks.attempts->find(
        search.filter, search.limit, search.continue_token,
        [reply, view](const Result<AttemptPage>& page) {
          if (!page) {
            return reply.fail(page.error());
          }
          respond_with(reply, [view, found = *page] { return attempt_list(view, found); });
        });
  });
}

Prepared prepare_attempt_get(RestContext& context, RestRequest request) {
  auto view = view_of(context, request);
  if (!view) {
    return failure_response(view.error(), request.format);
  }
  return make_call([&context, request = std::move(request),
                    view = *std::move(view)](const std::shared_ptr<http::Exchange>& exchange) {
    const Reply reply(context, request, exchange);
    AttemptFilter filter;
    filter.ns = request.info.ns;
    filter.pod_uid = request.info.name;
    context.hooks.attempts->find(
        filter, 1, "", [reply, view, ref = request.ref()](const Result<AttemptPage>& page) {
          if (!page) {
            return reply.fail(page.error());
          }
          if (page->items.empty()) {
            return reply.fail(not_found(resource_name(ref)));
          }
          respond_with(reply, [view, attempt = page->items.front()] {
            return view_object(view, api::kinds::attempt(), *attempt);
          });
        });
  });
}

}  // namespace windlass::apiserver
