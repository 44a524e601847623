#include "controllers/garbage/visit.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "client/object_identity.h"

namespace windlass::controllers::garbage {
namespace {

OwnerState state_of(Stance stance) {
  switch (stance) {
    case Stance::waits:
      return OwnerState::waits;
    case Stance::orphans:
      return OwnerState::orphans;
    case Stance::stays:
      break;
  }
  return OwnerState::stays;
}

}  // namespace

Visit::Visit(Surroundings& around, TrackedObjectPtr item, DoneVisit done)
    : around_(around), item_(std::move(item)), done_(std::move(done)) {}

client::Done<client::ObjectPtr> Visit::answer_to(
    void (Visit::*method)(const Result<client::ObjectPtr>& answer)) {
  return [weak = weak_from_this(), method](const Result<client::ObjectPtr>& answer) {
    if (const auto self = weak.lock()) {
      (self.get()->*method)(answer);
    }
  };
}

void Visit::look() {
  if (item_->stance() != Stance::orphans) {
    around_.memory.remember_orphaned(item_->uid, false);
  }
  owners_.clear();
  unseen_owner_ = false;
  look_at_next_owner();
}

void Visit::look_at_next_owner() {
  while (owners_.size() < item_->owners.size()) {
    const OwnerRef& owner = item_->owners[owners_.size()];
    OwnerState state = OwnerState::stays;
    if (!recall_owner(owner, state)) {
      ask_for_owner(owner, *api::find_kind(owner.api_version, owner.kind));
      return;
    }
    owners_.push_back(state);
  }
  act();
}

bool Visit::recall_owner(const OwnerRef& owner, OwnerState& state) {
  const TrackedObjectPtr known = around_.graph.find(owner.uid);
  const bool orphaned = around_.memory.is_orphaned(owner.uid);
  if (item_->deleting && !orphaned && !(known && known->stance() == Stance::orphans)) {
    return true;  // nothing else about its owners matters any more
  }
  const api::Kind* kind = api::find_kind(owner.api_version, owner.kind);
  if (kind == nullptr || !around_.kinds.contains(kind)) {
    state = OwnerState::unresolvable;
    return true;
  }
  if (kind->namespaced && item_->ns.empty()) {
    report_wrong_namespace(owner);
    state = OwnerState::unresolvable;
    return true;
  }
  if (known && matches(*known, owner, item_->ns)) {
    return known->stance() == Stance::stays;
  }
  if (known && known->kind->namespaced && known->ns != item_->ns) {
    report_wrong_namespace(owner);
  }
  if (around_.memory.is_gone(owner, item_->ns)) {
    state = orphaned ? OwnerState::orphans : OwnerState::gone;
    return true;
  }
  return false;
}

void Visit::ask_for_owner(const OwnerRef& owner, const api::Kind& kind) {
  around_.env.client.get(
      {&kind, kind.namespaced ? item_->ns : "", owner.name},
      [weak = weak_from_this(), owner, &kind](const Result<client::ObjectPtr>& answer) {
        if (const auto self = weak.lock()) {
          self->on_owner(owner, kind, answer);
        }
      });
}

void Visit::on_owner(const OwnerRef& owner, const api::Kind& kind,
                     const Result<client::ObjectPtr>& answer) {
  if (!answer && !is_not_found(answer.error())) {
    finish(fail(answer.error()));
    return;
  }
  if (!answer || client::uid_of(**answer) != owner.uid) {
    around_.memory.remember_gone(owner, item_->ns);
    owners_.push_back(around_.memory.is_orphaned(owner.uid) ? OwnerState::orphans
                                                            : OwnerState::gone);
  } else {
    owners_.push_back(state_of(project(kind, **answer)->stance()));
    unseen_owner_ = unseen_owner_ || !around_.graph.find(owner.uid);
  }
  look_at_next_owner();
}

void Visit::report_wrong_namespace(const OwnerRef& owner) {
  around_.events.warning(
      {item_->kind->api_version(), std::string(item_->kind->kind), item_->ns, item_->name,
       item_->uid},
      "OwnerRefInvalidNamespace",
      fmt::format("ownerRef [{}/{}, namespace: {}, name: {}, uid: {}] does not exist in "
                  "namespace \"{}\"",
                  owner.api_version, owner.kind, item_->ns, owner.name, owner.uid, item_->ns));
}

void Visit::act() {
  const bool owner_waits =
      std::find(owners_.begin(), owners_.end(), OwnerState::waits) != owners_.end();
  const Around around{owners_, around_.graph.dependents(item_->uid),
                      around_.graph.blocking_dependents(item_->uid),
                      owner_waits && around_.graph.has_waiting_dependent(item_->uid)};
  const CollectorAction action = decide(*item_, around);
  switch (action.type) {
    case CollectorAction::Type::none:
      finish(unseen_owner_ ? Visited::look_again : Visited::settled);
      break;
    case CollectorAction::Type::set_owners:
      patch(owners_patch(*item_, action.owners));
      break;
    case CollectorAction::Type::drop_finalizer:
      dropping_orphan_ = action.finalizer == kOrphanFinalizer;
      if (dropping_orphan_) {
        // Before the write: a dependent that no cache has seen yet may show up right after it.
        around_.memory.remember_orphaned(item_->uid, true);
      }
      patch(finalizers_patch(*item_, action.finalizer));
      break;
    case CollectorAction::Type::remove:
      remove(action.policy);
      break;
  }
}

void Visit::patch(std::string body) {
  around_.env.client.patch(item_->ref(), "", client::PatchType::merge, std::move(body),
                           answer_to(&Visit::on_patched));
}

void Visit::remove(std::string_view policy) {
  client::DeleteOptions options;
  options.propagation_policy = policy;
  options.preconditions.uid = item_->uid;
  options.preconditions.resource_version = item_->resource_version;
  around_.env.client.remove(item_->ref(), options, answer_to(&Visit::on_removed));
}

void Visit::on_patched(const Result<client::ObjectPtr>& answer) {
  if (!answer) {
    on_failure(answer.error());
    return;
  }
  item_ = project(*item_->kind, **answer);
  if (dropping_orphan_) {
    finish(Visited::settled);
  } else if (++rounds_ < kMaxRounds) {
    look();
  } else {
    finish(Visited::look_again);
  }
}

void Visit::on_removed(const Result<client::ObjectPtr>& answer) {
  if (answer) {
    finish(Visited::settled);
  } else {
    on_failure(answer.error());
  }
}

// A stale version is a conflict; another UID under the name is one, too, or invalid in a patch
// (api.md M39).
void Visit::on_failure(const Status& why) {
  if (is_not_found(why)) {
    finish(Visited::settled);
  } else if ((is_conflict(why) || why.code == 422) && ++rounds_ < kMaxRounds) {
    read_again();
  } else {
    finish(fail(why));
  }
}

void Visit::read_again() {
  dropping_orphan_ = false;
  around_.env.client.get(item_->ref(),
                         [weak = weak_from_this()](const Result<client::ObjectPtr>& answer) {
                           const auto self = weak.lock();
                           if (!self) {
                             return;
                           }
                           if (answer && client::uid_of(**answer) == self->item_->uid) {
                             self->item_ = project(*self->item_->kind, **answer);
                             self->look();
                           } else if (answer || is_not_found(answer.error())) {
                             self->finish(Visited::settled);  // the cache will hear of it
                           } else {
                             self->finish(fail(answer.error()));
                           }
                         });
}

void Visit::finish(Result<Visited> result) {
  // The collector lets go of this inside the call.
  const DoneVisit done = std::move(done_);
  done(std::move(result));
}

}  // namespace windlass::controllers::garbage
