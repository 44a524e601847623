#include "apiserver/strategies/admission.h"

#include <google/protobuf/message.h>

#include <algorithm>

#include "apiserver/server.h"
#include "apiserver/strategies/strategies.h"
#include "apiserver/verbs/request_errors.h"
#include "base/quote.h"
#include "schema/core/v1/node.pb.h"
#include "schema/core/v1/pod.pb.h"
#include "schema/core/v1/service_account.pb.h"
#include "schema/scheduling/v1/priority_class.pb.h"

namespace windlass::apiserver {
namespace {

using api::core::v1::Node;
using api::core::v1::Pod;
using api::core::v1::ServiceAccount;
using api::core::v1::Taint;
using api::core::v1::Toleration;
using api::scheduling::v1::PriorityClass;

constexpr const char* kNotReady = "node.kubernetes.io/not-ready";
constexpr const char* kNoSchedule = "NoSchedule";
constexpr const char* kPreempt = "PreemptLowerPriority";

void tolerate_lost_nodes(Pod& pod, Duration how_long) {
  for (const char* key : {kNotReady, "node.kubernetes.io/unreachable"}) {
    const bool tolerated =
        std::ranges::any_of(pod.spec().tolerations(), [&](const Toleration& toleration) {
          return (toleration.key() == key || toleration.key().empty()) &&
                 (toleration.effect().empty() || toleration.effect() == "NoExecute");
        });
    if (!tolerated) {
      Toleration& added = *pod.mutable_spec()->add_tolerations();
      added.set_key(key);
      added.set_operator_("Exists");
      added.set_effect("NoExecute");
      added.set_toleration_seconds(
          std::chrono::duration_cast<std::chrono::seconds>(how_long).count());
    }
  }
}

// disruption.md N-5a: the node life cycle takes it off when the node says that it is ready.
void begin_not_ready(Node& node) {
  if (std::ranges::none_of(node.spec().taints(), [](const Taint& taint) {
        return taint.key() == kNotReady && taint.effect() == kNoSchedule;
      })) {
    Taint& taint = *node.mutable_spec()->add_taints();
    taint.set_key(kNotReady);
    taint.set_effect(kNoSchedule);
  }
}

struct Priority {
  std::string class_name = {};
  int32_t value = 0;
  std::string preemption = kPreempt;
};

Priority priority_of(const PriorityClass& from) {
  return {from.metadata().name(), from.value(),
          from.has_preemption_policy() ? from.preemption_policy() : kPreempt};
}

Result<void> set_priority(const ObjectRef& ref, const Priority& computed, Pod& pod) {
  auto& spec = *pod.mutable_spec();
  constexpr const char* kComputed =
      " must not be provided in pod spec; priority admission controller computed ";
  constexpr const char* kFrom = " from the given PriorityClass name";
  if (spec.has_priority() && spec.priority() != computed.value) {
    return fail(forbidden(resource_name(ref),
                          "the integer value of priority (" + std::to_string(spec.priority()) +
                              ")" + kComputed + std::to_string(computed.value) + kFrom));
  }
  if (spec.has_preemption_policy() && spec.preemption_policy() != computed.preemption) {
    return fail(forbidden(resource_name(ref), "the string value of PreemptionPolicy (" +
                                                  spec.preemption_policy() + ")" + kComputed +
                                                  computed.preemption + kFrom));
  }
  if (!computed.class_name.empty()) {
    spec.set_priority_class_name(computed.class_name);
  }
  spec.set_priority(computed.value);
  spec.set_preemption_policy(computed.preemption);
  return {};
}

// A client that sends a pod without what it was given at its creation does not mean to change it.
void keep_admitted(const Admission& admission, const Pod& old, Pod& pod) {
  auto& spec = *pod.mutable_spec();
  if (admission.priorities) {
    if (!spec.has_priority() && old.spec().has_priority()) {
      spec.set_priority(old.spec().priority());
    }
    if (!spec.has_preemption_policy() && old.spec().has_preemption_policy()) {
      spec.set_preemption_policy(old.spec().preemption_policy());
    }
  }
  if (admission.default_tolerations) {
    tolerate_lost_nodes(pod, admission.toleration);
  }
}

}  // namespace

ObjectPtr Server::default_priority_class() {
  const api::Kind& kind = priority_class_kind();
  const auto page = store_.list({.resource = kind.plural});
  for (const store::VersionPtr& version : page->items) {
    ObjectPtr object = decode(kind, *version);
    if (as<PriorityClass>(*object).global_default()) {
      return object;
    }
  }
  return nullptr;
}

Result<void> Server::admit_pod(const ObjectRef& ref, Message& object) {
  Pod& pod = as<Pod>(object);
  auto& spec = *pod.mutable_spec();
  if (admission_.service_accounts) {
    if (spec.service_account_name().empty()) {
      spec.set_service_account_name("default");
    }
    spec.set_service_account(spec.service_account_name());
    const std::string& account = spec.service_account_name();
    const auto found = find({&service_account_kind(), ref.ns, account});
    if (!found) {
      return fail(forbidden(resource_name(ref), "error looking up service account " + ref.ns + "/" +
                                                    account + ": serviceaccount " + quote(account) +
                                                    " not found"));
    }
    if (spec.image_pull_secrets().empty()) {
      *spec.mutable_image_pull_secrets() = as<ServiceAccount>(*found->object).image_pull_secrets();
    }
  }
  if (admission_.priorities) {
    Priority computed;
    if (!spec.priority_class_name().empty()) {
      const auto stored = find({&priority_class_kind(), "", spec.priority_class_name()});
      if (!stored) {
        return fail(forbidden(resource_name(ref), "no PriorityClass with name " +
                                                      spec.priority_class_name() + " was found"));
      }
      computed = priority_of(as<PriorityClass>(*stored->object));
    } else if (const ObjectPtr by_default = default_priority_class()) {
      computed = priority_of(as<PriorityClass>(*by_default));
    }
    TRY_VOID(set_priority(ref, computed, pod));
  }
  if (admission_.default_tolerations) {
    tolerate_lost_nodes(pod, admission_.toleration);
  }
  // RuntimeClasses are not served, so none is found. What asks for a sandbox must not run without.
  if (admission_.runtime_classes && spec.has_runtime_class_name()) {
    return fail(forbidden(resource_name(ref), "pod rejected: RuntimeClass " +
                                                  quote(spec.runtime_class_name()) + " not found"));
  }
  return {};
}

Result<void> Server::admit(const ObjectRef& ref, Message& object, const Message* old) {
  if (ref.kind == &api::kinds::pod()) {
    if (old == nullptr) {
      return admit_pod(ref, object);
    }
    keep_admitted(admission_, as<Pod>(*old), as<Pod>(object));
    return {};
  }
  if (ref.kind == &api::kinds::node() && old == nullptr && admission_.unready_nodes) {
    begin_not_ready(as<Node>(object));
  }
  return {};
}

Result<void> Server::admit_valid(const ObjectRef& ref, const Message& object) {
  if (!admission_.priorities || ref.kind != &priority_class_kind() ||
      !as<PriorityClass>(object).global_default()) {
    return {};
  }
  const ObjectPtr other = default_priority_class();
  if (!other || api::metadata_of(*other).name() == ref.name) {
    return {};
  }
  return fail(forbidden(resource_name(ref), "PriorityClass " + api::metadata_of(*other).name() +
                                                " is already marked as default. Only one default "
                                                "can exist"));
}

}  // namespace windlass::apiserver
