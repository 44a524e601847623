// What the .proto files say about messages and fields, for `kubectl explain`. The comments are not
// part of the generated code: they come from a description of the schema that is built in as data,
// and are read only while an OpenAPI document is made. Any thread.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace windlass::apiserver {

class Comments {
 public:
  Comments();
  ~Comments();
  Comments(const Comments&) = delete;
  Comments& operator=(const Comments&) = delete;

  // Of a message or a field by its full name; "" when there is none.
  std::string of(const std::string& full_name) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace windlass::apiserver
