// The `paths` of an OpenAPI document. Clients read them for one thing: which query parameters a
// write of a kind takes (api.md M123).
#include <fmt/format.h>

#include "apiserver/openapi/schema_json.h"
#include "schema/meta/v1/options.pb.h"

namespace windlass::apiserver {
namespace {

constexpr QueryParameter kPretty = {"pretty", "string", "If true, the answer is indented."};
constexpr QueryParameter kDryRun = {"dryRun", "string", "With All, nothing is stored."};
constexpr QueryParameter kFieldManager = {"fieldManager", "string", "Who makes the change."};
constexpr QueryParameter kFieldValidation = {
    "fieldValidation", "string", "What becomes of unknown fields: Ignore, Warn or Strict."};
constexpr QueryParameter kForce = {"force", "boolean", "Take fields that others own."};
constexpr QueryParameter kLabelSelector = {"labelSelector", "string", "Choose by labels."};
constexpr QueryParameter kFieldSelector = {"fieldSelector", "string", "Choose by fields."};
constexpr QueryParameter kLimit = {"limit", "integer", "At most so many objects."};
constexpr QueryParameter kContinue = {"continue", "string", "Where the last page ended."};
constexpr QueryParameter kVersion = {"resourceVersion", "string", "How new the answer must be."};
constexpr QueryParameter kWatch = {"watch", "boolean", "Tell of changes instead."};
constexpr QueryParameter kGrace = {"gracePeriodSeconds", "integer", "Time to end by itself."};
constexpr QueryParameter kPropagation = {"propagationPolicy", "string",
                                         "What happens to owned objects."};

// Of a PATCH; the server takes no other.
constexpr std::string_view kPatchTypes[] = {
    "application/apply-patch+yaml",
    "application/json-patch+json",
    "application/merge-patch+json",
    "application/strategic-merge-patch+json",
};

struct VerbOperation {
  std::string_view verb;
  bool item;
  PathOperation operation;
};

constexpr VerbOperation kOperations[] = {
    {"list", false, {"get", "list"}},
    {"create", false, {"post", "post"}},
    {"deletecollection", false, {"delete", "deletecollection"}},
    {"get", true, {"get", "get"}},
    {"update", true, {"put", "put"}},
    {"delete", true, {"delete", "delete"}},
    {"patch", true, {"patch", "patch"}},
};

std::string base_path(const ServedVersion& version) {
  return version.group.empty() ? fmt::format("/api/{}", version.version)
                               : fmt::format("/apis/{}/{}", version.group, version.version);
}

void append_parameter(const QueryParameter& parameter, OpenApiVersion version, JsonWriter& json) {
  json.open_object().member("name", parameter.name).member("in", "query");
  json.member("description", parameter.description);
  if (version == OpenApiVersion::v3) {
    json.key("schema").open_object().member("type", parameter.type).close_object();
  } else {
    json.member("type", parameter.type);
  }
  json.close_object();
}

std::string body_definition(std::string_view method, const api::Kind& kind) {
  return definition_name(method == "delete" ? api::meta::v1::DeleteOptions::default_instance()
                                            : kind.prototype());
}

void append_content(std::string_view media_type, const std::string& definition, JsonWriter& json) {
  json.key(media_type).open_object().key("schema").open_object();
  json.member("$ref", "#/components/schemas/" + definition).close_object().close_object();
}

// From a PATCH's content types kubectl learns that it may send a strategic merge patch. Without
// them it reads the whole of /openapi/v2 for every apply (api.md M125).
void append_request_body(std::string_view method, const api::Kind& kind, JsonWriter& json) {
  if (method == "get") {
    return;
  }
  json.key("requestBody").open_object().key("content").open_object();
  if (method == "patch") {
    for (const std::string_view type : kPatchTypes) {
      append_content(type, std::string(kPatchDefinition), json);
    }
  } else {
    append_content("*/*", body_definition(method, kind), json);
  }
  json.close_object();
  if (method != "delete") {
    json.key("required").boolean(true);
  }
  json.close_object();
}

void append_operation(const ServedPath& path, const PathOperation& operation,
                      OpenApiVersion version, JsonWriter& json) {
  const api::Kind& kind = *path.served->body;
  json.key(operation.method).open_object();
  json.member("operationId", fmt::format("{}{}{}{}", operation.action, kind.kind,
                                         path.served->subresource, path.item ? "" : "Collection"));
  json.key("parameters").open_list();
  for (const QueryParameter& parameter : query_parameters(operation.method, path.item)) {
    append_parameter(parameter, version, json);
  }
  json.close_list();
  if (version == OpenApiVersion::v3) {
    if (path.served->options_kind.empty()) {
      append_request_body(operation.method, kind, json);
    }
  } else {
    json.strings("consumes", consumed_types(operation.method));
  }
  json.key("responses").open_object().key("200").open_object();
  json.member("description", "OK").close_object().close_object();
  json.member("x-kubernetes-action", operation.action);
  json.key("x-kubernetes-group-version-kind").open_object();
  json.member("group", kind.group).member("version", kind.version).member("kind", kind.kind);
  json.close_object().close_object();
}

}  // namespace

std::vector<std::string_view> consumed_types(std::string_view method) {
  if (method == "patch") {
    return {std::begin(kPatchTypes), std::end(kPatchTypes)};
  }
  return {"*/*"};
}

std::vector<QueryParameter> query_parameters(std::string_view method, bool item) {
  if (method == "get") {
    return item ? std::vector{kPretty}
                : std::vector{kPretty,   kLabelSelector, kFieldSelector, kLimit,
                              kContinue, kVersion,       kWatch};
  }
  if (method == "delete") {
    return item ? std::vector{kPretty, kDryRun, kGrace, kPropagation}
                : std::vector{kPretty,      kDryRun,        kGrace,
                              kPropagation, kLabelSelector, kFieldSelector};
  }
  std::vector<QueryParameter> parameters = {kPretty, kDryRun, kFieldManager, kFieldValidation};
  if (method == "patch") {
    parameters.push_back(kForce);
  }
  return parameters;
}

std::vector<ServedPath> paths_of(const ServedVersion& version) {
  std::vector<ServedPath> paths;
  for (const Served* served : version.resources) {
    const api::Kind& kind = *served->kind;
    const std::string collection = base_path(version) +
                                   (kind.namespaced ? "/namespaces/{namespace}/" : "/") +
                                   std::string(kind.plural);
    const std::string item =
        collection + "/{name}" +
        (served->subresource.empty() ? "" : "/" + std::string(served->subresource));
    for (const bool is_item : {false, true}) {
      ServedPath path{is_item ? item : collection, served, is_item};
      for (const VerbOperation& one : kOperations) {
        // What is posted to a subresource goes to the path of one object.
        const bool here = one.item == is_item ||
                          (is_item && one.verb == "create" && !served->subresource.empty());
        if (here && served->allows(one.verb) && (is_item || served->subresource.empty())) {
          path.operations.push_back(one.operation);
        }
      }
      if (!path.operations.empty()) {
        paths.push_back(std::move(path));
      }
    }
  }
  return paths;
}

void append_paths(const ServedVersion& served, OpenApiVersion version, JsonWriter& json) {
  for (const ServedPath& path : paths_of(served)) {
    json.key(path.path).open_object();
    for (const PathOperation& operation : path.operations) {
      append_operation(path, operation, version, json);
    }
    json.close_object();
  }
}

}  // namespace windlass::apiserver
