// The apiVersion and kind that a body or a patched object names, against those of the endpoint
// (api.md M31). Pure; any thread.
#pragma once

#include <string>

#include "api/kind.h"
#include "api/object.h"

namespace windlass::apiserver {

// What the body leaves out, the endpoint says.
api::TypeMeta completed_type(api::TypeMeta given, const api::Kind& wanted);

// Why an object of this type cannot be one of the endpoint's kind; empty when it can.
std::string type_conflict(const api::TypeMeta& given, const api::Kind& wanted);

}  // namespace windlass::apiserver
