// Objects that every cluster has from the start: namespaces, the two system priority
// classes, and in each namespace a service account and the authority's certificate (api.md N15,
// N41). Created with the verbs that everybody uses. Core thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "apiserver/server.h"

namespace windlass::apiserver {

struct SystemPriorityClass {
  std::string_view name;
  int32_t value;
  std::string_view description;
};

// nullptr for any other name.
const SystemPriorityClass* find_system_priority_class(std::string_view name);

struct SystemObjects {
  std::string ca_certificate = {};  // PEM; becomes kube-root-ca.crt
  int32_t port = 443;               // of the service default/kubernetes
};

// Creates what is missing; for a start. Namespaces that come later are completed by
// complete_namespace.
void create_system_objects(Server& server, const SystemObjects& objects);
// The service account `default` and the config map `kube-root-ca.crt`. Leaves alone what is there.
void complete_namespace(Server& server, const std::string& ns, const SystemObjects& objects);

}  // namespace windlass::apiserver
