#include "remote/watch_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/codec/protobuf.h"
#include "client/object_identity.h"
#include "schema/core/v1/config_map.pb.h"
#include "schema/meta/v1/envelope.pb.h"
#include "schema/meta/v1/status.pb.h"

namespace windlass::remote {
namespace {

using ::testing::HasSubstr;

std::string length_of(size_t size) {
  std::string bytes;
  for (const int shift : {24, 16, 8, 0}) {
    bytes += static_cast<char>((size >> shift) & 0xFF);
  }
  return bytes;
}

std::string frame(const std::string& type, const std::string& object) {
  api::meta::v1::WatchEvent event;
  event.set_type(type);
  event.mutable_object()->set_raw(object);
  const std::string bytes = event.SerializeAsString();
  return length_of(bytes.size()) + bytes;
}

std::string config_map(const std::string& name) {
  api::core::v1::ConfigMap object;
  object.mutable_metadata()->set_name(name);
  return api::seal_envelope({"v1", "ConfigMap"}, object);
}

// What the stream says, a few bytes at a time: names of objects, then how it ended.
std::string heard(bool protobuf, const std::string& bytes, size_t step) {
  WatchReader reader(api::kinds::config_map(), protobuf);
  std::string buffer;
  std::string names;
  for (size_t i = 0; i < bytes.size(); i += step) {
    buffer += bytes.substr(i, step);
    while (true) {
      const auto event = reader.next(buffer);
      if (!event) {
        return names + std::to_string(event.error().code) + " " + event.error().message;
      }
      if (!*event) {
        break;
      }
      names += client::key_of(*(*event)->object) + " ";
    }
    reader.compact(buffer);
  }
  return names;
}

TEST(WatchReader, ProtobufFramesComeInAnyPieces) {
  const std::string bytes = frame("ADDED", config_map("a")) + frame("MODIFIED", config_map("b")) +
                            frame("DELETED", config_map("c"));
  for (const size_t step : {size_t{1}, size_t{3}, size_t{50}, bytes.size()}) {
    EXPECT_EQ(heard(true, bytes, step), "a b c ") << step;
  }
}

TEST(WatchReader, JsonLinesComeInAnyPieces) {
  const std::string object = R"({"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a"}})";
  const std::string bytes = R"({"type":"ADDED","object":)" + object + "}\n\r\n" +
                            R"({"type":"BOOKMARK","object":)" + object + "}\n";
  for (const size_t step : {size_t{1}, size_t{7}, bytes.size()}) {
    EXPECT_EQ(heard(false, bytes, step), "a a ") << step;
  }
}

TEST(WatchReader, AnErrorEndsTheStreamWithWhatItSays) {
  api::meta::v1::Status gone;
  gone.set_code(410);
  gone.set_message("too old");
  const std::string bytes =
      frame("ADDED", config_map("a")) + frame("ERROR", api::seal_envelope({"v1", "Status"}, gone));
  EXPECT_EQ(heard(true, bytes, bytes.size()), "a 410 too old");
}

TEST(WatchReader, DamageIsNoEvent) {
  EXPECT_THAT(heard(true, length_of(3) + "\x0a\x7f" + "x", 100), HasSubstr("a frame is damaged"));
  EXPECT_THAT(heard(true, length_of(2) + "\x12\x01", 100), HasSubstr("a frame is damaged"));
  EXPECT_THAT(heard(true, frame("ADDED", "not an envelope"), 100), HasSubstr("cannot be read"));
  EXPECT_THAT(heard(true, frame("ELSEWHERE", config_map("a")), 100), HasSubstr("unknown type"));
  EXPECT_THAT(heard(true, length_of(WatchReader::kMaxFrameBytes + 1), 100), HasSubstr("too large"));
  EXPECT_THAT(heard(false, "{}\n", 100), HasSubstr("a line is no event"));
}

// Fields of a newer server, of any wire type, are passed over.
TEST(WatchReader, WhatItDoesNotKnowIsSkipped) {
  const std::string known = frame("ADDED", config_map("a")).substr(4);
  const std::string bytes = std::string("\x18\x05\x25\x01\x02\x03\x04", 7) + known;
  EXPECT_EQ(heard(true, length_of(bytes.size()) + bytes, bytes.size() + 4), "a ");
}

}  // namespace
}  // namespace windlass::remote
