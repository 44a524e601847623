// Waits for several operations: one callback for each of them, and one for when all have finished.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <utility>

namespace windlass::plane {

// Runs `then` at the last of `count` calls; `count` is at least one.
inline std::function<void()> when_all(size_t count, std::function<void()> then) {
  return [left = std::make_shared<size_t>(count), then = std::move(then)] {
    if (--*left == 0) {
      then();
    }
  };
}

}  // namespace windlass::plane
