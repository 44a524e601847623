// Calls back with every object of a collection, from a list or from an event. Ignores deletions.
#pragma once

#include <functional>
#include <utility>

#include "client/reflector.h"

namespace windlass::cli {

class ObjectSink final : public client::ReflectorSink {
 public:
  explicit ObjectSink(std::function<void(const client::ObjectPtr&)> on_object)
      : on_object_(std::move(on_object)) {}

  void on_list_begin() override {}
  void on_listed(const client::ObjectPtr& object) override { on_object_(object); }
  void on_list_end() override {}
  void on_event(const client::WatchEvent& event) override {
    if (event.type == client::EventType::added || event.type == client::EventType::modified) {
      on_object_(event.object);
    }
  }

 private:
  std::function<void(const client::ObjectPtr&)> on_object_;
};

}  // namespace windlass::cli
