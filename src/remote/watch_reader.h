// From the bytes of a watch to its events, as they come: protobuf frames (four bytes of length) or
// JSON lines. Holds at most one frame. Pure; one thread.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include "api/codec/json/outline.h"
#include "client/api_client.h"
#include "remote/server_text.h"

namespace windlass::remote {

class WatchReader {
 public:
  // Of one event. An object has at most 1.5 MB in etcd; JSON makes more of it.
  static constexpr size_t kMaxFrameBytes = size_t{16} * 1024 * 1024;

  WatchReader(const api::Kind& kind, bool protobuf, const api::Outline* outline = nullptr,
              ServerText text = {})
      : kind_(kind), protobuf_(protobuf), outline_(outline), text_(std::move(text)) {}

  // The next event of the buffer, from which it is taken; nothing while it is not there whole. An
  // error ends the stream: what the server says (410 Gone), or that it cannot be read.
  Result<std::optional<client::WatchEvent>> next(std::string& buffer);
  // Gives back the room of what was read; after each turn of next().
  void compact(std::string& buffer);

 private:
  struct Frame {
    size_t begin;
    size_t end;
    size_t next;
  };
  Result<std::optional<Frame>> find_frame(const std::string& buffer);
  Result<std::optional<client::WatchEvent>> read_protobuf(std::string_view frame);
  Result<std::optional<client::WatchEvent>> read_json(std::string_view line);
  Result<std::optional<client::WatchEvent>> make_event(std::string_view type,
                                                       std::string_view object);

  const api::Kind& kind_;
  const bool protobuf_;
  const api::Outline* outline_;
  const ServerText text_;  // of errors
  size_t read_ = 0;        // of the buffer
  size_t scanned_ = 0;     // of the buffer, for the end of a line
};

}  // namespace windlass::remote
