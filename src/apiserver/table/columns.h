// The columns of each kind, one function per kind in the file that has its cells.
#pragma once

#include <string>
#include <string_view>

#include "api/object.h"
#include "apiserver/table/table.h"
#include "base/json_writer.h"
#include "base/time.h"

namespace windlass::api::meta::v1 {
class Time;
}

namespace windlass::api::core::v1 {
class PodSpec;
}

namespace windlass::apiserver {

// What the cells of several kinds have in common. Pure.
inline constexpr Column kNameColumn = {"Name", "string", "name", 0,
                                       "Name must be unique within a namespace."};
inline constexpr Column kAgeColumn = {"Age", "string", "", 0, "How long the object has existed."};

// `<unknown>` for a time that is not set (api.md M139).
std::string since(const api::meta::v1::Time& time, Time now);
std::string age_of(const api::Message& object, Time now);
std::string_view or_none(std::string_view text);

TableColumns job_columns();
TableColumns pod_columns();
TableColumns node_columns();
TableColumns event_columns();
TableColumns new_event_columns();  // events.k8s.io
TableColumns namespace_columns();
TableColumns config_map_columns();
TableColumns secret_columns();
TableColumns service_account_columns();
TableColumns service_columns();
TableColumns lease_columns();
TableColumns budget_columns();
TableColumns priority_class_columns();
TableColumns pod_template_columns();
TableColumns attempt_columns();
// Name and age, for kinds without columns of their own.
TableColumns plain_columns();

// Names and images of a pod's containers, as wide tables show them. Pure.

// Two cells: a,b and image-a,image-b.
void append_container_cells(const api::core::v1::PodSpec& spec, JsonWriter& json);

}  // namespace windlass::apiserver
