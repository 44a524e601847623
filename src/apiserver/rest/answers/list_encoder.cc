#include "apiserver/rest/answers/list_encoder.h"

#include <google/protobuf/message.h>

#include <algorithm>

#include "api/codec/json/json.h"
#include "api/codec/json/json_text.h"
#include "api/codec/protobuf.h"
#include "api/codec/yaml/yaml.h"
#include "apiserver/rest/answers/wire.h"
#include "apiserver/stored_form.h"
#include "base/check.h"
#include "schema/meta/v1/meta.pb.h"

namespace windlass::apiserver {

namespace {

// How an empty list ends in each style, from the bracket on.
constexpr std::string_view kEmptyPrettyEnd = "]\n}";
constexpr std::string_view kEmptyYamlEnd = " []\n";

// An item gets its indentation from a list of its own, which is then taken off again.
constexpr std::string_view kOneItem = R"({"i":[)";
constexpr std::string_view kOneItemEnd = "]}";
constexpr std::string_view kPrettyBefore = "{\n  \"i\": [";
constexpr std::string_view kPrettyAfter = "\n  ]\n}";
constexpr std::string_view kYamlBefore = "i:\n";

std::string alone(std::string_view item) {
  std::string list(kOneItem);
  list += item;
  list += kOneItemEnd;
  return list;
}

}  // namespace

void ListText::open(std::string_view head, std::string& out) {
  const std::string empty_list = std::string(head) + "]}";
  std::string text;
  if (format_.encoding == Encoding::yaml) {
    auto yaml = api::json_to_yaml(empty_list);
    CHECK(yaml.has_value() && yaml->ends_with(kEmptyYamlEnd), "the head of a list is small");
    text = *std::move(yaml);
    text.resize(text.size() - kEmptyYamlEnd.size());
  } else {
    api::append_pretty_json(empty_list, text);
    CHECK(text.ends_with(kEmptyPrettyEnd), "a list ends with its items");
    text.resize(text.size() - kEmptyPrettyEnd.size());
  }
  out += text;
}

void ListText::add(std::string_view item, std::string& out) {
  if (format_.encoding == Encoding::yaml) {
    add_yaml(item, out);
  } else {
    add_pretty(item, out);
  }
  empty_ = false;
}

void ListText::add_pretty(std::string_view item, std::string& out) {
  if (!empty_) {
    out += ',';
  }
  std::string text;
  api::append_pretty_json(alone(item), text);
  out += std::string_view(text).substr(kPrettyBefore.size(),
                                       text.size() - kPrettyBefore.size() - kPrettyAfter.size());
}

void ListText::add_yaml(std::string_view item, std::string& out) {
  if (empty_) {
    out += '\n';
  }
  const auto text = api::json_to_yaml(alone(item));
  if (text) {
    out += std::string_view(*text).substr(kYamlBefore.size());
    return;
  }
  // Too deep or too large for block style; JSON is YAML as well.
  out += "- ";
  out += item;
  out += '\n';
}

void ListText::close(std::string& out) {
  if (format_.encoding == Encoding::yaml) {
    out += empty_ ? kEmptyYamlEnd : "";
    return;
  }
  out += empty_ ? kEmptyPrettyEnd : kPrettyAfter;
  out += '\n';
}

namespace {

constexpr int kMetadataField = 1;
constexpr int kItemsField = 2;

api::TypeMeta list_type(const ResponseFormat& format, const api::Kind& kind) {
  if (format.form == ResponseForm::partial) {
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

size_t field_size(size_t bytes) {
  return field_head_size(bytes) + bytes;
}

}  // namespace

ListEncoder::ListEncoder(ViewOptions view, const api::Kind& kind, CollectionPage page)
    : view_(std::move(view)),
      kind_(kind),
      page_(std::move(page)),
      head_{std::to_string(page_.revision), page_.continue_token, page_.remaining} {
  if (view_.format.encoding == Encoding::yaml ||
      (view_.format.encoding == Encoding::json && view_.format.pretty)) {
    styled_.emplace(view_.format);
  }
}

ListEncoder::~ListEncoder() = default;

const api::Message& ListEncoder::parse(const store::Version& version) {
  if (!scratch_) {
    scratch_ = kind_.make();
  }
  parse_version(kind_, version, *scratch_);
  return *scratch_;
}

// The metadata alone is not what the store has: each item is made anew.
std::string ListEncoder::partial_item(const store::Version& version) {
  std::string item;
  append_field(kMetadataField, api::encode_protobuf(api::metadata_of(parse(version))), item);
  return item;
}

bool ListEncoder::measure(size_t items) {
  if (view_.format.encoding != Encoding::protobuf) {
    return true;
  }
  const bool partial = view_.format.form == ResponseForm::partial;
  const size_t left = page_.items.size() - measured_;
  const size_t end = measured_ + (partial ? std::min(items, left) : left);
  for (; measured_ < end; ++measured_) {
    const store::Version& version = *page_.items[measured_];
    items_bytes_ += field_size(partial ? partial_item(version).size() : version.bytes().size());
  }
  return measured_ == page_.items.size();
}

void ListEncoder::open_json(std::string& out) {
  if (view_.format.form == ResponseForm::table) {
    table_ = std::make_unique<TableWriter>(view_, kind_, out);
    table_->open(head_, true);
    return;
  }
  const api::TypeMeta type = list_type(view_.format, kind_);
  out += R"({"kind":")" + type.kind + R"(","apiVersion":")" + type.api_version + R"(","metadata":)";
  append_list_metadata(head_, out);
  out += R"(,"items":[)";
}

void ListEncoder::open() {
  opened_ = true;
  if (view_.format.encoding == Encoding::protobuf) {
    CHECK(measured_ == page_.items.size(), "the envelope names the size of the list");
    const std::string metadata = metadata_bytes(head_);
    append_envelope_head(list_type(view_.format, kind_), field_size(metadata.size()) + items_bytes_,
                         buffer_);
    append_field(kMetadataField, metadata, buffer_);
    return;
  }
  open_json(styled_ ? compact_ : buffer_);
  if (styled_) {
    styled_->open(compact_, buffer_);
  }
}

void ListEncoder::add(const store::Version& version) {
  if (view_.format.encoding != Encoding::protobuf) {
    add_json(version);
  } else if (view_.format.form == ResponseForm::partial) {
    append_field(kItemsField, partial_item(version), buffer_);
  } else {
    append_field(kItemsField,
                 is_stored_form(kind_) ? version.bytes() : served_bytes(kind_, version), buffer_);
  }
}

void ListEncoder::add_json(const store::Version& version) {
  std::string& out = styled_ ? compact_ : buffer_;
  compact_.clear();
  const api::Message& object = parse(version);
  if (table_) {
    table_->row(object);
  } else {
    if (index_ > 0) {
      out += ',';
    }
    if (view_.format.form == ResponseForm::partial) {
      append_partial_json(view_.format.meta_version, object, out);
    } else {
      api::encode_json(object, {}, api::JsonStyle::compact, out);
    }
  }
  if (styled_) {
    styled_->add(std::string_view(compact_).substr(compact_.starts_with(',') ? 1 : 0), buffer_);
  }
}

void ListEncoder::close() {
  closed_ = true;
  if (view_.format.encoding == Encoding::protobuf) {
    return;
  }
  if (styled_) {
    styled_->close(buffer_);
  } else if (table_) {
    table_->close();
    buffer_ += '\n';
  } else {
    buffer_ += "]}\n";
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
  }
  std::string piece;
  piece.swap(buffer_);
  return piece;
}

}  // namespace windlass::apiserver
