// POST pods/NAME/eviction: disruption.md E-1 to E-12, api.md P90-P96. Everything is decided and
// written in one step, so there is nothing to retry (E-4, E-9f): budget, condition, deletion.
#include "apiserver/verbs/pod/evict_budget.h"

#include <google/protobuf/message.h>

#include "api/pod/pod_condition.h"
#include "apiserver/server.h"
#include "apiserver/strategies/strategies.h"
#include "apiserver/verbs/deletion.h"
#include "apiserver/verbs/request_errors.h"
#include "client/object_identity.h"
#include "schema/core/v1/pod.pb.h"
#include "schema/policy/v1/pod_disruption_budget.pb.h"

namespace windlass::apiserver {

using api::core::v1::Pod;

WriteResult Server::evict(const ObjectRef& pod, const DeleteOptions& options,
                          const WriteOptions& write) {
  WriteResult result;
  Result<ObjectPtr> answer = try_evict(pod, options, write, result);
  return finished(std::move(result), std::move(answer));
}

Result<ObjectPtr> Server::try_evict(const ObjectRef& ref, const DeleteOptions& options,
                                    const WriteOptions& write, WriteResult& result) {
  if (ref.kind != &api::kinds::pod()) {
    return fail(no_such_resource());
  }
  TRY_VOID(validate_delete_options(options));
  TRY(const Stored stored, find(ref));
  const auto& old = static_cast<const Pod&>(*stored.object);
  // Before the budget pays, not after it (E-10a).
  TRY_VOID(check_preconditions(ref, options.preconditions, old));
  if (!ignores_budgets(old)) {
    TRY_VOID(charge_budget(ref, old, write));
  }
  DeleteOptions deletion = options;
  deletion.preconditions.resource_version.reset();  // it was checked, and the next write moves it
  // disruption.md F-1: without the gate it is a deletion and nothing else.
  if (!write.dry_run && gates_.enabled(api::Feature::pod_disruption_conditions)) {
    auto pod = std::make_unique<Pod>(old);
    if (api::set_pod_condition(*pod, "DisruptionTarget", "True", clock_.now(),
                               "EvictionByEvictionAPI", "Eviction API: evicting",
                               api::ConditionGeneration::kept)) {
      TRY_VOID(put(ref, stored.version->revision(), std::move(pod), write));
    }
  }
  return try_remove(ref, deletion, write, result);
}

Result<void> Server::charge_budget(const ObjectRef& ref, const Pod& pod,
                                   const WriteOptions& write) {
  const api::Kind& kind = budget_kind();
  const auto page = store_.list({.resource = kind.plural, .ns = ref.ns});
  std::vector<ObjectRef> matching;
  for (const store::VersionPtr& version : page->items) {
    const ObjectPtr budget = decode(kind, *version);
    if (selects(static_cast<const Budget&>(*budget), pod)) {
      matching.push_back({&kind, ref.ns, api::metadata_of(*budget).name()});
    }
  }
  if (matching.size() > 1) {
    return fail(
        plain_error("This pod has more than one PodDisruptionBudget, which the eviction "
                    "subresource does not support."));
  }
  if (matching.empty()) {
    return {};
  }
  const Result<Stored> stored = find(matching.front());
  if (!stored) {
    return {};  // deleted in the meantime, and not yet committed
  }
  TRY(std::unique_ptr<Budget> paid,
      charge(static_cast<const Budget&>(*stored->object), pod, clock_.now()));
  if (paid && !write.dry_run) {
    TRY_VOID(put(matching.front(), stored->version->revision(), std::move(paid), write));
  }
  return {};
}

}  // namespace windlass::apiserver
