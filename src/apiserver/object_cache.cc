#include "apiserver/object_cache.h"

#include <google/protobuf/message.h>

#include "api/codec/protobuf.h"
#include "apiserver/stored_form.h"

namespace windlass::apiserver {

api::ObjectPtr ObjectCache::decode(const api::Kind& kind, const store::Version& version) {
  if (!is_stored_form(kind)) {
    std::unique_ptr<api::Message> made = kind.make();
    parse_version(kind, version, *made);
    return made;
  }
  if (api::ObjectPtr object = version.decoded()) {
    return object;
  }
  api::ObjectPtr object = api::decode_stored(version.bytes(), kind.prototype());
  if (object == nullptr) {
    std::unique_ptr<api::Message> placeholder = kind.make();
    make_placeholder(version, *placeholder);
    object = std::move(placeholder);
  }
  version.remember(object);
  keep(object);
  return object;
}

void ObjectCache::keep(api::ObjectPtr object) {
  kept_[next_] = std::move(object);
  next_ = (next_ + 1) % kKept;
}

}  // namespace windlass::apiserver
