// Labels as the bad value of an error: `{"a":"b"}`, keys in order, or `null` when there are none.
#pragma once

#include "api/field_error.h"
#include "api/string_map.h"

namespace windlass::api {

BadValue labels_value(const StringMap& labels);

}  // namespace windlass::api
