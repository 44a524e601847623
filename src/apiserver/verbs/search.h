// One read of a collection (api.md M60, M61, M65-M68), in steps where that is wanted: with
// selectors every object has to be decoded to see whether it matches, and a large collection would
// keep the core from everybody else. All of it is of the moment of begin(). Must not outlive the
// server. Core thread only.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "apiserver/server.h"
#include "apiserver/verbs/selection.h"
#include "base/result.h"

namespace windlass::apiserver {

class CollectionSearch {
 public:
  // What one task may look at.
  static constexpr size_t kLooksPerTask = 200;

  static Result<CollectionSearch> begin(Server& server, const Collection& collection,
                                        const ReadOptions& options);

  // Looks at so many more objects. True when the page is complete; without selectors at once.
  bool look(size_t objects);
  bool look_at_all() { return look(candidates_.size()); }
  // The page, once it is complete.
  CollectionPage take();

 private:
  CollectionSearch(Server& server, const Collection& collection, Selection selection, size_t limit)
      : server_(&server),
        kind_(collection.kind),
        ns_(collection.ns),
        selection_(std::move(selection)),
        limit_(limit) {}

  void end_with_more();

  Server* server_;
  const api::Kind* kind_;
  std::string ns_;
  Selection selection_;
  size_t limit_;  // 0: all
  std::vector<store::VersionPtr> candidates_;
  size_t next_ = 0;  // of candidates_
  CollectionPage page_;
};

}  // namespace windlass::apiserver
