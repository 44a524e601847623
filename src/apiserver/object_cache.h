// Decoded messages of stored versions. A version knows its message while it has a holder; this
// keeps the most recently used ones alive a little longer, because an object that was just written
// is about to be read by its watchers and written again. Core thread only.
#pragma once

#include <array>
#include <cstddef>

#include "api/kind.h"
#include "api/object.h"
#include "store/version.h"

namespace windlass::apiserver {

class ObjectCache {
 public:
  api::ObjectPtr decode(const api::Kind& kind, const store::Version& version);
  void keep(api::ObjectPtr object);

 private:
  // About 10 KB each for pods. A burst of 1,000 writes is still there when it is delivered.
  static constexpr size_t kKept = 2048;
  std::array<api::ObjectPtr, kKept> kept_;
  size_t next_ = 0;
};

}  // namespace windlass::apiserver
