#include "apiserver/system_objects.h"

#include <google/protobuf/message.h>

#include <array>

#include "apiserver/strategies/strategies.h"
#include "base/check.h"
#include "schema/core/v1/config_map.pb.h"
#include "schema/core/v1/service.pb.h"
#include "schema/core/v1/service_account.pb.h"
#include "schema/meta/v1/meta.pb.h"
#include "schema/scheduling/v1/priority_class.pb.h"

namespace windlass::apiserver {
namespace {

constexpr std::array<SystemPriorityClass, 2> kSystemClasses = {{
    {"system-node-critical", 2'000'001'000,
     "Used for system critical pods that must not be moved from their current node."},
    {"system-cluster-critical", 2'000'000'000,
     "Used for system critical pods that must run in the cluster, but can be moved to another "
     "node if necessary."},
}};

constexpr const char* kRootCertificate = "kube-root-ca.crt";

void create_if_missing(Server& server, const ObjectRef& ref, std::unique_ptr<Message> object) {
  if (server.get(ref)) {
    return;
  }
  const WriteResult result = server.create(ref, std::move(object));
  // Another writer may have been faster, the namespace may be going, the disk may be full: the next
  // start or sync tries again.
  const bool impossible = !result.answer && result.answer.error().code == 422;
  CHECK(!impossible, result.answer.error().message);
}

}  // namespace

const SystemPriorityClass* find_system_priority_class(std::string_view name) {
  for (const SystemPriorityClass& known : kSystemClasses) {
    if (known.name == name) {
      return &known;
    }
  }
  return nullptr;
}

void complete_namespace(Server& server, const std::string& ns, const SystemObjects& objects) {
  create_if_missing(server, {&service_account_kind(), ns, "default"},
                    std::make_unique<api::core::v1::ServiceAccount>());
  auto certificate = std::make_unique<api::core::v1::ConfigMap>();
  (*certificate->mutable_metadata()->mutable_annotations())["kubernetes.io/description"] =
      "Contains a CA bundle that can be used to verify the API server.";
  (*certificate->mutable_data())["ca.crt"] = objects.ca_certificate;
  create_if_missing(server, {&api::kinds::config_map(), ns, kRootCertificate},
                    std::move(certificate));
}

void create_system_objects(Server& server, const SystemObjects& objects) {
  server.create_system_namespaces();
  for (const SystemPriorityClass& known : kSystemClasses) {
    auto made = std::make_unique<api::scheduling::v1::PriorityClass>();
    made->set_value(known.value);
    made->set_description(std::string(known.description));
    create_if_missing(server, {&priority_class_kind(), "", std::string(known.name)},
                      std::move(made));
  }
  for (const char* ns : {"default", "kube-system", "kube-public", "kube-node-lease"}) {
    complete_namespace(server, ns, objects);
  }
  auto service = std::make_unique<api::core::v1::Service>();
  (*service->mutable_metadata()->mutable_labels())["component"] = "apiserver";
  (*service->mutable_metadata()->mutable_labels())["provider"] = "kubernetes";
  api::core::v1::ServicePort& port = *service->mutable_spec()->add_ports();
  port.set_name("https");
  port.set_port(objects.port);
  create_if_missing(server, {&service_kind(), "default", "kubernetes"}, std::move(service));
}

}  // namespace windlass::apiserver
