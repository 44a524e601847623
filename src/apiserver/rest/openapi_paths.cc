// /openapi: api.md M123-M125.
#include <fmt/format.h>

#include "apiserver/rest/answers/format.h"
#include "apiserver/rest/answers/responses.h"
#include "apiserver/rest/paths.h"

namespace windlass::apiserver {
namespace {

constexpr std::string_view kProtobufV2 =
    "application/com.github.proto-openapi.spec.v2@v1.0+protobuf";
constexpr std::string_view kProtobufV2Answer =
    "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";

bool wants_protobuf(const RestRequest& request) {
  const auto accept = http::find_header(request.http.headers, "Accept").value_or("");
  for (const MediaType& media : parse_accept(accept)) {
    if (media.type == kProtobufV2 || media.type == kProtobufV2Answer) {
      return true;
    }
    if (media.type == "application/json" || media.type == "*/*") {
      return false;
    }
  }
  return false;
}

http::Response document_response(const OpenApi::Document& document, std::string_view type,
                                 std::string_view cache_control) {
  http::Response response;
  response.headers.push_back({"Content-Type", std::string(type)});
  response.headers.push_back({"Cache-Control", std::string(cache_control)});
  response.headers.push_back({"ETag", "\"" + document.hash + "\""});
  response.headers.push_back({"Vary", "Accept"});
  response.body = document.text;
  return response;
}

// M124: a hash names one document for ever; an old one leads to the new one.
http::Response versioned_response(const OpenApi::Document& document, const std::string& path,
                                  const RestRequest& request) {
  const auto hash = request.target.parameter("hash");
  if (!hash) {
    return document_response(document, "application/json", "no-cache, private");
  }
  if (*hash != document.hash) {
    http::Response moved;
    moved.status = 301;
    moved.headers.push_back(
        {"Location", fmt::format("/openapi/v3/{}?hash={}", path, document.hash)});
    return moved;
  }
  return document_response(document, "application/json", "public, immutable");
}

}  // namespace

http::Response openapi_response(const OpenApi& openapi, const RestRequest& request) {
  const std::vector<std::string>& path = request.target.segments;
  if (path.size() == 2 && path[1] == "v2") {
    const bool protobuf = wants_protobuf(request);
    return document_response(protobuf ? openapi.v2_protobuf() : openapi.v2_json(),
                             protobuf ? kProtobufV2Answer : "application/json",
                             "no-cache, private");
  }
  if (path.size() < 2 || path[1] != "v3") {
    return page_not_found();
  }
  if (path.size() == 2) {
    return text_response(200, openapi.index());
  }
  std::string name;
  for (size_t i = 2; i < path.size(); ++i) {
    name += (name.empty() ? "" : "/") + path[i];
  }
  const OpenApi::Document* document = openapi.document(name);
  return document == nullptr ? page_not_found() : versioned_response(*document, name, request);
}

}  // namespace windlass::apiserver
