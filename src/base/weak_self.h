// Lets an object hand out callbacks that may outlive it: once the object is gone, they do nothing.
//
//   class Watch {
//     void start() {
//       client_.get(ref_, self_.bind([](Watch& watch, const Result<ObjectPtr>& answer) {
//         watch.finish(answer);
//       }));
//     }
//     WeakSelf<Watch> self_{this};  // last, so that it is the first member to go
//   };
//
// The callbacks run on the thread on which the owner is destroyed.
#pragma once

#include <functional>
#include <memory>
#include <type_traits>
#include <utility>

namespace windlass {

template <class Owner>
class WeakSelf {
 public:
  explicit WeakSelf(Owner* owner) : owner_(std::make_shared<Owner*>(owner)) {}
  WeakSelf(const WeakSelf&) = delete;
  WeakSelf& operator=(const WeakSelf&) = delete;

  // `body` is a method of Owner, or takes an Owner& before the callback's own arguments. Without
  // its owner the callback answers a default value.
  template <class Body>
  auto bind(Body body) const {
    return [weak = std::weak_ptr<Owner*>(owner_),
            body = std::move(body)](auto&&... arguments) mutable {
      using Answer = std::invoke_result_t<Body&, Owner&, decltype(arguments)...>;
      if (Owner* const owner = find(weak)) {
        return std::invoke(body, *owner, std::forward<decltype(arguments)>(arguments)...);
      }
      return Answer();
    };
  }

  // Expires with the owner, also while one of its callbacks runs. For code that calls out and must
  // not touch its own members when the call destroyed them.
  std::weak_ptr<const void> lifetime() const { return owner_; }

 private:
  static Owner* find(const std::weak_ptr<Owner*>& weak) {
    const auto held = weak.lock();
    return held ? *held : nullptr;
  }

  const std::shared_ptr<Owner*> owner_;
};

}  // namespace windlass
