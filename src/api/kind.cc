#include "api/kind.h"

#include <google/protobuf/message.h>

#include <utility>

#include "base/check.h"
#include "schema/authentication/v1/self_subject_review.pb.h"
#include "schema/authorization/v1/self_subject_access_review.pb.h"
#include "schema/authorization/v1/self_subject_rules_review.pb.h"
#include "schema/batch/v1/job.pb.h"
#include "schema/coordination/v1/lease.pb.h"
#include "schema/core/v1/binding.pb.h"
#include "schema/core/v1/config_map.pb.h"
#include "schema/core/v1/event.pb.h"
#include "schema/core/v1/namespace.pb.h"
#include "schema/core/v1/node.pb.h"
#include "schema/core/v1/pod.pb.h"
#include "schema/core/v1/pod_template.pb.h"
#include "schema/core/v1/service.pb.h"
#include "schema/core/v1/service_account.pb.h"
#include "schema/events/v1/event.pb.h"
#include "schema/ledger/v1/attempt.pb.h"
#include "schema/meta/v1/options.pb.h"
#include "schema/meta/v1/status.pb.h"
#include "schema/policy/v1/eviction.pb.h"
#include "schema/policy/v1/pod_disruption_budget.pb.h"
#include "schema/scheduling/v1/priority_class.pb.h"

namespace windlass::api {

namespace {

template <class T>
const Message& prototype_of() {
  return T::default_instance();
}

template <class T, class List>
Kind resource(std::string_view group, std::string_view kind, std::string_view plural,
              std::string_view singular) {
  Kind made;
  made.group = group;
  made.version = "v1";
  made.kind = kind;
  made.plural = plural;
  made.singular = singular;
  made.prototype = &prototype_of<T>;
  made.list_prototype = &prototype_of<List>;
  return made;
}

// Posted and answered, never stored or listed.
template <class T>
Kind unlisted(std::string_view group, std::string_view version, std::string_view kind,
              std::string_view plural = {}, std::string_view singular = {}) {
  Kind made;
  made.group = group;
  made.version = version;
  made.kind = kind;
  made.plural = plural;
  made.singular = singular;
  made.prototype = &prototype_of<T>;
  return made;
}

Kind cluster_wide(Kind kind) {
  kind.namespaced = false;
  return kind;
}

Kind named(Kind kind, std::vector<std::string_view> short_names,
           std::vector<std::string_view> categories = {}) {
  kind.short_names = std::move(short_names);
  kind.categories = std::move(categories);
  return kind;
}

// As a kube-apiserver lists them: groups in order of priority, resources by name.
std::vector<Kind> make_resources() {
  using namespace core::v1;
  std::vector<Kind> all;
  all.push_back(unlisted<Binding>("", "v1", "Binding", "bindings", "binding"));
  all.push_back(named(
      resource<ConfigMap, ConfigMapList>("", "ConfigMap", "configmaps", "configmap"), {"cm"}));
  all.push_back(named(resource<Event, EventList>("", "Event", "events", "event"), {"ev"}));
  all.push_back(cluster_wide(named(
      resource<Namespace, NamespaceList>("", "Namespace", "namespaces", "namespace"), {"ns"})));
  all.push_back(cluster_wide(named(resource<Node, NodeList>("", "Node", "nodes", "node"), {"no"})));
  all.push_back(named(resource<Pod, PodList>("", "Pod", "pods", "pod"), {"po"}, {"all"}));
  all.push_back(
      resource<PodTemplate, PodTemplateList>("", "PodTemplate", "podtemplates", "podtemplate"));
  all.push_back(resource<Secret, SecretList>("", "Secret", "secrets", "secret"));
  all.push_back(named(resource<ServiceAccount, ServiceAccountList>(
                          "", "ServiceAccount", "serviceaccounts", "serviceaccount"),
                      {"sa"}));
  all.push_back(named(resource<Service, ServiceList>("", "Service", "services", "service"), {"svc"},
                      {"all"}));
  all.push_back(named(resource<events::v1::Event, events::v1::EventList>("events.k8s.io", "Event",
                                                                         "events", "event"),
                      {"ev"}));
  all.push_back(cluster_wide(unlisted<authentication::v1::SelfSubjectReview>(
      "authentication.k8s.io", "v1", "SelfSubjectReview", "selfsubjectreviews",
      "selfsubjectreview")));
  all.push_back(cluster_wide(unlisted<authorization::v1::SelfSubjectAccessReview>(
      "authorization.k8s.io", "v1", "SelfSubjectAccessReview", "selfsubjectaccessreviews",
      "selfsubjectaccessreview")));
  all.push_back(cluster_wide(unlisted<authorization::v1::SelfSubjectRulesReview>(
      "authorization.k8s.io", "v1", "SelfSubjectRulesReview", "selfsubjectrulesreviews",
      "selfsubjectrulesreview")));
  all.push_back(named(resource<batch::v1::Job, batch::v1::JobList>("batch", "Job", "jobs", "job"),
                      {}, {"all"}));
  all.push_back(
      named(resource<policy::v1::PodDisruptionBudget, policy::v1::PodDisruptionBudgetList>(
                "policy", "PodDisruptionBudget", "poddisruptionbudgets", "poddisruptionbudget"),
            {"pdb"}));
  all.push_back(cluster_wide(
      named(resource<scheduling::v1::PriorityClass, scheduling::v1::PriorityClassList>(
                "scheduling.k8s.io", "PriorityClass", "priorityclasses", "priorityclass"),
            {"pc"})));
  all.push_back(resource<coordination::v1::Lease, coordination::v1::LeaseList>(
      "coordination.k8s.io", "Lease", "leases", "lease"));
  return all;
}

std::vector<Kind> make_recorded() {
  std::vector<Kind> all;
  all.push_back(resource<ledger::v1::Attempt, ledger::v1::AttemptList>(
      "ledger.windlass.dev", "Attempt", "attempts", "attempt"));
  return all;
}

std::vector<Kind> make_bodies() {
  std::vector<Kind> all;
  all.push_back(unlisted<meta::v1::Status>("", "v1", "Status"));
  all.push_back(unlisted<meta::v1::DeleteOptions>("", "v1", "DeleteOptions"));
  all.push_back(unlisted<policy::v1::Eviction>("policy", "v1", "Eviction"));
  all.push_back(unlisted<policy::v1::Eviction>("policy", "v1beta1", "Eviction"));
  return all;
}

const std::vector<Kind>& resources() {
  static const std::vector<Kind> all = make_resources();
  return all;
}

const std::vector<Kind>& recorded() {
  static const std::vector<Kind> all = make_recorded();
  return all;
}

const std::vector<Kind>& bodies() {
  static const std::vector<Kind> all = make_bodies();
  return all;
}

struct GroupVersion {
  std::string_view group;
  std::string_view version;
};

GroupVersion split(std::string_view api_version) {
  const size_t slash = api_version.find('/');
  if (slash == std::string_view::npos) {
    return {{}, api_version};
  }
  return {api_version.substr(0, slash), api_version.substr(slash + 1)};
}

bool is_in(const Kind& kind, const GroupVersion& gv) {
  return kind.group == gv.group && kind.version == gv.version;
}

bool is_served(const GroupVersion& gv) {
  for (const Kind& kind : resources()) {
    if (is_in(kind, gv)) {
      return true;
    }
  }
  return false;
}

const Kind& must_find(std::string_view api_version, std::string_view name) {
  const Kind* kind = find_kind(api_version, name);
  CHECK(kind != nullptr, name);
  return *kind;
}

}  // namespace

std::string Kind::api_version() const {
  if (group.empty()) {
    return std::string(version);
  }
  std::string text(group);
  text += '/';
  text += version;
  return text;
}

TypeMeta Kind::type_meta() const {
  return {api_version(), std::string(kind)};
}

TypeMeta Kind::list_type_meta() const {
  return {api_version(), std::string(kind) + "List"};
}

std::unique_ptr<Message> Kind::make() const {
  return std::unique_ptr<Message>(prototype().New());
}

std::unique_ptr<Message> Kind::make_list() const {
  CHECK(list_prototype != nullptr, kind);
  return std::unique_ptr<Message>(list_prototype().New());
}

std::span<const Kind> all_kinds() {
  return resources();
}

std::span<const Kind> recorded_kinds() {
  return recorded();
}

const Kind* find_kind(std::string_view api_version, std::string_view name) {
  const GroupVersion gv = split(api_version);
  for (const Kind& kind : resources()) {
    if (kind.kind == name && is_in(kind, gv)) {
      return &kind;
    }
  }
  for (const Kind& kind : recorded()) {
    if (kind.kind == name && is_in(kind, gv)) {
      return &kind;
    }
  }
  for (const Kind& kind : bodies()) {
    if (kind.kind != name) {
      continue;
    }
    if (is_in(kind, gv) || (name == "DeleteOptions" && is_served(gv))) {
      return &kind;
    }
  }
  return nullptr;
}

const Kind* find_resource(std::string_view group, std::string_view version,
                          std::string_view plural) {
  if (plural.empty()) {
    return nullptr;
  }
  for (const Kind& kind : resources()) {
    if (kind.plural == plural && kind.group == group && kind.version == version) {
      return &kind;
    }
  }
  for (const Kind& kind : recorded()) {
    if (kind.plural == plural && kind.group == group && kind.version == version) {
      return &kind;
    }
  }
  return nullptr;
}

namespace kinds {

const Kind& job() {
  static const Kind& kind = must_find("batch/v1", "Job");
  return kind;
}

const Kind& pod() {
  static const Kind& kind = must_find("v1", "Pod");
  return kind;
}

const Kind& node() {
  static const Kind& kind = must_find("v1", "Node");
  return kind;
}

const Kind& event() {
  static const Kind& kind = must_find("v1", "Event");
  return kind;
}

const Kind& lease() {
  static const Kind& kind = must_find("coordination.k8s.io/v1", "Lease");
  return kind;
}

const Kind& namespace_() {
  static const Kind& kind = must_find("v1", "Namespace");
  return kind;
}

const Kind& config_map() {
  static const Kind& kind = must_find("v1", "ConfigMap");
  return kind;
}

const Kind& secret() {
  static const Kind& kind = must_find("v1", "Secret");
  return kind;
}

const Kind& attempt() {
  static const Kind& kind = must_find("ledger.windlass.dev/v1", "Attempt");
  return kind;
}

}  // namespace kinds

}  // namespace windlass::api
