// GET of a collection, in one go.
#include <google/protobuf/message.h>

#include "apiserver/server.h"
#include "apiserver/verbs/search.h"

namespace windlass::apiserver {

Result<CollectionPage> Server::read(const Collection& collection, const ReadOptions& options) {
  TRY(CollectionSearch search, CollectionSearch::begin(*this, collection, options));
  search.look_at_all();
  return search.take();
}

Result<ObjectList> Server::list(const Collection& collection, const ListOptions& options) {
  TRY(const CollectionPage page, read(collection, {options.limit, options.continue_token}));
  ObjectList list;
  list.resource_version = std::to_string(page.revision);
  list.continue_token = page.continue_token;
  list.items.reserve(page.items.size());
  for (const store::VersionPtr& version : page.items) {
    list.items.push_back(decode(*collection.kind, *version));
  }
  return list;
}

}  // namespace windlass::apiserver
