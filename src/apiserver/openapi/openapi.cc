#include "apiserver/openapi/openapi.h"

#include <fmt/format.h>

#include "apiserver/openapi/definitions.h"
#include "apiserver/openapi/schema_json.h"
#include "base/hash.h"

namespace windlass::apiserver {
namespace {

constexpr std::string_view kTitle = "Kubernetes";

std::string hash_of(const std::string& text) {
  return fmt::format("{:016X}", stable_hash(text));
}

std::string path_of(const ServedVersion& served) {
  return served.group.empty() ? fmt::format("api/{}", served.version)
                              : fmt::format("apis/{}/{}", served.group, served.version);
}

std::vector<const ServedVersion*> everything(bool with_ledger) {
  std::vector<const ServedVersion*> all;
  for (const ServedVersion& version : served_versions(with_ledger)) {
    all.push_back(&version);
  }
  return all;
}

void append_info(std::string_view version, JsonWriter& json) {
  json.key("info").open_object().member("title", kTitle).member("version", version);
  json.close_object();
}

std::string v3_document(const ServedVersion& served, std::string_view version) {
  std::string text;
  JsonWriter json(text);
  json.open_object().member("openapi", "3.0.0");
  append_info(version, json);
  json.key("paths").open_object();
  append_paths(served, OpenApiVersion::v3, json);
  json.close_object().key("components").open_object().key("schemas").open_object();
  for (const Definition& definition : collect_definitions({&served})) {
    json.key(definition.name);
    append_definition(definition, OpenApiVersion::v3, json);
  }
  json.close_object().close_object().close_object();
  return text;
}

std::string v2_document(std::string_view version, bool with_ledger) {
  std::string text;
  JsonWriter json(text);
  json.open_object().member("swagger", "2.0");
  append_info(version, json);
  json.key("paths").open_object();
  for (const ServedVersion* served : everything(with_ledger)) {
    append_paths(*served, OpenApiVersion::v2, json);
  }
  json.close_object().key("definitions").open_object();
  for (const Definition& definition : collect_definitions(everything(with_ledger))) {
    json.key(definition.name);
    append_definition(definition, OpenApiVersion::v2, json);
  }
  json.close_object().close_object();
  return text;
}

}  // namespace

void OpenApi::make_v3() const {
  JsonWriter json(index_);
  json.open_object().key("paths").open_object();
  for (const ServedVersion& served : served_versions(with_ledger_)) {
    const std::string path = path_of(served);
    Document& document = documents_[path];
    document.text = v3_document(served, version_);
    document.hash = hash_of(document.text);
    json.key(path).open_object();
    json.member("serverRelativeURL", fmt::format("/openapi/v3/{}?hash={}", path, document.hash));
    json.close_object();
  }
  json.close_object().close_object();
}

const std::string& OpenApi::index() const {
  std::call_once(v3_once_, [this] { make_v3(); });
  return index_;
}

const OpenApi::Document* OpenApi::document(std::string_view path) const {
  std::call_once(v3_once_, [this] { make_v3(); });
  const auto found = documents_.find(path);
  return found == documents_.end() ? nullptr : &found->second;
}

const OpenApi::Document& OpenApi::v2_json() const {
  std::call_once(v2_once_, [this] {
    v2_.text = v2_document(version_, with_ledger_);
    v2_.hash = hash_of(v2_.text);
  });
  return v2_;
}

const OpenApi::Document& OpenApi::v2_protobuf() const {
  std::call_once(v2_protobuf_once_, [this] {
    v2_protobuf_.text = gnostic_document(kTitle, version_, everything(with_ledger_),
                                         collect_definitions(everything(with_ledger_)));
    v2_protobuf_.hash = hash_of(v2_protobuf_.text);
  });
  return v2_protobuf_;
}

}  // namespace windlass::apiserver
