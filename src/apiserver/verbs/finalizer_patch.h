// The patch that controllers send most often: take finalizers off an object, on condition of its
// UID and version. It is carried out on the message itself; through JSON, as strategic merge
// patches are in general, it costs ten times as much. Pure; any thread.
#pragma once

#include <memory>

#include "api/codec/json/json_value.h"
#include "api/object.h"

namespace windlass::apiserver {

// The object as the strategic merge patch wants it, or nullptr when the patch says anything else
// than that.
std::unique_ptr<api::Message> without_finalizers(const api::Message& object,
                                                 const api::JsonTree& patch);

}  // namespace windlass::apiserver
