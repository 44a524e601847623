// One function per kind that is stored, each in the file that has its rules; registry.cc puts them
// together. A message of a strategy's kind is cast with as<T>().
#pragma once

#include "apiserver/strategies/strategy.h"

namespace windlass::apiserver {

template <class T>
const T& as(const Message& object) {
  return static_cast<const T&>(object);
}
template <class T>
T& as(Message& object) {
  return static_cast<T&>(object);
}

const Strategy& job_strategy();
const Strategy& pod_strategy();
const Strategy& node_strategy();
const Strategy& namespace_strategy();
const Strategy& event_strategy();
const Strategy& new_event_strategy();  // events.k8s.io
const Strategy& lease_strategy();
const Strategy& config_map_strategy();
const Strategy& secret_strategy();
const Strategy& service_account_strategy();
const Strategy& service_strategy();
const Strategy& pod_template_strategy();
const Strategy& budget_strategy();
const Strategy& priority_class_strategy();

// Kinds that only this folder names.
const api::Kind& new_event_kind();
const api::Kind& service_account_kind();
const api::Kind& service_kind();
const api::Kind& pod_template_kind();
const api::Kind& budget_kind();
const api::Kind& priority_class_kind();

}  // namespace windlass::apiserver
