// POST: api.md M23, M30, M35, M37, J51-J54, N13, P22.
#include <google/protobuf/message.h>

#include <array>

#include "api/codec/wire_time.h"
#include "api/names.h"
#include "api/uuid.h"
#include "api/validate_metadata.h"
#include "apiserver/field_manager/field_tracker.h"
#include "apiserver/server.h"
#include "apiserver/stored_form.h"
#include "apiserver/strategies/metadata_rules.h"
#include "apiserver/strategies/node_restriction.h"
#include "apiserver/verbs/request_errors.h"
#include "schema/meta/v1/meta.pb.h"

namespace windlass::apiserver {
namespace {

constexpr int32_t kRetryGeneratedNameSeconds = 1;

std::string new_uid(env::Random& random) {
  std::array<std::byte, 16> bytes;
  random.fill(bytes);
  return api::uuid_from_random(bytes);
}

Status name_is_taken(const ObjectRef& ref, bool generated, bool terminating) {
  Status status = already_exists(resource_name(ref));
  if (terminating) {
    status.message = "object is being deleted: " + status.message;
  }
  if (generated) {
    status.message += ", the server was not able to generate a unique name for the object";
    status.details.retry_after_seconds = kRetryGeneratedNameSeconds;
  }
  return status;
}

}  // namespace

WriteResult Server::create(const ObjectRef& ref, MutableObjectPtr object,
                           const WriteOptions& options) {
  WriteResult result;
  FieldTracker tracker(*ref.kind, "", options);
  Result<ObjectPtr> answer = try_create(ref, std::move(object), options, tracker, result);
  return finished(std::move(result), std::move(answer));
}

// Gives the object all that the server decides about, and `ref` its name.
Result<void> Server::fill_new_metadata(ObjectRef& ref, Message& object) {
  api::meta::v1::ObjectMeta& metadata = api::mutable_metadata_of(object);
  TRY_VOID(match_url(ref, metadata));
  if (metadata.name().empty() && !metadata.generate_name().empty()) {
    for (int i = 0; i < api::kMaxGenerateNameAttempts; ++i) {
      metadata.set_name(api::generate_name(metadata.generate_name(), random_));
      if (!store_.head({ref.kind->plural, ref.ns, metadata.name()})) {
        break;
      }
    }
  }
  ref.name = metadata.name();
  metadata.set_uid(new_uid(random_));
  api::set_time(*metadata.mutable_creation_timestamp(), clock_.now());
  metadata.clear_deletion_timestamp();
  metadata.clear_deletion_grace_period_seconds();
  metadata.clear_self_link();
  metadata.clear_generation();
  return {};
}

Result<ObjectPtr> Server::try_create(const ObjectRef& asked, MutableObjectPtr object,
                                     const WriteOptions& options, FieldTracker& tracker,
                                     WriteResult& result) {
  const Strategy* strategy = find_strategy(*asked.kind);
  if (strategy == nullptr) {
    return fail(no_such_resource());
  }
  ObjectRef ref = asked;
  if (ref.name.empty()) {
    ref.name = api::metadata_of(*object).name();
  }
  const bool generated = ref.name.empty();
  result.add_warnings({api::deduplicate_owner_references(api::mutable_metadata_of(*object))});
  TRY_VOID(check_namespace(ref));
  TRY_VOID(fill_new_metadata(ref, *object));

  strategy->apply_defaults(*object, nullptr, context());
  if (!options.node.empty()) {
    TRY_VOID(restrict_node_write(ref, options.node, *object, nullptr));
  }
  tracker.create(*object);
  TRY_VOID(admit(ref, *object, nullptr));
  strategy->prepare_for_create(*object, context());
  const api::FieldErrors errors = strategy->validate_create(*object);
  if (!errors.empty()) {
    return fail(errors.to_status(stored_kind(*ref.kind), ref.name));
  }
  TRY_VOID(admit_valid(ref, *object));
  if (!api::metadata_of(*object).resource_version().empty()) {
    return fail(plain_error("resourceVersion should not be set on objects to be created"));
  }
  if (const Result<Stored> existing = find(ref)) {
    return fail(name_is_taken(ref, generated,
                              api::metadata_of(*existing->object).has_deletion_timestamp()));
  }
  result.add_warnings(strategy->warnings(*object, nullptr));
  result.created = true;
  tracker.stamp(*object, clock_.now());
  return put(ref, 0, std::move(object), options);
}

}  // namespace windlass::apiserver
