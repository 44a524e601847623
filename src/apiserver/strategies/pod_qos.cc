#include "apiserver/strategies/pod_qos.h"

#include <array>

#include "api/equality.h"
#include "schema/core/v1/pod.pb.h"
#include "schema/meta/v1/quantity.pb.h"

namespace windlass::apiserver {
namespace {

using api::meta::v1::Quantity;
using Resources = google::protobuf::Map<std::string, Quantity>;

constexpr std::array<const char*, 2> kCounted = {"cpu", "memory"};

// nullptr when it is not there, or zero.
const Quantity* find(const Resources& resources, const char* name) {
  const auto found = resources.find(name);
  if (found == resources.end()) {
    return nullptr;
  }
  static const Quantity zero = [] {
    Quantity quantity;
    quantity.set_string("0");
    return quantity;
  }();
  return api::semantically_equal(found->second, zero) ? nullptr : &found->second;
}

struct QosEvidence {
  bool asks_nothing = true;
  bool guaranteed = true;
};

void judge(const api::core::v1::ResourceRequirements& resources, QosEvidence& verdict) {
  for (const char* name : kCounted) {
    const Quantity* request = find(resources.requests(), name);
    const Quantity* limit = find(resources.limits(), name);
    verdict.asks_nothing = verdict.asks_nothing && request == nullptr && limit == nullptr;
    verdict.guaranteed = verdict.guaranteed && request != nullptr && limit != nullptr &&
                         api::semantically_equal(*request, *limit);
  }
}

}  // namespace

std::string_view qos_class(const api::core::v1::Pod& pod) {
  QosEvidence verdict;
  if (pod.spec().has_resources()) {
    judge(pod.spec().resources(), verdict);  // they speak for the whole pod
  } else {
    for (const api::core::v1::Container& container : pod.spec().containers()) {
      judge(container.resources(), verdict);
    }
    for (const api::core::v1::Container& container : pod.spec().init_containers()) {
      judge(container.resources(), verdict);
    }
  }
  return verdict.asks_nothing ? "BestEffort" : verdict.guaranteed ? "Guaranteed" : "Burstable";
}

}  // namespace windlass::apiserver
