// A reader of one resource's changes. It holds a position in the shared history and nothing else,
// so a slow one costs no memory and never slows a writer: it loses its place and is told so (gone).
// Made by Store::watch; must not outlive the store. Core thread only.
#pragma once

#include <functional>
#include <string>

#include "store/version.h"

namespace windlass::store {

class ResourceTable;

class Watcher {
 public:
  // Call next() first: `wake` runs when a change arrives after next() has said that there is none,
  // once until the next such answer. It runs inside the store's commit: it may only schedule, never
  // call the store. Without `wake` the store does not even know of it, and it costs a writer
  // nothing: for those who have many of them, and one more that is woken for all.
  Watcher(ResourceTable& table, std::string prefix, Revision after, std::function<void()> wake);
  ~Watcher();
  Watcher(const Watcher&) = delete;
  Watcher& operator=(const Watcher&) = delete;

  struct Next {
    VersionPtr version;  // nullptr: nothing more for now, or gone
    bool gone = false;
  };
  Next next();
  // Passes over everything that is there, as if next() had been asked until it had nothing.
  void skip();

  // The newest revision the history has forgotten, for the text of a 410.
  Revision compacted() const;

 private:
  friend class ResourceTable;
  void on_change(const Version& version);
  bool wants(const Version& version) const {
    return version.revision() > after_ && version.key().starts_with(prefix_);
  }

  ResourceTable& table_;
  std::string prefix_;
  Revision after_;  // may lie in the future (api.md M64)
  std::function<void()> wake_;
  uint64_t position_;
  bool waiting_ = false;  // next() found nothing; the next change must wake
  uint64_t id_;
};

}  // namespace windlass::store
