// Between the form in which a kind is served and the one in which it is stored. They are the same
// for all kinds but one: an Event of events.k8s.io is stored as the Event of core/v1, so that both
// groups show the same objects (api.md N20). Every field of the one is a field of the other under
// another number, so one form becomes the other without a look at the values. Pure; any thread.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "api/kind.h"
#include "api/object.h"
#include "store/version.h"

namespace windlass::apiserver {

// The kind whose bytes the store has; errors name it, too.
const api::Kind& stored_kind(const api::Kind& kind);
inline bool is_stored_form(const api::Kind& kind) {
  return &stored_kind(kind) == &kind;
}
// Every kind of which the store has objects, each once.
std::vector<const api::Kind*> all_stored_kinds();

// An object of the kind as the message that the store has.
api::ObjectPtr to_stored(const api::Kind& kind, api::ObjectPtr object);
// The bytes that the store has, or would have, of an object of the kind.
std::string encode_stored(const api::Kind& kind, const api::Message& object);

// Whether these are those bytes.
bool is_stored_as(const api::Kind& kind, const api::Message& object, std::string_view bytes);

// Stored bytes as bytes of the kind. The fields of an Event come in another order, which protobuf
// allows.
std::string served_bytes(const api::Kind& kind, const store::Version& version);
// Replaces the content of `object`. Gives a placeholder where the bytes cannot be decoded.
void parse_version(const api::Kind& kind, const store::Version& version, api::Message& object);
// One bad object must not keep the server from starting or from listing the others: an object that
// cannot be decoded has its name, its namespace and an annotation. It has no uid, which every other
// stored object has. Clients can delete it; all other writes fail.
void make_placeholder(const store::Version& version, api::Message& object);
bool is_placeholder(const api::Message& stored);
// The message that another holder keeps already, if it is one of this kind. Core thread only.
api::ObjectPtr decoded_as(const api::Kind& kind, const store::Version& version);

// Decoded messages of stored versions. A version knows its message while it has a holder; this
// keeps the most recently used ones alive a little longer, because an object that was just written
// is about to be read by its watchers and written again. Core thread only.
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
