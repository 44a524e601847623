#include "api/codec/json/json_path.h"

#include <fmt/format.h>
#include <google/protobuf/descriptor.h>

#include <vector>

#include "api/codec/json/json_scanner.h"
#include "api/codec/json/json_text.h"

namespace windlass::api {
namespace {

// A reported path is cut here: map keys may be as long as the document.
constexpr size_t kMaxPathBytes = 1024;

std::vector<const JsonFrame*> from_the_root(const JsonFrame* at) {
  std::vector<const JsonFrame*> frames;
  for (; at != nullptr; at = at->outer) {
    frames.push_back(at);
  }
  return {frames.rbegin(), frames.rend()};
}

void append_name(std::string_view name, std::string& path) {
  if (!path.empty()) {
    path += '.';
  }
  path += name.substr(0, kMaxPathBytes);
}

// Walks the scanner to the values inside the value that begins with `token`.
class Navigator {
 public:
  explicit Navigator(std::string_view json) : scanner_(json), token_(scanner_.next()) {}

  bool enter(const JsonFrame& frame) {
    if (frame.type == JsonFrame::Type::item) {
      return token_ == JsonToken::begin_array && enter_item(frame.index);
    }
    return token_ == JsonToken::begin_object && enter_member(frame.name);
  }

  std::string number() const {
    return token_ == JsonToken::number ? std::string(scanner_.text()) : std::string();
  }

 private:
  bool enter_member(std::string_view name) {
    while ((token_ = scanner_.next()) == JsonToken::key) {
      bool found = unescape_json_string(scanner_.text()) == name;
      token_ = scanner_.next();
      if (found) {
        return true;
      }
      skip_value();
    }
    return false;
  }

  bool enter_item(size_t index) {
    token_ = scanner_.next();
    for (; index > 0 && token_ != JsonToken::end_array && token_ != JsonToken::error; --index) {
      skip_value();
      token_ = scanner_.next();
    }
    return token_ != JsonToken::end_array && token_ != JsonToken::error;
  }

  void skip_value() {
    if (token_ != JsonToken::begin_object && token_ != JsonToken::begin_array) {
      return;
    }
    size_t outside = scanner_.depth() - 1;
    while (scanner_.depth() > outside && token_ != JsonToken::error) {
      token_ = scanner_.next();
    }
  }

  JsonScanner scanner_;
  JsonToken token_;
};

}  // namespace

std::string path_text(const JsonFrame* at, std::string_view name) {
  std::string path;
  for (const JsonFrame* frame : from_the_root(at)) {
    if (path.size() > kMaxPathBytes) {
      return path;
    }
    if (frame->type == JsonFrame::Type::item) {
      path += fmt::format("[{}]", frame->index);
    } else {
      append_name(frame->name, path);
    }
  }
  if (!name.empty()) {
    append_name(name, path);
  }
  return path;
}

std::string type_mismatch_text(const JsonFrame* at, std::string_view what,
                               std::string_view go_type) {
  std::string path;
  const JsonStruct* shape = nullptr;
  for (const JsonFrame* frame : from_the_root(at)) {
    if (frame->type == JsonFrame::Type::field) {
      append_name(frame->name, path);
      shape = frame->shape;
    }
  }
  if (shape == nullptr) {
    return fmt::format("json: cannot unmarshal {} into Go value of type {}", what, go_type);
  }
  return fmt::format("json: cannot unmarshal {} into Go struct field {}.{} of type {}", what,
                     shape->descriptor->name(), path, go_type);
}

std::string number_at(std::string_view json, const JsonFrame* at) {
  Navigator navigator(json);
  for (const JsonFrame* frame : from_the_root(at)) {
    if (!navigator.enter(*frame)) {
      return "";
    }
  }
  return navigator.number();
}

}  // namespace windlass::api
