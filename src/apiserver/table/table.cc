#include "apiserver/table/table.h"

#include <array>

#include "api/codec/json/json.h"
#include "apiserver/table/columns.h"

namespace windlass::apiserver {

void append_list_metadata(const ListHead& head, std::string& out) {
  JsonWriter json(out);
  json.open_object();
  if (!head.resource_version.empty()) {
    json.member("resourceVersion", head.resource_version);
  }
  if (!head.continue_token.empty()) {
    json.member("continue", head.continue_token);
  }
  if (head.remaining) {
    json.key("remainingItemCount").number(*head.remaining);
  }
  json.close_object();
}

const TableColumns& table_columns(const api::Kind& kind) {
  struct Entry {
    std::string_view group;
    std::string_view kind;
    TableColumns columns;
  };
  static const std::array<Entry, 15> all = {{
      {"batch", "Job", job_columns()},
      {"", "Pod", pod_columns()},
      {"", "Node", node_columns()},
      {"", "Event", event_columns()},
      {"events.k8s.io", "Event", new_event_columns()},
      {"", "Namespace", namespace_columns()},
      {"", "ConfigMap", config_map_columns()},
      {"", "Secret", secret_columns()},
      {"", "ServiceAccount", service_account_columns()},
      {"", "Service", service_columns()},
      {"", "PodTemplate", pod_template_columns()},
      {"coordination.k8s.io", "Lease", lease_columns()},
      {"policy", "PodDisruptionBudget", budget_columns()},
      {"scheduling.k8s.io", "PriorityClass", priority_class_columns()},
      {"ledger.windlass.dev", "Attempt", attempt_columns()},
  }};
  for (const Entry& entry : all) {
    if (entry.kind == kind.kind && entry.group == kind.group) {
      return entry.columns;
    }
  }
  static const TableColumns plain = plain_columns();
  return plain;
}

void TableWriter::open(const ListHead& head, bool with_columns) {
  json_.open_object().member("kind", "Table");
  json_.member("apiVersion", "meta.k8s.io/" + view_.format.meta_version);
  std::string metadata;
  append_list_metadata(head, metadata);
  json_.key("metadata").raw(metadata).key("columnDefinitions");
  if (with_columns) {
    json_.open_list();
    for (const Column& column : columns_.columns) {
      json_.open_object().member("name", column.name).member("type", column.type);
      json_.member("format", column.format).member("description", column.description);
      json_.key("priority").number(column.priority).close_object();
    }
    json_.close_list();
  } else {
    json_.null();
  }
  json_.key("rows").open_list();
}

void TableWriter::row(const api::Message& object) {
  json_.open_object().key("cells").open_list();
  columns_.cells(object, view_.now, json_);
  json_.close_list();
  if (columns_.conditions != nullptr) {
    columns_.conditions(object, json_);
  }
  json_.key("object");
  switch (view_.include) {
    case IncludeObject::none:
      json_.null();
      break;
    case IncludeObject::metadata: {
      std::string partial;
      append_partial_json(view_.format.meta_version, object, partial);
      json_.raw(partial);
      break;
    }
    case IncludeObject::object:
      json_.raw(api::to_json(object, kind_.type_meta()));
      break;
  }
  json_.close_object();
}

}  // namespace windlass::apiserver
