// Calls back with every object of a collection, from a list or from an event, and with those that
// are deleted. An object that is deleted while the watch is interrupted is not reported.
#pragma once

#include <functional>
#include <utility>

#include "client/reflector.h"

namespace windlass::cli {

class ObjectSink final : public client::ReflectorSink {
 public:
  using OnObject = std::function<void(const client::ObjectPtr&)>;

  explicit ObjectSink(OnObject on_object, OnObject on_deleted = {})
      : on_object_(std::move(on_object)), on_deleted_(std::move(on_deleted)) {}

  void on_list_begin() override {}
  void on_listed(const client::ObjectPtr& object) override { on_object_(object); }
  void on_list_end() override {}
  void on_event(const client::WatchEvent& event) override {
    if (event.type == client::EventType::added || event.type == client::EventType::modified) {
      on_object_(event.object);
    } else if (event.type == client::EventType::deleted && on_deleted_) {
      on_deleted_(event.object);
    }
  }

 private:
  OnObject on_object_;
  OnObject on_deleted_;
};

}  // namespace windlass::cli
