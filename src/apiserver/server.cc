#include "apiserver/server.h"

#include <google/protobuf/message.h>

#include "apiserver/stored_form.h"
#include "apiserver/verbs/request_errors.h"
#include "base/check.h"
#include "schema/core/v1/namespace.pb.h"
#include "schema/meta/v1/meta.pb.h"

namespace windlass::apiserver {
namespace {

store::ObjectKey storage_key(const ObjectRef& ref) {
  return {ref.kind->plural, ref.ns, ref.name};
}

void set_dry_version(store::Revision stored, Message& object) {
  api::meta::v1::ObjectMeta& metadata = api::mutable_metadata_of(object);
  metadata.clear_resource_version();
  if (stored != 0) {
    metadata.set_resource_version(std::to_string(stored));
  }
}

}  // namespace

void WriteResult::add_warnings(std::vector<std::string> more) {
  for (std::string& warning : more) {
    if (!warning.empty()) {
      warnings.push_back(std::move(warning));
    }
  }
}

Server::Server(store::Store& store, env::Clock& clock, env::Random& random, api::FeatureGates gates)
    : store_(store), clock_(clock), random_(random), gates_(gates) {}

void Server::create_system_namespaces() {
  for (const char* name : {"default", "kube-system", "kube-public", "kube-node-lease"}) {
    const ObjectRef ref{&api::kinds::namespace_(), "", name};
    if (!store_.head(storage_key(ref))) {
      const WriteResult result = create(ref, std::make_unique<api::core::v1::Namespace>());
      // The disk may be full; then the next start tries again.
      const bool impossible = !result.answer && result.answer.error().code == 422;
      CHECK(!impossible, "a system namespace is valid");
    }
  }
}

WriteResult Server::finished(WriteResult result, Result<ObjectPtr> answer) const {
  result.answer = std::move(answer);
  result.durable_at = store_.head_revision();
  return result;
}

Result<Server::Stored> Server::find(const ObjectRef& ref) {
  store::VersionPtr version = store_.head(storage_key(ref));
  if (!version) {
    return fail(not_found(resource_name(ref)));
  }
  ObjectPtr object = decode(*ref.kind, *version);
  return Stored{std::move(version), std::move(object)};
}

Result<ObjectPtr> Server::newest(const ObjectRef& ref) {
  TRY(Stored stored, find(ref));
  return std::move(stored.object);
}

Result<store::VersionPtr> Server::get_version(const ObjectRef& ref) const {
  if (find_strategy(*ref.kind) == nullptr) {
    return fail(no_such_resource());
  }
  store::VersionPtr version = store_.get(storage_key(ref));
  if (!version) {
    return fail(not_found(resource_name(ref)));
  }
  return version;
}

Result<ObjectPtr> Server::get(const ObjectRef& ref) {
  TRY(const store::VersionPtr version, get_version(ref));
  return decode(*ref.kind, *version);
}

Result<ObjectPtr> Server::put(const ObjectRef& ref, store::Revision expected,
                              MutableObjectPtr object, const WriteOptions& options) {
  if (options.dry_run) {  // M56: no revision is used up
    set_dry_version(expected, *object);
    return ObjectPtr(std::move(object));
  }
  if (expected != 0 && is_placeholder(*object)) {
    return fail(internal_error("the stored object cannot be decoded, delete it first"));
  }
  api::mutable_metadata_of(*object).set_resource_version(std::to_string(store_.next_revision()));
  std::string bytes = encode_stored(*ref.kind, *object);
  ObjectPtr shared = std::move(object);
  const ObjectPtr stored = to_stored(*ref.kind, shared);
  // On a full disk what is being deleted can still be changed, or it would never go.
  const bool going = api::metadata_of(*shared).has_deletion_timestamp();
  const auto taken = store_.put(storage_key(ref), expected, std::move(bytes), stored,
                                going ? store::Room::reserved : store::Room::normal);
  if (!taken) {
    return fail(refused(ref, taken.error(), store_.poisoned()));
  }
  cache_.keep(stored);
  return shared;
}

Result<ObjectPtr> Server::erase(const ObjectRef& ref, store::Revision expected,
                                MutableObjectPtr last, const WriteOptions& options) {
  if (options.dry_run) {
    set_dry_version(expected, *last);
    return ObjectPtr(std::move(last));
  }
  api::mutable_metadata_of(*last).set_resource_version(std::to_string(store_.next_revision()));
  std::string bytes = encode_stored(*ref.kind, *last);
  ObjectPtr shared = std::move(last);
  const ObjectPtr stored = to_stored(*ref.kind, shared);
  const auto taken = store_.remove(storage_key(ref), expected, std::move(bytes), stored);
  if (!taken) {
    return fail(refused(ref, taken.error(), store_.poisoned()));
  }
  cache_.keep(stored);
  return shared;
}

Result<void> Server::check_namespace(const ObjectRef& ref) {
  if (!ref.kind->namespaced) {
    return {};
  }
  if (ref.ns.empty()) {
    return fail(bad_request("an empty namespace may not be set during creation"));
  }
  const api::Kind& kind = api::kinds::namespace_();
  const store::VersionPtr version = store_.head({kind.plural, "", ref.ns});
  if (!version) {
    return fail(not_found(resource_name(kind, ref.ns)));  // api.md N13
  }
  const ObjectPtr object = decode(kind, *version);
  if (!api::metadata_of(*object).has_deletion_timestamp()) {
    return {};
  }
  Status status = forbidden(resource_name(ref), "unable to create new content in namespace " +
                                                    ref.ns + " because it is being terminated");
  status.details.causes.push_back({"NamespaceTerminating",
                                   "namespace " + ref.ns + " is being terminated",
                                   "metadata.namespace"});
  return fail(std::move(status));
}

}  // namespace windlass::apiserver
