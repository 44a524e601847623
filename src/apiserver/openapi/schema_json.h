// Definitions and paths as OpenAPI JSON, in the two versions of the format. Pure; any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "apiserver/discovery/served.h"
#include "apiserver/openapi/definitions.h"
#include "base/json_writer.h"

namespace windlass::apiserver {

enum class OpenApiVersion { v2, v3 };

// {"description":...,"type":"object","properties":{...}}
void append_definition(const Definition& definition, OpenApiVersion version, JsonWriter& json);

// The members of `paths` for these resources.
void append_paths(const ServedVersion& served, OpenApiVersion version, JsonWriter& json);

// One path, for other output forms.
struct PathOperation {
  std::string_view method;  // get put post patch delete
  std::string_view action;  // x-kubernetes-action: list, replace ...
};
struct ServedPath {
  std::string path;
  const Served* served = nullptr;
  bool item = false;  // of one object, not of the collection
  std::vector<PathOperation> operations = {};
};
std::vector<ServedPath> paths_of(const ServedVersion& version);
// The content types of an operation's body.
std::vector<std::string_view> consumed_types(std::string_view method);
// The query parameters that an operation takes.
struct QueryParameter {
  std::string_view name;
  std::string_view type;  // string, boolean, integer
  std::string_view description;
};
std::vector<QueryParameter> query_parameters(std::string_view method, bool item);

// OpenAPI v2 as the protobuf message openapi.v2.Document, which kubectl before 1.27 asks for
// (api.md M125). The message is public and stable, and we write few of its fields: by hand, as
// bytes. Pure; any thread.
std::string gnostic_document(std::string_view title, std::string_view version,
                             const std::vector<const ServedVersion*>& served,
                             const std::vector<Definition>& definitions);

}  // namespace windlass::apiserver
