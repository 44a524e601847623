// DELETE of one object; the rules are in deletion.h.
#include <google/protobuf/message.h>

#include "apiserver/server.h"
#include "apiserver/stored_form.h"
#include "apiserver/verbs/deletion.h"
#include "apiserver/verbs/request_errors.h"

namespace windlass::apiserver {
namespace {

std::unique_ptr<Message> copy_of(const Message& object) {
  std::unique_ptr<Message> copy(object.New());
  copy->CopyFrom(object);
  return copy;
}

}  // namespace

WriteResult Server::remove(const ObjectRef& ref, const DeleteOptions& options,
                           const WriteOptions& write) {
  WriteResult result;
  Result<ObjectPtr> answer = try_remove(ref, options, write, result);
  return finished(std::move(result), std::move(answer));
}

Result<ObjectPtr> Server::try_remove(const ObjectRef& ref, const DeleteOptions& options,
                                     const WriteOptions& write, WriteResult& result) {
  const Strategy* strategy = find_strategy(*ref.kind);
  if (strategy == nullptr) {
    return fail(no_such_resource());
  }
  TRY_VOID(validate_delete_options(options));
  result.add_warnings({orphan_warning(*strategy, options)});
  TRY(const Stored stored, find(ref));
  TRY_VOID(check_preconditions(ref, options.preconditions, *stored.object));
  if (std::optional<Status> why = strategy->forbid_delete(*stored.object)) {
    return fail(*std::move(why));
  }
  if (is_placeholder(*stored.object)) {
    result.removed = true;
    return erase(ref, stored.version->revision(), copy_of(*stored.object), write);
  }
  std::unique_ptr<Message> object = copy_of(*stored.object);
  const Deletion plan = plan_deletion(*strategy, options, clock_.now(), *object);
  ObjectPtr answer = stored.object;
  store::Revision revision = stored.version->revision();
  if (plan.write) {
    TRY(answer, put(ref, revision, std::move(object), write));
    revision = write.dry_run ? revision : store_.head_revision();
  }
  if (plan.remove) {
    TRY(answer, erase(ref, revision, copy_of(*answer), write));
    result.removed = true;
  }
  return answer;
}

}  // namespace windlass::apiserver
