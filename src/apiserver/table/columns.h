// The columns of each kind, one function per kind in the file that has its cells.
#pragma once

#include "apiserver/table/table.h"

namespace windlass::apiserver {

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
// Name and age, for kinds without columns of their own.
TableColumns plain_columns();

}  // namespace windlass::apiserver
