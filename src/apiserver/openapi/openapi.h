// OpenAPI of everything that is served (api.md M123-M125): version 3 by group and version, version
// 2 as one document in JSON and in the protobuf form that older kubectl asks for. Made when first
// asked for, then kept. Thread-safe.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <string_view>

namespace windlass::apiserver {

class OpenApi {
 public:
  OpenApi(std::string version, bool with_ledger)
      : version_(std::move(version)), with_ledger_(with_ledger) {}

  // {"paths":{"api/v1":{"serverRelativeURL":"/openapi/v3/api/v1?hash=..."}}}
  const std::string& index() const;
  // By path: `api/v1`, `apis/batch/v1`. nullptr when there is none.
  struct Document {
    std::string text;
    std::string hash;
  };
  const Document* document(std::string_view path) const;

  const Document& v2_json() const;
  const Document& v2_protobuf() const;

 private:
  void make_v3() const;

  const std::string version_;
  const bool with_ledger_;
  mutable std::once_flag v3_once_;
  mutable std::once_flag v2_once_;
  mutable std::once_flag v2_protobuf_once_;
  mutable std::map<std::string, Document, std::less<>> documents_;
  mutable std::string index_;
  mutable Document v2_;
  mutable Document v2_protobuf_;
};

}  // namespace windlass::apiserver
