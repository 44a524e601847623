// Random messages of any type for the codec's property tests, made by reflection from a seed.
#pragma once

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <array>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <string_view>

#include "api/object.h"

namespace windlass::api {

class RandomMessage {
 public:
  explicit RandomMessage(uint64_t seed) : random_(seed) {}

  // Not canonical: zeros and empty structs may be present.
  void fill(Message& message, int depth = 0) {
    const google::protobuf::Descriptor& type_of = *message.GetDescriptor();
    if (fill_scalar(message, type_of.name())) {
      return;
    }
    for (int i = 0; i < type_of.field_count(); ++i) {
      const google::protobuf::FieldDescriptor& field = *type_of.field(i);
      if (below(depth < 3 ? 3 : 8) != 0) {
        continue;
      }
      if (field.is_map()) {
        fill_map(message, field, depth);
      } else if (field.is_repeated()) {
        for (uint64_t count = below(4); count > 0; --count) {
          add(message, field, depth);
        }
      } else {
        set(message, field, depth);
      }
    }
  }

  std::string text() {
    constexpr std::array<std::string_view, 20> kPieces = {"a",
                                                          "B",
                                                          "0",
                                                          "9",
                                                          "-",
                                                          ".",
                                                          "/",
                                                          " ",
                                                          "\n",
                                                          "\t",
                                                          "\"",
                                                          "\\",
                                                          "<",
                                                          "&",
                                                          ">",
                                                          "\xc3\xbc",
                                                          "\xe2\x80\xa8",
                                                          "\x01",
                                                          "\xf0\x9f\x9a\x80",
                                                          "\x7f"};
    std::string out;
    for (uint64_t count = below(12); count > 0; --count) {
      out += kPieces[below(kPieces.size())];
    }
    return out;
  }

  uint64_t below(uint64_t limit) { return random_() % limit; }

 private:
  int64_t number(int64_t low, int64_t high) {
    constexpr std::array<int64_t, 3> kSmall = {0, 1, 80};
    if (below(2) == 0) {
      return kSmall[below(kSmall.size())];
    }
    return low + static_cast<int64_t>(random_() % (static_cast<uint64_t>(high - low) / 2 + 1) * 2);
  }

  int32_t number32() {
    return static_cast<int32_t>(
        number(std::numeric_limits<int32_t>::min(), std::numeric_limits<int32_t>::max()));
  }

  // The messages that are one JSON value must hold one that JSON can have.
  bool fill_scalar(Message& message, std::string_view name) {
    constexpr std::array<std::string_view, 10> kQuantities = {
        "0", "1", "500m", "1536Mi", "0.5", "1e3", "12E", "100n", "+5Ki", "1000000000000"};
    const google::protobuf::Reflection& reflection = *message.GetReflection();
    auto field = [&](int i) { return message.GetDescriptor()->field(i); };
    if (name == "Time" || name == "MicroTime") {
      if (below(4) != 0) {
        reflection.SetInt64(&message, field(0), number(-62135596800, 253402300799));
        reflection.SetInt32(&message, field(1), static_cast<int32_t>(below(1'000'000'000)));
      }
    } else if (name == "Quantity") {
      reflection.SetString(&message, field(0), std::string(kQuantities[below(kQuantities.size())]));
    } else if (name == "IntOrString") {
      reflection.SetInt64(&message, field(0), static_cast<int64_t>(below(2)));
      reflection.SetInt32(&message, field(1), number32());
      reflection.SetString(&message, field(2), text());
    } else if (name == "FieldsV1" || name == "RawExtension") {
      reflection.SetString(&message, field(0), R"({"f:a":{"b":[1,null,"x"]}})");
    } else {
      return false;
    }
    return true;
  }

  void set(Message& message, const google::protobuf::FieldDescriptor& field, int depth) {
    const google::protobuf::Reflection& reflection = *message.GetReflection();
    switch (field.cpp_type()) {
      case google::protobuf::FieldDescriptor::CPPTYPE_BOOL:
        reflection.SetBool(&message, &field, below(2) == 0);
        break;
      case google::protobuf::FieldDescriptor::CPPTYPE_INT32:
        reflection.SetInt32(&message, &field, number32());
        break;
      case google::protobuf::FieldDescriptor::CPPTYPE_INT64:
        reflection.SetInt64(&message, &field,
                            number(std::numeric_limits<int64_t>::min() / 2,
                                   std::numeric_limits<int64_t>::max() / 2));
        break;
      case google::protobuf::FieldDescriptor::CPPTYPE_STRING:
        reflection.SetString(&message, &field, text());
        break;
      default:
        fill(*reflection.MutableMessage(&message, &field), depth + 1);
    }
  }

  void add(Message& message, const google::protobuf::FieldDescriptor& field, int depth) {
    const google::protobuf::Reflection& reflection = *message.GetReflection();
    switch (field.cpp_type()) {
      case google::protobuf::FieldDescriptor::CPPTYPE_INT32:
        reflection.AddInt32(&message, &field, number32());
        break;
      case google::protobuf::FieldDescriptor::CPPTYPE_INT64:
        reflection.AddInt64(&message, &field, number(-5, 1000));
        break;
      case google::protobuf::FieldDescriptor::CPPTYPE_BOOL:
        reflection.AddBool(&message, &field, below(2) == 0);
        break;
      case google::protobuf::FieldDescriptor::CPPTYPE_STRING:
        reflection.AddString(&message, &field, text());
        break;
      default:
        fill(*reflection.AddMessage(&message, &field), depth + 1);
    }
  }

  void fill_map(Message& message, const google::protobuf::FieldDescriptor& field, int depth) {
    const google::protobuf::Reflection& reflection = *message.GetReflection();
    for (uint64_t count = below(4); count > 0; --count) {
      Message& entry = *reflection.AddMessage(&message, &field);
      const google::protobuf::Descriptor& pair = *field.message_type();
      entry.GetReflection()->SetString(&entry, pair.map_key(), text() + std::to_string(count));
      set(entry, *pair.map_value(), depth);
    }
  }

  std::mt19937_64 random_;
};

}  // namespace windlass::api
