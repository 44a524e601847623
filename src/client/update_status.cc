#include "client/update_status.h"

#include <google/protobuf/message.h>

#include <memory>
#include <utility>

#include "client/object_identity.h"

namespace windlass::client {
namespace {

struct Update : std::enable_shared_from_this<Update> {
  ApiClient& client;
  ObjectRef ref;
  std::string uid;
  std::string_view subresource;
  StatusChange change;
  Done<ObjectPtr> done;
  int conflicts = 0;

  Update(ApiClient& the_client, ObjectRef the_ref, std::string the_uid,
         std::string_view the_subresource, StatusChange the_change, Done<ObjectPtr> the_done)
      : client(the_client),
        ref(std::move(the_ref)),
        uid(std::move(the_uid)),
        subresource(the_subresource),
        change(std::move(the_change)),
        done(std::move(the_done)) {}

  void read() {
    client.get(ref, [self = shared_from_this()](const Result<ObjectPtr>& object) {
      self->on_read(object);
    });
  }

  void on_read(const Result<ObjectPtr>& object) {
    if (!object) {
      done(object);
      return;
    }
    if (uid_of(**object) != uid) {
      done(fail(not_found({ref.kind->group, ref.kind->plural, ref.name})));
      return;
    }
    std::shared_ptr<api::Message> changed((*object)->New());
    changed->CopyFrom(**object);
    if (!change(*changed)) {
      done(object);
      return;
    }
    client.update(
        ref, subresource, std::move(changed),
        [self = shared_from_this()](const Result<ObjectPtr>& answer) {
          if (!answer && is_conflict(answer.error()) && self->conflicts++ < kMaxStatusConflicts) {
            self->read();
          } else {
            self->done(answer);
          }
        });
  }
};

}  // namespace

void update_status(ApiClient& client, const ObjectRef& ref, const std::string& uid,
                   StatusChange change, Done<ObjectPtr> done) {
  std::make_shared<Update>(client, ref, uid, "status", std::move(change), std::move(done))->read();
}

void update_object(ApiClient& client, const ObjectRef& ref, const std::string& uid,
                   StatusChange change, Done<ObjectPtr> done) {
  std::make_shared<Update>(client, ref, uid, "", std::move(change), std::move(done))->read();
}

}  // namespace windlass::client
