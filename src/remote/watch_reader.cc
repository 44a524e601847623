#include "remote/watch_reader.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/codec/json/json.h"
#include "api/codec/json/json_value.h"
#include "api/codec/wire_fields.h"
#include "remote/wire.h"
#include "schema/meta/v1/envelope.pb.h"

namespace windlass::remote {
namespace {

using api::meta::v1::RawExtension;
using api::meta::v1::WatchEvent;

constexpr size_t kLengthBytes = 4;

std::optional<client::EventType> event_type(std::string_view text) {
  const std::pair<std::string_view, client::EventType> types[] = {
      {"ADDED", client::EventType::added},
      {"MODIFIED", client::EventType::modified},
      {"DELETED", client::EventType::deleted},
      {"BOOKMARK", client::EventType::bookmark},
  };
  for (const auto& [name, type] : types) {
    if (text == name) {
      return type;
    }
  }
  return std::nullopt;
}

Failure bad_frame(std::string_view why) {
  return fail(plain_error(fmt::format("the watch cannot be read: {}", why)));
}

struct EventParts {
  std::string_view type;
  std::string_view object;
};

// Of a WatchEvent, where they are: its object is most of what this program ever reads.
std::optional<EventParts> parts_of(std::string_view frame) {
  EventParts parts;
  std::string_view raw_extension;
  api::WireFields event(frame);
  for (api::WireField field; event.next(field);) {
    if (field.is(WatchEvent::kTypeFieldNumber)) {
      parts.type = field.content;
    } else if (field.is(WatchEvent::kObjectFieldNumber)) {
      raw_extension = field.content;
    }
  }
  api::WireFields object(raw_extension);
  for (api::WireField field; object.next(field);) {
    if (field.is(RawExtension::kRawFieldNumber)) {
      parts.object = field.content;
    }
  }
  return event.broken() || object.broken() ? std::nullopt : std::optional(parts);
}

}  // namespace

Result<std::optional<WatchReader::Frame>> WatchReader::find_frame(const std::string& buffer) {
  const size_t there = buffer.size() - read_;
  if (!protobuf_) {
    const size_t newline = buffer.find('\n', std::max(read_, scanned_));
    scanned_ = buffer.size();
    if (newline != std::string::npos) {
      scanned_ = newline + 1;
      return Frame{read_, newline, newline + 1};
    }
    if (there > kMaxFrameBytes) {
      return bad_frame("an event is too large");
    }
    return std::nullopt;
  }
  if (there < kLengthBytes) {
    return std::nullopt;
  }
  size_t size = 0;
  for (size_t i = 0; i < kLengthBytes; ++i) {
    size = (size << 8) | static_cast<unsigned char>(buffer[read_ + i]);
  }
  if (size > kMaxFrameBytes) {
    return bad_frame("an event is too large");
  }
  if (there - kLengthBytes < size) {
    return std::nullopt;
  }
  const size_t begin = read_ + kLengthBytes;
  return Frame{begin, begin + size, begin + size};
}

Result<std::optional<client::WatchEvent>> WatchReader::next(std::string& buffer) {
  while (true) {
    TRY(const std::optional<Frame> frame, find_frame(buffer));
    if (!frame) {
      return std::nullopt;
    }
    const std::string_view bytes =
        std::string_view(buffer).substr(frame->begin, frame->end - frame->begin);
    read_ = frame->next;
    if (!protobuf_ && bytes.find_first_not_of(" \t\r") == std::string_view::npos) {
      continue;
    }
    return protobuf_ ? read_protobuf(bytes) : read_json(bytes);
  }
}

void WatchReader::compact(std::string& buffer) {
  buffer.erase(0, read_);
  scanned_ -= std::min(scanned_, read_);
  read_ = 0;
}

Result<std::optional<client::WatchEvent>> WatchReader::read_protobuf(std::string_view frame) {
  const auto parts = parts_of(frame);
  return parts ? make_event(parts->type, parts->object) : bad_frame("a frame is damaged");
}

// Through a tree: one event at a time, and only where a server has no protobuf.
Result<std::optional<client::WatchEvent>> WatchReader::read_json(std::string_view line) {
  TRY(const api::JsonTree tree, api::parse_json_value(line));
  const api::JsonValue* type = tree.value.find("type");
  const api::JsonValue* object = tree.value.find("object");
  if (type == nullptr || object == nullptr) {
    return bad_frame("a line is no event");
  }
  return make_event(type->text, api::to_json_text(*object));
}

Result<std::optional<client::WatchEvent>> WatchReader::make_event(std::string_view type,
                                                                  std::string_view object) {
  if (type == "ERROR") {
    return fail(decode_status(protobuf_, object, text_));
  }
  const auto known = event_type(type);
  if (!known) {
    return bad_frame("an event is of an unknown type");
  }
  TRY(client::ObjectPtr decoded, decode_object(protobuf_, object, kind_, outline_));
  return client::WatchEvent{*known, std::move(decoded)};
}

}  // namespace windlass::remote
