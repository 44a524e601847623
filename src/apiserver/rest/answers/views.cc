#include "apiserver/rest/answers/views.h"

#include <fmt/format.h>
#include <google/protobuf/message.h>

#include "api/codec/json/json.h"
#include "api/codec/protobuf.h"
#include "apiserver/rest/answers/responses.h"
#include "apiserver/rest/answers/wire.h"
#include "apiserver/table/table.h"
#include "base/quote.h"
#include "schema/meta/v1/meta.pb.h"

namespace windlass::apiserver {
namespace {

// PartialObjectMetadata has the metadata where every kind has it: in field 1.
std::string partial_protobuf(const ViewOptions& view, const api::Message& object) {
  std::string raw;
  append_field(1, api::encode_protobuf(api::metadata_of(object)), raw);
  std::string body;
  append_envelope_head({"meta.k8s.io/" + view.format.meta_version, "PartialObjectMetadata"},
                       raw.size(), body);
  return body + raw;
}

}  // namespace

Result<ViewOptions> view_options(const ResponseFormat& format, std::string_view include_object,
                                 Time now) {
  ViewOptions view{format, IncludeObject::metadata, now};
  if (format.form != ResponseForm::table || include_object.empty() ||
      include_object == "Metadata") {
    return view;
  }
  if (include_object == "None") {
    view.include = IncludeObject::none;
  } else if (include_object == "Object") {
    view.include = IncludeObject::object;
  } else {
    return fail(bad_request(
        fmt::format("Unable to convert to Table as requested: includeObject: Invalid value: {}: "
                    "must be 'Metadata', 'Object', 'None', or empty",
                    quote(include_object))));
  }
  return view;
}

void append_partial_json(std::string_view meta_version, const api::Message& object,
                         std::string& out) {
  out += R"({"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/)";
  out += meta_version;
  out += R"(","metadata":)";
  api::encode_json(api::metadata_of(object), {}, api::JsonStyle::compact, out);
  out += '}';
}

void append_view_json(const ViewOptions& view, const api::Kind& kind, const api::Message& object,
                      bool with_columns, std::string& out) {
  switch (view.format.form) {
    case ResponseForm::object:
      api::encode_json(object, kind.type_meta(), api::JsonStyle::compact, out);
      return;
    case ResponseForm::partial:
      append_partial_json(view.format.meta_version, object, out);
      return;
    case ResponseForm::table: {
      TableWriter table(view, kind, out);
      table.open({api::metadata_of(object).resource_version(), "", {}}, with_columns);
      table.row(object);
      table.close();
    }
  }
}

std::string view_protobuf(const ViewOptions& view, const api::Kind& kind,
                          const api::Message& object) {
  return view.format.form == ResponseForm::partial ? partial_protobuf(view, object)
                                                   : api::seal_envelope(kind.type_meta(), object);
}

std::string view_object(const ViewOptions& view, const api::Kind& kind,
                        const api::Message& object) {
  if (view.format.encoding == Encoding::protobuf) {
    return view_protobuf(view, kind, object);
  }
  std::string json;
  append_view_json(view, kind, object, true, json);
  return encode_json_text(view.format, std::move(json));
}

}  // namespace windlass::apiserver
