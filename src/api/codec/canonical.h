// The canonical form of a message (protobuf.h), made in place. Internal to the codec.
#pragma once

#include "api/object.h"
#include "base/result.h"

namespace windlass::api {

// The error is about the first quantity or time that no JSON could have given; the rest of the
// message is canonical all the same.
Result<void> make_canonical(Message& object);

}  // namespace windlass::api
