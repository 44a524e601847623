#include "apiserver/object_cache.h"

#include <google/protobuf/message.h>

#include "api/codec/protobuf.h"
#include "base/check.h"

namespace windlass::apiserver {

api::ObjectPtr ObjectCache::decode(const api::Kind& kind, const store::Version& version) {
  if (api::ObjectPtr object = version.decoded()) {
    return object;
  }
  std::unique_ptr<api::Message> made = kind.make();
  // The bytes are our own encoding of a canonical message: no second canonicalization.
  CHECK(made->ParseFromString(version.bytes()), "stored bytes are an object of their kind");
  api::ObjectPtr object = std::move(made);
  version.remember(object);
  keep(object);
  return object;
}

void ObjectCache::keep(api::ObjectPtr object) {
  kept_[next_] = std::move(object);
  next_ = (next_ + 1) % kKept;
}

}  // namespace windlass::apiserver
