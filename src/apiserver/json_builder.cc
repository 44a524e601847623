#include "apiserver/json_builder.h"

#include "api/codec/json_text.h"

namespace windlass::apiserver {

void JsonBuilder::separate() {
  if (!first_) {
    out_ += ',';
  }
  first_ = false;
}

JsonBuilder& JsonBuilder::open(char bracket) {
  separate();
  out_ += bracket;
  first_ = true;
  return *this;
}

JsonBuilder& JsonBuilder::close(char bracket) {
  out_ += bracket;
  first_ = false;
  return *this;
}

JsonBuilder& JsonBuilder::key(std::string_view name) {
  separate();
  api::append_json_string(name, out_);
  out_ += ':';
  first_ = true;
  return *this;
}

JsonBuilder& JsonBuilder::string(std::string_view text) {
  separate();
  api::append_json_string(text, out_);
  return *this;
}

JsonBuilder& JsonBuilder::number(int64_t value) {
  return raw(std::to_string(value));
}

JsonBuilder& JsonBuilder::boolean(bool value) {
  return raw(value ? "true" : "false");
}

JsonBuilder& JsonBuilder::raw(std::string_view json) {
  separate();
  out_ += json;
  return *this;
}

}  // namespace windlass::apiserver
