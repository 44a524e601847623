// The kinds with a handful of cells: api.md M138.

#include <fmt/format.h>

#include "apiserver/table/columns.h"
#include "schema/coordination/v1/lease.pb.h"
#include "schema/core/v1/config_map.pb.h"
#include "schema/core/v1/namespace.pb.h"
#include "schema/core/v1/pod_template.pb.h"
#include "schema/core/v1/service.pb.h"
#include "schema/core/v1/service_account.pb.h"
#include "schema/meta/v1/meta.pb.h"
#include "schema/policy/v1/pod_disruption_budget.pb.h"
#include "schema/scheduling/v1/priority_class.pb.h"

namespace windlass::apiserver {

namespace {

using namespace api::core::v1;

constexpr Column kNamespace[] = {
    kNameColumn, {"Status", "string", "", 0, "Active or Terminating."}, kAgeColumn};
constexpr Column kConfigMap[] = {
    kNameColumn, {"Data", "string", "", 0, "How many keys there are."}, kAgeColumn};
constexpr Column kSecret[] = {kNameColumn,
                              {"Type", "string", "", 0, "What the data is for."},
                              {"Data", "string", "", 0, "How many keys there are."},
                              kAgeColumn};
constexpr Column kServiceAccount[] = {kNameColumn, kAgeColumn};
constexpr Column kService[] = {
    kNameColumn,
    {"Type", "string", "", 0, "How the service is reached."},
    {"Cluster-IP", "string", "", 0, "Address inside the cluster."},
    {"External-IP", "string", "", 0, "Address outside of the cluster."},
    {"Port(s)", "string", "", 0, "Ports of the service."},
    kAgeColumn,
    {"Selector", "string", "", 1, "Labels of the pods behind the service."},
};
constexpr Column kPodTemplate[] = {
    kNameColumn,
    {"Containers", "string", "", 0, "Names of the containers."},
    {"Images", "string", "", 0, "Images of the containers."},
    {"Pod Labels", "string", "", 0, "Labels that the pods get."},
};
constexpr Column kLease[] = {
    kNameColumn, {"Holder", "string", "", 0, "Who holds the lease."}, kAgeColumn};
constexpr Column kBudget[] = {
    kNameColumn,
    {"Min Available", "string", "", 0, "How many pods must stay."},
    {"Max Unavailable", "string", "", 0, "How many pods may be missing."},
    {"Allowed Disruptions", "integer", "", 0, "How many pods may be evicted now."},
    kAgeColumn,
};
constexpr Column kPriorityClass[] = {
    kNameColumn,
    {"Value", "integer", "", 0, "The priority that pods of this class get."},
    {"Global-Default", "boolean", "", 0, "Whether it is for pods that name no class."},
    kAgeColumn,
    {"PreemptionPolicy", "string", "", 0, "Whether its pods may displace others."},
};

void namespace_cells(const api::Message& object, Time now, JsonWriter& json) {
  const auto& ns = static_cast<const Namespace&>(object);
  json.string(ns.metadata().name()).string(ns.status().phase()).string(age_of(ns, now));
}

void config_map_cells(const api::Message& object, Time now, JsonWriter& json) {
  const auto& map = static_cast<const ConfigMap&>(object);
  json.string(map.metadata().name());
  json.number(static_cast<int64_t>(map.data().size() + map.binary_data().size()));
  json.string(age_of(map, now));
}

void secret_cells(const api::Message& object, Time now, JsonWriter& json) {
  const auto& secret = static_cast<const Secret&>(object);
  json.string(secret.metadata().name()).string(secret.type());
  json.number(static_cast<int64_t>(secret.data().size())).string(age_of(secret, now));
}

void service_account_cells(const api::Message& object, Time now, JsonWriter& json) {
  const auto& account = static_cast<const ServiceAccount&>(object);
  json.string(account.metadata().name()).string(age_of(account, now));
}

std::string ports_text(const Service& service) {
  std::string text;
  for (const ServicePort& port : service.spec().ports()) {
    text += text.empty() ? "" : ",";
    text += port.node_port() > 0
                ? fmt::format("{}:{}/{}", port.port(), port.node_port(), port.protocol())
                : fmt::format("{}/{}", port.port(), port.protocol());
  }
  return std::string(or_none(text));
}

// k=v,k=v by key.
template <class Map>
std::string labels_text(const Map& labels) {
  const std::map<std::string, std::string> sorted(labels.begin(), labels.end());
  std::string text;
  for (const auto& [key, value] : sorted) {
    text += (text.empty() ? "" : ",") + key + "=" + value;
  }
  return std::string(or_none(text));
}

void service_cells(const api::Message& object, Time now, JsonWriter& json) {
  const auto& service = static_cast<const Service&>(object);
  json.string(service.metadata().name()).string(service.spec().type());
  json.string(or_none(service.spec().cluster_ip()));
  std::string external;
  for (const std::string& ip : service.spec().external_ips()) {
    external += (external.empty() ? "" : ",") + ip;
  }
  json.string(or_none(external)).string(ports_text(service)).string(age_of(service, now));
  json.string(labels_text(service.spec().selector()));
}

void pod_template_cells(const api::Message& object, Time, JsonWriter& json) {
  const auto& made = static_cast<const PodTemplate&>(object);
  json.string(made.metadata().name());
  append_container_cells(made.template_().spec(), json);
  json.string(labels_text(made.template_().metadata().labels()));
}

void lease_cells(const api::Message& object, Time now, JsonWriter& json) {
  const auto& lease = static_cast<const api::coordination::v1::Lease&>(object);
  json.string(lease.metadata().name()).string(lease.spec().holder_identity());
  json.string(age_of(lease, now));
}

std::string or_not_set(bool is_set, const api::meta::v1::IntOrString& value) {
  if (!is_set) {
    return "N/A";
  }
  return value.type() == 0 ? std::to_string(value.int_val()) : value.str_val();
}

void budget_cells(const api::Message& object, Time now, JsonWriter& json) {
  const auto& budget = static_cast<const api::policy::v1::PodDisruptionBudget&>(object);
  json.string(budget.metadata().name());
  json.string(or_not_set(budget.spec().has_min_available(), budget.spec().min_available()));
  json.string(or_not_set(budget.spec().has_max_unavailable(), budget.spec().max_unavailable()));
  json.number(budget.status().disruptions_allowed()).string(age_of(budget, now));
}

void priority_class_cells(const api::Message& object, Time now, JsonWriter& json) {
  const auto& priority = static_cast<const api::scheduling::v1::PriorityClass&>(object);
  json.string(priority.metadata().name()).number(priority.value());
  json.boolean(priority.global_default()).string(age_of(priority, now));
  json.string(priority.preemption_policy());
}

}  // namespace

TableColumns namespace_columns() {
  return {kNamespace, &namespace_cells};
}
TableColumns config_map_columns() {
  return {kConfigMap, &config_map_cells};
}
TableColumns secret_columns() {
  return {kSecret, &secret_cells};
}
TableColumns service_account_columns() {
  return {kServiceAccount, &service_account_cells};
}
TableColumns service_columns() {
  return {kService, &service_cells};
}
TableColumns pod_template_columns() {
  return {kPodTemplate, &pod_template_cells};
}
TableColumns lease_columns() {
  return {kLease, &lease_cells};
}
TableColumns budget_columns() {
  return {kBudget, &budget_cells};
}
TableColumns priority_class_columns() {
  return {kPriorityClass, &priority_class_cells};
}

namespace {

constexpr Column kPlain[] = {kNameColumn, kAgeColumn};

void plain_cells(const api::Message& object, Time now, JsonWriter& json) {
  json.string(api::metadata_of(object).name()).string(age_of(object, now));
}

}  // namespace

TableColumns plain_columns() {
  return {kPlain, &plain_cells};
}

}  // namespace windlass::apiserver
