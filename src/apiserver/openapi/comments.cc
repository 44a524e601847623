#include "apiserver/openapi/comments.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/descriptor.pb.h>

#include "base/check.h"

// A FileDescriptorSet with its comments, made by protoc (cmake/schema.cmake).
__asm__(
    ".section .rodata\n"
    ".balign 16\n"
    ".globl windlass_schema_begin\n"
    ".hidden windlass_schema_begin\n"
    "windlass_schema_begin:\n"
    ".incbin \"" WINDLASS_SCHEMA_FILE
    "\"\n"
    ".globl windlass_schema_end\n"
    ".hidden windlass_schema_end\n"
    "windlass_schema_end:\n"
    ".byte 0\n"
    ".text\n");

extern "C" {
__attribute__((visibility("hidden"))) extern const char windlass_schema_begin[];
__attribute__((visibility("hidden"))) extern const char windlass_schema_end[];
}

namespace windlass::apiserver {
namespace {

// One line of prose: line ends and the blanks around them become one blank.
std::string as_prose(const std::string& comment) {
  std::string text;
  bool blank = false;
  for (const char c : comment) {
    if (c == ' ' || c == '\n') {
      blank = !text.empty();
    } else {
      text += blank ? " " : "";
      text += c;
      blank = false;
    }
  }
  return text;
}

}  // namespace

struct Comments::State {
  google::protobuf::DescriptorPool pool;
};

Comments::Comments() : state_(std::make_unique<State>()) {
  google::protobuf::FileDescriptorSet set;
  const auto size = static_cast<int>(windlass_schema_end - windlass_schema_begin);
  CHECK(set.ParseFromArray(windlass_schema_begin, size), "the schema is built in");
  for (const auto& file : set.file()) {
    CHECK(state_->pool.BuildFile(file) != nullptr, file.name());
  }
}

Comments::~Comments() = default;

std::string Comments::of(const std::string& full_name) const {
  google::protobuf::SourceLocation location;
  if (const auto* message = state_->pool.FindMessageTypeByName(full_name)) {
    message->GetSourceLocation(&location);
  } else if (const auto* field = state_->pool.FindFieldByName(full_name)) {
    field->GetSourceLocation(&location);
  }
  return as_prose(location.leading_comments);
}

}  // namespace windlass::apiserver
