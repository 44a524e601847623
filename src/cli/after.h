// Waits for several to be done: one callback for each of them, and one for when all have called.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <utility>

namespace windlass::cli {

// Runs `then` when it has been called so often, which is at least once.
inline std::function<void()> after(size_t times, std::function<void()> then) {
  return [left = std::make_shared<size_t>(times), then = std::move(then)] {
    if (--*left == 0) {
      then();
    }
  };
}

}  // namespace windlass::cli
