// Whether two objects say the same, as Kubernetes compares them: a zero value is an absent one, an
// empty list or map an absent one, quantities compare by value ("500m" is "0.5"), times by the
// moment. What Go holds behind a pointer differs from absent even when it is zero. By reflection:
// for updates, not for hot paths. Pure; any thread.
#pragma once

#include <string>
#include <vector>

#include "api/object.h"

namespace windlass::api {

// Both are of the same type.
bool semantically_equal(const Message& a, const Message& b);
// The JSON names of the fields, of the message itself, in which the two differ.
std::vector<std::string> differing_fields(const Message& a, const Message& b);

}  // namespace windlass::api
