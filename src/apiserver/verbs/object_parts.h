// The parts of an object: its top-level fields, where each of them is one message (metadata, spec,
// status). Most writes touch one part, and the work on JSON trees need not look at the others.
// Pure; any thread.
#pragma once

#include <string_view>
#include <vector>

#include "api/object.h"

namespace google::protobuf {
class FieldDescriptor;
}

namespace windlass::apiserver {

using Part = const google::protobuf::FieldDescriptor*;

// False for kinds like ConfigMap, which have other fields beside their messages.
bool consists_of_parts(const api::Message& object);
// By its JSON name; nullptr when there is none.
Part find_part(const api::Message& object, std::string_view name);
// The parts in which the two, of one type, are not the same to the byte.
std::vector<Part> differing_parts(const api::Message& a, const api::Message& b);

// Gives the object all parts of the other but these.
void copy_other_parts(const api::Message& other, const std::vector<Part>& parts,
                      api::Message& object);

}  // namespace windlass::apiserver
