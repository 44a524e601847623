// Objects in the form a client asked for: whole, as a row of a table, or their metadata alone
// (api.md M5, M130). Pure; any thread.
#pragma once

#include <string>

#include "api/kind.h"
#include "apiserver/rest/answers/format.h"
#include "base/result.h"
#include "base/time.h"

namespace windlass::apiserver {

enum class IncludeObject { none, metadata, object };

struct ViewOptions {
  ResponseFormat format;
  IncludeObject include = IncludeObject::metadata;  // in the rows of a table
  Time now = {};                                    // ages in tables
};

// 400 for an includeObject that does not exist.
Result<ViewOptions> view_options(const ResponseFormat& format, std::string_view include_object,
                                 Time now);

// The body of an answer that shows this object.
std::string view_object(const ViewOptions& view, const api::Kind& kind, const api::Message& object);
// The object in the form alone, compact: what a watch frame holds. Not for protobuf. A table watch
// names its columns in the first frame only (M85).
void append_view_json(const ViewOptions& view, const api::Kind& kind, const api::Message& object,
                      bool with_columns, std::string& out);
// The same as protobuf with its envelope.
std::string view_protobuf(const ViewOptions& view, const api::Kind& kind,
                          const api::Message& object);

// {"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{...}}
void append_partial_json(std::string_view meta_version, const api::Message& object,
                         std::string& out);

}  // namespace windlass::apiserver
