// The one interface through which controllers, scheduler and node agents see an API server. Three
// implementations: in process to our own server, remote to any Kubernetes API server, simulated
// with faults. Code above it cannot tell which one it has.
//
// Lives on one executor. Every call returns at once; its callback runs later on that executor,
// exactly once, never inside the call. Objects are immutable and shared. Writes follow the rules of
// the API: optimistic concurrency by metadata.resourceVersion, preconditions, finalizers.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/kind.h"
#include "api/object.h"
#include "base/result.h"
#include "base/status.h"

namespace windlass::client {

using api::ObjectPtr;

template <class T>
using Done = std::function<void(Result<T>)>;

// One object. `ns` is empty for cluster-scoped kinds.
struct ObjectRef {
  const api::Kind* kind = nullptr;
  std::string ns = {};
  std::string name = {};
};

// All objects of a kind, in one namespace or, with an empty one, everywhere.
struct Collection {
  const api::Kind* kind = nullptr;
  std::string ns = {};
  std::string label_selector = {};
  std::string field_selector = {};
};

struct ObjectList {
  std::vector<ObjectPtr> items;
  std::string resource_version;
  std::string continue_token;
};

struct ListOptions {
  int64_t limit = 0;  // 0: everything in one answer
  std::string continue_token = {};
};

struct Preconditions {
  std::optional<std::string> uid = {};
  std::optional<std::string> resource_version = {};
};

struct DeleteOptions {
  std::optional<int64_t> grace_period_seconds = {};
  // Background, Foreground, Orphan, or "" for the kind's default.
  std::string propagation_policy = {};
  Preconditions preconditions = {};
};

enum class PatchType { json, merge, strategic, apply };

enum class EventType { added, modified, deleted, bookmark };

struct WatchEvent {
  EventType type = EventType::added;
  ObjectPtr object;  // for a bookmark only its metadata.resourceVersion counts
};

// A running watch. Destroying it ends it; no callback runs after that.
class Watch {
 public:
  virtual ~Watch() = default;
};

// Who hears of a watch. Both run on the client's executor.
struct WatchHandler {
  std::function<void(const WatchEvent&)> on_event;
  // The stream ended: 410 Gone means list again, anything else resume from the last version seen.
  std::function<void(Status)> on_end;
};

class ApiClient {
 public:
  virtual ~ApiClient() = default;

  virtual void get(const ObjectRef& ref, Done<ObjectPtr> done) = 0;
  virtual void list(const Collection& collection, const ListOptions& options,
                    Done<ObjectList> done) = 0;
  // Events after `resource_version`, in order, none lost, none twice.
  virtual std::unique_ptr<Watch> watch(const Collection& collection,
                                       const std::string& resource_version,
                                       WatchHandler handler) = 0;
  // A list that comes as a watch: every object as it is now, then a bookmark that says so
  // (is_end_of_list() in object_identity.h), then events as watch() tells them. Nothing where
  // lists only come in pages; a server may also refuse it, or not know what was asked and never
  // send that bookmark.
  virtual std::unique_ptr<Watch> watch_list(const Collection& /*collection*/,
                                            WatchHandler /*handler*/) {
    return nullptr;
  }

  // `ref.name` may be empty when the object has metadata.generateName.
  virtual void create(const ObjectRef& ref, ObjectPtr object, Done<ObjectPtr> done) = 0;
  // `subresource` is "" or "status". An object without resourceVersion overwrites (where the kind
  // allows that).
  virtual void update(const ObjectRef& ref, std::string_view subresource, ObjectPtr object,
                      Done<ObjectPtr> done) = 0;
  virtual void patch(const ObjectRef& ref, std::string_view subresource, PatchType type,
                     std::string body, Done<ObjectPtr> done) = 0;
  virtual void remove(const ObjectRef& ref, const DeleteOptions& options, Done<ObjectPtr> done) = 0;
  // Assigns a pod to a node (pods/binding). With `uid`, another pod of that name is a conflict.
  virtual void bind(const ObjectRef& pod, const std::string& uid, const std::string& node,
                    Done<void> done) = 0;
};

// A write without an answer may have been applied; one that never left has not. Who sends writes
// says which it was, who plans the next ones asks. Pure; any thread.

// The request did not leave this process: it has certainly not been applied.
inline Status not_sent(std::string why) {
  return {503, "NotSent", std::move(why), {}};
}
inline bool is_not_sent(const Status& status) {
  return status.reason == "NotSent";
}

}  // namespace windlass::client
