// What the API server has to know of one kind beyond its schema: defaults, what it fills in before
// it stores an object, what it refuses, how deletion goes. Adding a kind is one file with one class
// derived from this one and one line in registry.cc. Stateless; core thread.
//
// The generic rules (names, UIDs, versions, finalizers, preconditions) are not here: see create.cc,
// update.cc and delete.cc. Every function gets messages of the kind it was registered for.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/feature_gates.h"
#include "api/field_error.h"
#include "api/kind.h"
#include "api/object.h"
#include "base/result.h"
#include "base/time.h"

namespace windlass::apiserver {

using api::Message;

struct Traits {
  bool has_status = false;             // a status subresource
  bool unconditional_update = true;    // an update may come without resourceVersion (api.md M38)
  bool create_on_update = false;       // an update of what is not there creates it
  bool orphans_by_default = false;     // deletion without a policy leaves dependents alone (M51)
  bool delete_returns_object = false;  // instead of a Status (P78)
  bool collected = true;               // by the garbage collector, which serves its finalizers
};

struct WriteContext {
  Time now;
  const api::FeatureGates& gates;
};

class Strategy {
 public:
  Strategy(const api::Kind& kind, Traits traits) : kind_(kind), traits_(traits) {}
  virtual ~Strategy() = default;

  const api::Kind& kind() const { return kind_; }
  const Traits& traits() const { return traits_; }

  // After decoding, before everything else. `old` is nullptr on create.
  virtual void apply_defaults(Message& object, const Message* old,
                              const WriteContext& context) const;

  // metadata has its name, namespace, UID and time of creation.
  virtual void prepare_for_create(Message& object, const WriteContext& context) const;
  virtual api::FieldErrors validate_create(const Message& object) const;

  // What clients may not change has its old value again, except for generation.
  virtual void prepare_for_update(const Message& old, Message& object,
                                  const WriteContext& context) const;
  virtual api::FieldErrors validate_update(const Message& old, const Message& object) const;

  // With a status subresource only.
  virtual void prepare_for_status_update(const Message& old, Message& object,
                                         const WriteContext& context) const;
  virtual api::FieldErrors validate_status_update(const Message& old, const Message& object) const;

  // What the client should know of an object that is accepted all the same. `old` is nullptr on
  // create.
  virtual std::vector<std::string> warnings(const Message& object, const Message* old) const;

  // The value of a field that selectors may name, or nothing when the kind offers no such field.
  virtual std::optional<std::string> selectable(const Message& object,
                                                std::string_view field) const;
  // What is said of a field that it does not offer (api.md M68).
  virtual std::string unselectable(std::string_view field) const;

  // Why this object may not be deleted at all, or nothing.
  virtual std::optional<Status> forbid_delete(const Message& object) const;
  // How long the object may take to end after a first delete that asked for `asked` seconds, or
  // nothing for kinds that are just removed (P70).
  virtual std::optional<int64_t> grace_seconds(const Message& object,
                                               std::optional<int64_t> asked) const;
  // Deletion was asked for while something still holds the object: its own marks, if any.
  virtual void mark_deleting(Message& object) const;
  // Something besides metadata.finalizers holds the object.
  virtual bool is_held(const Message& object) const;

 private:
  const api::Kind& kind_;
  Traits traits_;
};

// The strategies of all kinds that are stored.
const Strategy* find_strategy(const api::Kind& kind);

}  // namespace windlass::apiserver
