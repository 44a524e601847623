// metav1.Time and MicroTime between the schema and base/time.h. Time carries whole seconds,
// MicroTime microseconds. Pure; any thread.
#pragma once

#include "base/time.h"

namespace windlass::api::meta::v1 {
class MicroTime;
class Time;
}  // namespace windlass::api::meta::v1

namespace windlass::api {

Time time_of(const meta::v1::Time& message);
Time time_of(const meta::v1::MicroTime& message);
void set_time(meta::v1::Time& message, Time time);
void set_time(meta::v1::MicroTime& message, Time time);

}  // namespace windlass::api
