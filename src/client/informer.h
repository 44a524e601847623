// A local view of a collection: for every object the small struct that a controller needs of it,
// kept current by a roster. `Project` makes the struct from the message that the Kind says; one
// that takes the shared object may keep it, and copies nothing. Handlers run after the view has
// changed, on the client's executor.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/weak_self.h"
#include "client/object_identity.h"
#include "client/roster.h"

namespace windlass::client {

template <class Projection>
class Informer final : private Roster::View {
 public:
  // Nothing: the view is not about this object, as it is now.
  using Project = std::function<std::optional<Projection>(const ObjectPtr&)>;
  // Whether the kept projection still holds for the object as it is now. Then no handler runs.
  using IsCurrent = std::function<bool(const Projection& kept, const api::Message& now)>;

  struct Handler {
    std::function<void(const Projection& added)> on_add;
    std::function<void(const Projection& before, const Projection& now)> on_update;
    std::function<void(const Projection& last)> on_delete;
  };

  // `project` takes the message, or the shared object that holds it.
  template <class Function>
  Informer(ClientEnv env, Collection collection, Function project,
           Reflector::Options options = Reflector::Options())
      : executor_(env.executor),
        project_(to_project(std::move(project))),
        roster_(env.rosters != nullptr
                    ? env.rosters->roster(env, collection, options)
                    : std::make_shared<Roster>(env, std::move(collection), options)) {
    roster_->add(*this);
  }
  ~Informer() override { roster_->remove(*this); }
  Informer(const Informer&) = delete;
  Informer& operator=(const Informer&) = delete;

  // All of them before start(). A comparison that costs less than a projection saves most of them.
  void keep_while(IsCurrent is_current) { is_current_ = std::move(is_current); }
  void add_handler(Handler handler) { handlers_.push_back(std::move(handler)); }
  void when_synced(std::function<void()> done) { when_synced_.push_back(std::move(done)); }
  // After every list but the first: what came and went between two lists is not in any event.
  void when_listed_again(std::function<void()> done) { listed_again_ = std::move(done); }

  void start() {
    if (!roster_->has_started()) {
      notifying_ = true;
      roster_->start();
      return;
    }
    // Another view that shares the roster was first.
    executor_.post(self_.bind(&Informer::catch_up));
  }
  // The first list is in the view, and its handlers have run.
  bool has_synced() const { return synced_; }

  const Projection* find(std::string_view key) const {
    const std::optional<Roster::Slot> slot = roster_->find(key);
    return slot && *slot < kept_.size() ? kept_[*slot].get() : nullptr;
  }
  const Projection* find(std::string_view ns, std::string_view name) const {
    return find(object_key(ns, name));
  }
  size_t size() const { return size_; }
  // Everything up to this version is in the view.
  uint64_t version() const { return roster_->version(); }

  // In key order.
  void for_each(const std::function<void(const std::string& key, const Projection&)>& visit) const {
    for_each_with("", visit);
  }
  void for_each_in(
      std::string_view ns,
      const std::function<void(const std::string& key, const Projection&)>& visit) const {
    for_each_with(object_key(ns, ""), visit);
  }

 private:
  using Kept = std::unique_ptr<Projection>;

  template <class Function>
  static Project to_project(Function project) {
    if constexpr (std::is_invocable_v<Function&, const ObjectPtr&>) {
      return project;
    } else {
      return [project = std::move(project)](const ObjectPtr& object) { return project(*object); };
    }
  }

  void for_each_with(
      const std::string& prefix,
      const std::function<void(const std::string& key, const Projection&)>& visit) const {
    roster_->for_each(prefix, [&](const std::string& key, Roster::Slot slot) {
      if (slot < kept_.size() && kept_[slot]) {
        visit(key, *kept_[slot]);
      }
    });
  }

  void on_seen(Roster::Slot slot, const ObjectPtr& object) override {
    if (slot >= kept_.size()) {
      kept_.resize(slot + 1);
    }
    if (kept_[slot] && is_current_ && is_current_(*kept_[slot], *object)) {
      return;
    }
    std::optional<Projection> now = project_(object);
    if (!now) {
      on_gone(slot);
    } else if (!kept_[slot]) {
      kept_[slot] = std::make_unique<Projection>(*std::move(now));
      ++size_;
      notify_added(*kept_[slot]);
    } else {
      const Projection before = std::exchange(*kept_[slot], *std::move(now));
      notify_updated(before, *kept_[slot]);
    }
  }

  void on_gone(Roster::Slot slot) override {
    if (slot < kept_.size() && kept_[slot]) {
      const Kept last = std::move(kept_[slot]);
      --size_;
      notify_deleted(*last);
    }
  }

  void on_list_end() override {
    if (!notifying_) {
      return;
    }
    if (!synced_) {
      notify_synced();
    } else if (listed_again_) {
      listed_again_();
    }
  }

  void catch_up() {
    notifying_ = true;
    for_each([this](const std::string&, const Projection& known) { notify_added(known); });
    if (roster_->has_synced()) {
      notify_synced();
    }
  }

  void notify_added(const Projection& added) const {
    for (const Handler& handler : handlers_) {
      if (notifying_ && handler.on_add) {
        handler.on_add(added);
      }
    }
  }
  void notify_updated(const Projection& before, const Projection& now) const {
    for (const Handler& handler : handlers_) {
      if (notifying_ && handler.on_update) {
        handler.on_update(before, now);
      }
    }
  }
  void notify_deleted(const Projection& last) const {
    for (const Handler& handler : handlers_) {
      if (notifying_ && handler.on_delete) {
        handler.on_delete(last);
      }
    }
  }
  void notify_synced() {
    synced_ = true;
    for (const auto& done : std::exchange(when_synced_, {})) {
      done();
    }
  }

  env::Executor& executor_;
  Project project_;
  IsCurrent is_current_;
  std::vector<Handler> handlers_;
  std::vector<std::function<void()>> when_synced_;
  std::function<void()> listed_again_;
  std::shared_ptr<Roster> roster_;
  std::vector<Kept> kept_;  // by slot
  size_t size_ = 0;
  bool notifying_ = false;  // handlers are called: from start() on
  bool synced_ = false;
  WeakSelf<Informer> self_{this};
};

}  // namespace windlass::client
