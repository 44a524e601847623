// The verbs of the API on the store, with every rule and without any transport: the in-process
// client and the HTTP front both call these, so a controller inside and kubectl outside meet the
// same server. Each verb decides at once, on the newest state, and tells from which committed
// revision on its answer may be given. Reads see what is committed.
//
// Owns nothing but a small cache of decoded objects. Core thread only.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/feature_gates.h"
#include "apiserver/stored_form.h"
#include "apiserver/strategies/admission.h"
#include "apiserver/strategies/strategy.h"
#include "apiserver/verbs/patch_body.h"
#include "apiserver/verbs/write_options.h"
#include "client/api_client.h"
#include "env/clock.h"
#include "env/random.h"
#include "store/store.h"

namespace windlass::api::core::v1 {
class Pod;
}

namespace windlass::apiserver {

using api::MutableObjectPtr;
using api::ObjectPtr;
using client::Collection;
using client::DeleteOptions;
using client::ListOptions;
using client::ObjectList;
using client::ObjectRef;
using client::PatchType;

// What a write came to. Also an error stands on state that may not be durable yet, so it too waits.
struct WriteResult {
  Result<ObjectPtr> answer;
  store::Revision durable_at = 0;  // answer once this is committed
  std::vector<std::string> warnings = {};
  bool created = false;
  bool removed = false;  // the object is gone; `answer` is its last state

  // Leaves out empty ones.
  void add_warnings(std::vector<std::string> more);
};

// What a read of a collection asks for beyond the collection itself.
struct ReadOptions {
  int64_t limit = 0;  // 0 or less: everything
  std::string continue_token = {};
  store::Revision exact = 0;  // 0: the newest committed state
};

// Versions, not messages: a reader decodes one when it needs it.
struct CollectionPage {
  std::vector<store::VersionPtr> items = {};
  store::Revision revision = 0;
  std::string continue_token = {};
  std::optional<int64_t> remaining = {};  // how many follow, where that is known (api.md M66)
};

struct BindRequest {
  std::string node = {};
  std::string target_kind = {};  // "" or Node
  std::string uid = {};          // "" for any
  std::string resource_version = {};
  std::map<std::string, std::string> annotations = {};  // for the pod
};

class FieldTracker;

class Server {
 public:
  Server(store::Store& store, env::Clock& clock, env::Random& random, api::FeatureGates gates);

  // The namespaces that every cluster has (api.md N15). The rest is in system_objects.h.
  void create_system_namespaces();
  // What new pods meet from now on; nothing at first.
  void set_admission(Admission admission) { admission_ = admission; }

  Result<ObjectPtr> get(const ObjectRef& ref);
  // Durable or not: what a write now would be based on.
  Result<ObjectPtr> newest(const ObjectRef& ref);
  Result<store::VersionPtr> get_version(const ObjectRef& ref) const;
  Result<ObjectList> list(const Collection& collection, const ListOptions& options);
  Result<CollectionPage> read(const Collection& collection, const ReadOptions& options);

  WriteResult create(const ObjectRef& ref, MutableObjectPtr object,
                     const WriteOptions& options = {});
  // `subresource` is "" or "status"; for a namespace also "finalize".
  WriteResult update(const ObjectRef& ref, std::string_view subresource, MutableObjectPtr object,
                     const WriteOptions& options = {});
  WriteResult patch(const ObjectRef& ref, std::string_view subresource, const PatchBody& body,
                    const WriteOptions& options = {});
  WriteResult patch(const ObjectRef& ref, std::string_view subresource, PatchType type,
                    std::string_view body, const WriteOptions& options = {}) {
    return patch(ref, subresource, read_patch(type, body), options);
  }
  WriteResult remove(const ObjectRef& ref, const DeleteOptions& options,
                     const WriteOptions& write = {});
  // pods/eviction. The DisruptionTarget condition is stored before the deletion.
  WriteResult evict(const ObjectRef& pod, const DeleteOptions& options,
                    const WriteOptions& write = {});
  WriteResult bind(const ObjectRef& pod, const BindRequest& request,
                   const WriteOptions& options = {});

  store::Store& store() { return store_; }
  // The message of a stored version: shared, and made only once while it has a holder.
  ObjectPtr decode(const api::Kind& kind, const store::Version& version) {
    return cache_.decode(kind, version);
  }

 private:
  struct Stored {
    store::VersionPtr version;
    ObjectPtr object;
  };

  WriteContext context() const { return {clock_.now(), gates_}; }
  // The answer of a verb that has done its writes.
  WriteResult finished(WriteResult result, Result<ObjectPtr> answer) const;

  // The newest state, durable or not, or 404.
  Result<Stored> find(const ObjectRef& ref);
  Result<void> check_namespace(const ObjectRef& ref);
  // `old` is nullptr on create.
  Result<void> admit(const ObjectRef& ref, Message& object, const Message* old);
  // What else keeps a valid object out.
  Result<void> admit_valid(const ObjectRef& ref, const Message& object);
  Result<void> admit_pod(const ObjectRef& ref, Message& object);
  // nullptr without one.
  ObjectPtr default_priority_class();
  Result<void> fill_new_metadata(ObjectRef& ref, Message& object);

  Result<ObjectPtr> try_create(const ObjectRef& ref, MutableObjectPtr object,
                               const WriteOptions& options, FieldTracker& tracker,
                               WriteResult& result);
  Result<ObjectPtr> try_update(const ObjectRef& ref, std::string_view subresource,
                               MutableObjectPtr object, const WriteOptions& options,
                               WriteResult& result);
  Result<ObjectPtr> try_patch(const ObjectRef& ref, std::string_view subresource,
                              const PatchBody& body, const WriteOptions& options,
                              WriteResult& result);
  Result<ObjectPtr> try_apply(const ObjectRef& ref, const Strategy& strategy,
                              std::string_view subresource, const PatchBody& body,
                              const WriteOptions& options, WriteResult& result);
  Result<ObjectPtr> try_remove(const ObjectRef& ref, const DeleteOptions& options,
                               const WriteOptions& write, WriteResult& result);
  Result<ObjectPtr> try_finalize(const ObjectRef& ref, MutableObjectPtr object,
                                 const WriteOptions& options, WriteResult& result);
  Result<ObjectPtr> try_evict(const ObjectRef& pod, const DeleteOptions& options,
                              const WriteOptions& write, WriteResult& result);
  Result<void> charge_budget(const ObjectRef& ref, const api::core::v1::Pod& pod,
                             const WriteOptions& write);
  Result<ObjectPtr> try_bind(const ObjectRef& pod, const BindRequest& request,
                             const WriteOptions& options);

  // What update and patch share, from the object as the client wants it to the store.
  Result<ObjectPtr> replace(const ObjectRef& ref, const Strategy& strategy, bool status,
                            const Stored& stored, MutableObjectPtr object,
                            const WriteOptions& options, FieldTracker& tracker,
                            WriteResult& result);

  // The object gets the resourceVersion of the write, in a dry run that of the stored one.
  // `expected` is 0 for a new object.
  Result<ObjectPtr> put(const ObjectRef& ref, store::Revision expected, MutableObjectPtr object,
                        const WriteOptions& options);
  // Watchers are told of `last`.
  Result<ObjectPtr> erase(const ObjectRef& ref, store::Revision expected, MutableObjectPtr last,
                          const WriteOptions& options);

  store::Store& store_;
  env::Clock& clock_;
  env::Random& random_;
  api::FeatureGates gates_;
  ObjectCache cache_;
  Admission admission_;
};

}  // namespace windlass::apiserver
