// One state of one object: what a write leaves in the store, what a watcher is told of it, and what
// a list at an older revision finds. One Version serves all of them, so an object is encoded once
// however many look at it. Everything but `previous` and `decoded` is immutable and may be read by
// any thread; those two belong to the core thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

namespace google::protobuf {
class Message;
}

namespace windlass::store {

// What bytes say, to those who know their kind. The store only holds it.
using DecodedPtr = std::shared_ptr<const google::protobuf::Message>;

// The one counter of the whole store (api.md M87). 0 means "none".
using Revision = uint64_t;

enum class Change { created, updated, deleted };

class Version;
using VersionPtr = std::shared_ptr<const Version>;

class Version {
 public:
  Version(std::shared_ptr<const std::string> key, Revision revision, Change change,
          std::string bytes, VersionPtr previous)
      : key_(std::move(key)),
        revision_(revision),
        change_(change),
        bytes_(std::move(bytes)),
        previous_(std::move(previous)) {}

  const std::string& key() const { return *key_; }  // ns/name, or name
  Revision revision() const { return revision_; }
  Change change() const { return change_; }
  bool is_deletion() const { return change_ == Change::deleted; }
  // The encoded object; of a deletion the last state, carrying the deletion's revision.
  const std::string& bytes() const { return bytes_; }

  // What it takes of the memory: its bytes, itself and its places in index and history.
  size_t footprint() const { return bytes_.size() + kBookkeeping; }

  // The state before this one, for as long as the history reaches back: nullptr after that.
  const VersionPtr& previous() const { return previous_; }

  // The message made of these bytes, while it has a holder.
  DecodedPtr decoded() const { return decoded_.lock(); }
  void remember(const DecodedPtr& message) const { decoded_ = message; }

 private:
  friend class ResourceTable;
  // Itself, a place in the history, a share of key and index, and the headers of their allocations.
  static constexpr size_t kBookkeeping = 256;

  std::shared_ptr<const std::string> key_;  // one allocation for all states of an object
  Revision revision_;
  Change change_;
  std::string bytes_;
  mutable VersionPtr previous_;
  mutable std::weak_ptr<const google::protobuf::Message> decoded_;
};

}  // namespace windlass::store
