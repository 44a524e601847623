// Follows one write through the server and keeps metadata.managedFields true to it: what the writer
// sets becomes its own, what it changes or removes leaves its other owners, and an apply meets
// the owners of what it would change (api.md M100-M105). One per write; core thread.
//
// A write without a manager is not tracked, and an object without entries stays without them until
// a manager applies to it (docs/decisions/0021).
#pragma once

#include <string>
#include <string_view>

#include "api/codec/json/json_value.h"
#include "api/kind.h"
#include "api/object.h"
#include "apiserver/field_manager/managed_fields.h"
#include "apiserver/verbs/write_options.h"

namespace windlass::api {
struct FieldChanges;
}

namespace windlass::apiserver {

class FieldTracker {
 public:
  FieldTracker(const api::Kind& kind, std::string_view subresource, const WriteOptions& options);

  // The object has its defaults, and nothing yet that the server makes up by itself.
  void create(api::Message& object);
  void update(const api::Message& old, api::Message& object);

  // An apply where there is nothing yet.
  void apply_new(const api::JsonValue& config);
  // The object as it comes out when the configuration is applied to it, or the conflicts.
  Result<std::unique_ptr<api::Message>> apply(const api::Message& old, const api::JsonValue& config,
                                              Time now);

  // The last call. The write is really made: its entry tells when. Not for a write that changes
  // nothing (M41).
  void stamp(api::Message& object, Time now);

 private:
  FieldOwner owner(bool applies) const;
  void record(api::FieldChanges changes);
  Result<void> take_over(const api::Message& old, const api::FieldChanges& changes);

  const api::Kind& kind_;
  std::string subresource_;
  const WriteOptions& options_;
  bool tracked_ = false;  // entries_ are to be written
  bool applies_ = false;  // apply or apply_new came first
  ManagedFields entries_;
};

}  // namespace windlass::apiserver
