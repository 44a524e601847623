#include "apiserver/rest/list_encoder.h"

#include <google/protobuf/message.h>

#include "api/codec/json.h"
#include "api/codec/protobuf.h"
#include "apiserver/rest/wire.h"
#include "apiserver/stored_form.h"
#include "schema/meta/v1/meta.pb.h"

namespace windlass::apiserver {
namespace {

constexpr int kMetadataField = 1;
constexpr int kItemsField = 2;

api::TypeMeta list_type(const Format& format, const api::Kind& kind) {
  if (format.form == Form::partial) {
    return {"meta.k8s.io/" + format.meta_version, "PartialObjectMetadataList"};
  }
  return kind.list_type_meta();
}

std::string metadata_bytes(const ListHead& head) {
  api::meta::v1::ListMeta metadata;
  metadata.set_resource_version(head.resource_version);
  if (!head.continue_token.empty()) {
    metadata.set_continue_(head.continue_token);
  }
  if (head.remaining) {
    metadata.set_remaining_item_count(*head.remaining);
  }
  return metadata.SerializeAsString();
}

}  // namespace

ListEncoder::ListEncoder(ViewOptions view, const api::Kind& kind, CollectionPage page)
    : view_(std::move(view)),
      kind_(kind),
      page_(std::move(page)),
      head_{std::to_string(page_.revision), page_.continue_token, page_.remaining} {}

ListEncoder::~ListEncoder() = default;

bool ListEncoder::streams(const Format& format) {
  return format.encoding == Encoding::protobuf
             ? format.form == Form::object
             : format.encoding == Encoding::json && !format.pretty;
}

const api::Message& ListEncoder::parse(const store::Version& version) {
  if (!scratch_) {
    scratch_ = kind_.make();
  }
  parse_version(kind_, version, *scratch_);
  return *scratch_;
}

void ListEncoder::open_protobuf() {
  const std::string metadata = metadata_bytes(head_);
  size_t size = field_head_size(metadata.size()) + metadata.size();
  for (const store::VersionPtr& version : page_.items) {
    size += field_head_size(version->bytes().size()) + version->bytes().size();
  }
  append_envelope_head(list_type(view_.format, kind_), size, buffer_);
  append_field(kMetadataField, metadata, buffer_);
}

void ListEncoder::open() {
  opened_ = true;
  if (view_.format.encoding == Encoding::protobuf) {
    open_protobuf();
    return;
  }
  if (view_.format.form == Form::table) {
    table_ = std::make_unique<TableWriter>(view_, kind_, buffer_);
    table_->open(head_, true);
    return;
  }
  const api::TypeMeta type = list_type(view_.format, kind_);
  buffer_ +=
      R"({"kind":")" + type.kind + R"(","apiVersion":")" + type.api_version + R"(","metadata":)";
  append_list_metadata(head_, buffer_);
  buffer_ += R"(,"items":[)";
}

void ListEncoder::add(const store::Version& version) {
  if (view_.format.encoding == Encoding::protobuf) {
    append_field(kItemsField,
                 is_stored_form(kind_) ? version.bytes() : served_bytes(kind_, version), buffer_);
    return;
  }
  const api::Message& object = parse(version);
  if (table_) {
    table_->row(object);
    return;
  }
  if (index_ > 0) {
    buffer_ += ',';
  }
  if (view_.format.form == Form::partial) {
    append_partial_json(view_.format.meta_version, object, buffer_);
  } else {
    api::encode_json(object, {}, api::JsonStyle::compact, buffer_);
  }
}

void ListEncoder::close() {
  closed_ = true;
  if (view_.format.encoding == Encoding::protobuf) {
    return;
  }
  if (table_) {
    table_->close();
  } else {
    buffer_ += "]}";
  }
}

std::string ListEncoder::next(size_t bytes) {
  if (!opened_) {
    open();
  }
  while (buffer_.size() < bytes && index_ < page_.items.size()) {
    add(*page_.items[index_]);
    page_.items[index_].reset();
    ++index_;
  }
  if (index_ == page_.items.size() && !closed_) {
    close();
    if (view_.format.encoding == Encoding::json && !view_.format.pretty) {
      buffer_ += '\n';
    }
  }
  std::string piece;
  piece.swap(buffer_);
  return piece;
}

std::string ListEncoder::rest() {
  std::string text = next(SIZE_MAX);
  if (view_.format.encoding == Encoding::protobuf || streams(view_.format)) {
    return text;
  }
  return encode_json_text(view_.format, std::move(text));
}

// The metadata alone is not what the store has: each item is made anew.
static std::string partial_protobuf_list(const ViewOptions& view, const api::Kind& kind,
                                         const CollectionPage& page) {
  std::string raw;
  append_field(kMetadataField,
               metadata_bytes({std::to_string(page.revision), page.continue_token, page.remaining}),
               raw);
  const std::unique_ptr<api::Message> object = kind.make();
  for (const store::VersionPtr& version : page.items) {
    parse_version(kind, *version, *object);
    std::string item;
    append_field(kMetadataField, api::encode_protobuf(api::metadata_of(*object)), item);
    append_field(kItemsField, item, raw);
  }
  std::string body;
  append_envelope_head(list_type(view.format, kind), raw.size(), body);
  return body + raw;
}

http::Response buffered_list_response(const ViewOptions& view, const api::Kind& kind,
                                      CollectionPage page, const Warnings& warnings) {
  http::Response response;
  response.headers = answer_headers(view.format.content_type(), warnings);
  response.make_body = [view, kind = &kind, page = std::move(page)] {
    if (view.format.encoding == Encoding::protobuf && view.format.form == Form::partial) {
      return partial_protobuf_list(view, *kind, page);
    }
    return ListEncoder(view, *kind, page).rest();
  };
  return response;
}

}  // namespace windlass::apiserver
