#include "apiserver/verbs/deletion.h"

#include <google/protobuf/message.h>

#include <algorithm>

#include "api/codec/wire_time.h"
#include "api/generation.h"
#include "apiserver/verbs/request_errors.h"
#include "base/time.h"
#include "schema/meta/v1/meta.pb.h"

namespace windlass::apiserver {
namespace {

using api::meta::v1::ObjectMeta;
using client::DeleteOptions;

constexpr std::string_view kOrphan = "orphan";
constexpr std::string_view kForeground = "foregroundDeletion";

bool has_finalizer(const ObjectMeta& metadata, std::string_view finalizer) {
  return std::ranges::find(metadata.finalizers(), finalizer) != metadata.finalizers().end();
}

// Options, then a finalizer that is there already, then the kind (M51). A finalizer that no
// controller takes off again is never put on.
std::string_view wanted_finalizer(const Strategy& strategy, const DeleteOptions& options,
                                  const ObjectMeta& metadata) {
  if (!strategy.traits().collected) {
    return "";
  }
  if (options.propagation_policy == "Orphan") {
    return kOrphan;
  }
  if (options.propagation_policy == "Foreground") {
    return kForeground;
  }
  if (options.propagation_policy == "Background") {
    return "";
  }
  if (has_finalizer(metadata, kOrphan)) {
    return kOrphan;
  }
  if (has_finalizer(metadata, kForeground)) {
    return kForeground;
  }
  return strategy.traits().orphans_by_default ? kOrphan : "";
}

// True when the list is another one now.
bool set_collector_finalizer(std::string_view wanted, ObjectMeta& metadata) {
  const std::vector<std::string> before(metadata.finalizers().begin(), metadata.finalizers().end());
  auto& finalizers = *metadata.mutable_finalizers();
  const auto kept = std::remove_if(finalizers.begin(), finalizers.end(), [&](const auto& name) {
    return (name == kOrphan || name == kForeground) && name != wanted;
  });
  finalizers.erase(kept, finalizers.end());
  if (!wanted.empty() && !has_finalizer(metadata, wanted)) {
    metadata.add_finalizers(std::string(wanted));
  }
  return !std::ranges::equal(before, metadata.finalizers());
}

void mark(ObjectMeta& metadata, Time when, int64_t grace_seconds) {
  api::set_time(*metadata.mutable_deletion_timestamp(), when);
  metadata.set_deletion_grace_period_seconds(grace_seconds);
  if (metadata.generation() > 0) {
    metadata.set_generation(api::next_generation(metadata.generation()));
  }
}

// P72: a deletion under way can only be made shorter. False when the request changes nothing.
bool shorten(const DeleteOptions& options, Time now, ObjectMeta& metadata) {
  if (!options.grace_period_seconds) {
    return false;
  }
  const int64_t asked = *options.grace_period_seconds < 0 ? 1 : *options.grace_period_seconds;
  const int64_t current = metadata.deletion_grace_period_seconds();
  if (asked >= current) {
    return false;
  }
  int64_t period = asked;
  const Duration less = bounded_seconds(current) - bounded_seconds(asked);
  const Time stored = api::time_of(metadata.deletion_timestamp());
  const bool is_due = stored < now + less;  // a stored time may be too early to subtract from
  if (is_due) {
    period = asked == 0 ? 0 : 1;
  }
  api::set_time(*metadata.mutable_deletion_timestamp(), is_due ? now : stored - less);
  metadata.set_deletion_grace_period_seconds(period);
  return true;
}

// A namespace has words of its own.
Result<void> check_of_namespace(const client::ObjectRef& ref,
                                const client::Preconditions& preconditions,
                                const ObjectMeta& metadata) {
  const auto check = [&](std::string_view what, const std::optional<std::string>& wanted,
                         const std::string& is) -> Result<void> {
    if (!wanted || *wanted == is) {
      return {};
    }
    const std::string name(what);
    return fail(conflict(resource_name(ref), "Precondition failed: " + name + " in precondition: " +
                                                 *wanted + ", " + name + " in object meta: " + is));
  };
  TRY_VOID(check("UID", preconditions.uid, metadata.uid()));
  return check("ResourceVersion", preconditions.resource_version, metadata.resource_version());
}

}  // namespace

Deletion plan_deletion(const Strategy& strategy, const DeleteOptions& options, Time now,
                       Message& object) {
  ObjectMeta& metadata = api::mutable_metadata_of(object);
  const bool under_way = metadata.has_deletion_timestamp();
  auto grace = strategy.grace_seconds(object, options.grace_period_seconds);
  if (under_way && metadata.deletion_grace_period_seconds() == 0) {
    // Nothing is waited for but finalizers (M52). With none it goes: removal at once is two writes
    // (P71a), of which the second may have been refused or lost.
    grace.reset();
  }
  Deletion plan;
  if (grace && under_way && !shorten(options, now, metadata)) {
    return plan;
  }
  const bool rewritten =
      set_collector_finalizer(wanted_finalizer(strategy, options, metadata), metadata);
  if (grace) {
    if (!under_way) {
      mark(metadata, now + bounded_seconds(*grace), *grace);
    }
    plan.write = true;
    // P71a: removal at once still shows watchers first that the object was deleted.
    plan.remove = metadata.deletion_grace_period_seconds() == 0 && metadata.finalizers().empty();
    return plan;
  }
  if (metadata.finalizers().empty() && !strategy.is_held(object)) {
    plan.remove = true;
    return plan;
  }
  if (!under_way) {
    mark(metadata, now, 0);
    strategy.mark_deleting(object);
  }
  plan.write = rewritten || !under_way;
  return plan;
}

std::string orphan_warning(const Strategy& strategy, const DeleteOptions& options) {
  if (!options.propagation_policy.empty() || !strategy.traits().orphans_by_default) {
    return "";
  }
  return "child pods are preserved by default when jobs are deleted; set "
         "propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress "
         "this warning";
}

void validate_propagation_policy(api::FieldErrors& errors, const std::string& policy) {
  if (policy != "Foreground" && policy != "Background" && policy != "Orphan") {
    errors.not_supported(api::FieldPath("propagationPolicy"), policy,
                         {"Foreground", "Background", "Orphan", "nil"});
  }
}

Result<void> validate_delete_options(const DeleteOptions& options) {
  if (options.propagation_policy.empty()) {
    return {};
  }
  api::FieldErrors errors;
  validate_propagation_policy(errors, options.propagation_policy);
  if (errors.empty()) {
    return {};
  }
  api::Kind kind;
  kind.group = "meta.k8s.io";
  kind.kind = "DeleteOptions";
  return fail(errors.to_status(kind, ""));
}

Result<void> check_preconditions(const client::ObjectRef& ref,
                                 const client::Preconditions& preconditions,
                                 const Message& stored) {
  const ObjectMeta& metadata = api::metadata_of(stored);
  if (ref.kind == &api::kinds::namespace_()) {
    return check_of_namespace(ref, preconditions, metadata);
  }
  const ResourceName about{ref.kind->group, ref.kind->kind, ref.name};
  if (preconditions.uid && *preconditions.uid != metadata.uid()) {
    return fail(conflict(about, "the UID in the precondition (" + *preconditions.uid +
                                    ") does not match the UID in record (" + metadata.uid() +
                                    "). The object might have been deleted and then recreated"));
  }
  if (preconditions.resource_version &&
      *preconditions.resource_version != metadata.resource_version()) {
    return fail(conflict(
        about, "the ResourceVersion in the precondition (" + *preconditions.resource_version +
                   ") does not match the ResourceVersion in record (" +
                   metadata.resource_version() + "). The object might have been modified"));
  }
  return {};
}

}  // namespace windlass::apiserver
