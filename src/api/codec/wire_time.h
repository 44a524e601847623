// metav1.Time between the schema and base/time.h. Objects carry whole seconds. Pure; any thread.
#pragma once

#include "base/time.h"

namespace windlass::api::meta::v1 {
class Time;
}

namespace windlass::api {

Time time_of(const meta::v1::Time& message);
void set_time(meta::v1::Time& message, Time time);

}  // namespace windlass::api
