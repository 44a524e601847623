// The fields of a protobuf message where they lie, one after the other, without decoding them: for
// those who look for one field, or copy some of them. Pure; any thread.
#pragma once

#include <cstdint>
#include <string_view>

namespace windlass::api {

struct WireField {
  uint32_t number = 0;
  bool has_length = false;   // a message, text or bytes: what follows is what is in it
  std::string_view whole;    // with tag and length
  std::string_view content;  // empty for a number

  // The field of this number, and of a type that has a length.
  bool is(int field) const { return has_length && number == static_cast<uint32_t>(field); }
};

class WireFields {
 public:
  explicit WireFields(std::string_view raw) : at_(raw.data()), end_(raw.data() + raw.size()) {}

  // False at the end, and where no field can be read: broken() tells which. Groups are not read:
  // nothing that Kubernetes writes has one.
  bool next(WireField& out);
  bool broken() const { return broken_; }

 private:
  bool read_varint(uint64_t& value);
  bool skip(uint64_t bytes);

  const char* at_;
  const char* end_;
  bool broken_ = false;
};

}  // namespace windlass::api
