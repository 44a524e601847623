// A callback to a method of an owner that may be gone by then; in that case it does nothing.
#pragma once

#include <memory>
#include <utility>

namespace windlass::node {

template <class Owner, class Argument>
auto guarded(const std::shared_ptr<Owner*>& self, void (Owner::*method)(Argument)) {
  return [weak = std::weak_ptr<Owner*>(self), method](auto&& argument) {
    if (const auto owner = weak.lock()) {
      ((*owner)->*method)(std::forward<decltype(argument)>(argument));
    }
  };
}

}  // namespace windlass::node
