#include "apiserver/rest/answers/watch_frames.h"

#include <google/protobuf/message.h>

#include "api/codec/json/json.h"
#include "api/codec/protobuf.h"
#include "apiserver/rest/answers/responses.h"
#include "apiserver/rest/answers/wire.h"
#include "schema/meta/v1/meta.pb.h"

namespace windlass::apiserver {
namespace {

using client::EventType;

constexpr const char* kInitialEventsEnd = "k8s.io/initial-events-end";

std::string_view type_text(EventType type) {
  switch (type) {
    case EventType::added:
      return "ADDED";
    case EventType::modified:
      return "MODIFIED";
    case EventType::deleted:
      return "DELETED";
    default:
      return "BOOKMARK";
  }
}

http::Chunk json_frame(std::string_view type, std::string_view object) {
  auto text = std::make_shared<std::string>();
  text->reserve(object.size() + type.size() + 24);
  text->append(R"({"type":")").append(type).append(R"(","object":)").append(object);
  text->append("}\n");
  return text;
}

// A length of four bytes, then WatchEvent{1: type, 2: {1: envelope}}.
http::Chunk protobuf_frame(std::string_view type, std::string_view envelope) {
  std::string raw;
  append_field(1, envelope, raw);
  std::string event;
  append_field(1, type, event);
  append_field(2, raw, event);
  auto text = std::make_shared<std::string>();
  const size_t size = event.size();
  for (const int shift : {24, 16, 8, 0}) {
    *text += static_cast<char>((size >> shift) & 0xFF);
  }
  *text += event;
  return text;
}

}  // namespace

http::Chunk WatchFrames::frame(std::string_view type, const Message& object) {
  if (view_.format.encoding == Encoding::protobuf) {
    return protobuf_frame(type, view_protobuf(view_, kind_, object));
  }
  view_.now = clock_.now();
  std::string json;
  append_view_json(view_, kind_, object, !columns_sent_, json);
  columns_sent_ = true;
  return json_frame(type, json);
}

http::Chunk WatchFrames::event(WatchStream& stream, const VersionEvent& event) {
  const bool shared = view_.format.form == ResponseForm::object && !event.left;
  const EncodedKey key{
      event.version->revision(), &kind_,
      encoded_variant(view_.format.encoding, 1 + static_cast<uint32_t>(event.type))};
  if (shared) {
    if (http::Chunk chunk = shared_.encoded.find(key)) {
      return chunk;
    }
  }
  http::Chunk chunk = frame(type_text(event.type), *stream.object_of(event));
  if (shared) {
    shared_.encoded.insert(key, chunk);
  }
  return chunk;
}

http::Chunk WatchFrames::events(WatchStream& stream, std::span<const VersionEvent> events,
                                bool live) {
  if (events.size() == 1) {
    return event(stream, events.front());
  }
  // Of changes without selectors the first, the last and the number say which ones they are,
  // whatever namespace is watched.
  const bool shared = live && view_.format.form == ResponseForm::object && stream.everything();
  const WatchBatches::Key key{events.front().version->revision(), events.back().version->revision(),
                              events.size(), &kind_, view_.format.encoding};
  if (shared) {
    if (http::Chunk chunk = shared_.batches.find(key)) {
      return chunk;
    }
  }
  auto text = std::make_shared<std::string>();
  for (const VersionEvent& one : events) {
    text->append(*event(stream, one));
  }
  if (shared) {
    shared_.batches.insert(key, text);
  }
  return text;
}

http::Chunk WatchFrames::bookmark(store::Revision revision, bool ends_initial_events) {
  const std::unique_ptr<Message> object = kind_.make();
  api::meta::v1::ObjectMeta& metadata = api::mutable_metadata_of(*object);
  metadata.set_resource_version(std::to_string(revision));
  if (ends_initial_events) {
    (*metadata.mutable_annotations())[kInitialEventsEnd] = "true";
  }
  return frame("BOOKMARK", *object);
}

http::Chunk WatchFrames::error(const Status& failure) {
  const auto message = status_message(failure);
  if (view_.format.encoding == Encoding::protobuf) {
    return protobuf_frame("ERROR", api::seal_envelope(status_type(), *message));
  }
  return json_frame("ERROR", api::to_json(*message, status_type()));
}

}  // namespace windlass::apiserver
