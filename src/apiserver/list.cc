// GET of a collection: api.md M60, M61, M65-M68.
#include <google/protobuf/message.h>

#include "apiserver/continue_token.h"
#include "apiserver/request_errors.h"
#include "apiserver/selection.h"
#include "apiserver/server.h"

namespace windlass::apiserver {
namespace {

Status expired_token() {
  return gone(
      "The provided continue parameter is too old to display a consistent list result. You can "
      "start a new list without the continue parameter.");
}

Status expired_list() {
  return gone("The resourceVersion for the provided list is too old.");
}

// How many objects follow the last one of a page.
int64_t count_after(const store::Store& store, store::Scan scan, store::Revision revision,
                    std::string_view last) {
  int64_t count = 0;
  scan.after = last;
  scan.revision = revision;
  scan.limit = 0;
  scan.filter = [&](const store::Version&) {
    ++count;
    return false;
  };
  return store.list(scan) ? count : 0;
}

// Keys in a token are relative to the namespace that is listed.
std::string absolute_key(const std::string& ns, const std::string& relative) {
  return ns.empty() ? relative : ns + "/" + relative;
}

std::string relative_key(const std::string& ns, const std::string& key) {
  return ns.empty() ? key : key.substr(ns.size() + 1);
}

}  // namespace

Result<CollectionPage> Server::read(const Collection& collection, const ReadOptions& options) {
  const api::Kind& kind = *collection.kind;
  if (find_strategy(kind) == nullptr) {
    return fail(no_such_resource());
  }
  TRY(const Selection selection, Selection::parse(collection));
  ContinueToken from{options.exact, ""};
  std::string after;
  if (!options.continue_token.empty()) {
    TRY(from, decode_continue(options.continue_token));
    after = absolute_key(collection.ns, from.after);
  }
  store::Scan scan{.resource = kind.plural, .ns = collection.ns, .after = after};
  scan.revision = from.revision;
  scan.limit = options.limit > 0 ? static_cast<size_t>(options.limit) : 0;
  if (!selection.everything()) {
    scan.filter = [&](const store::Version& version) {
      return selection.matches(*decode(kind, version));
    };
  }
  std::optional<store::Page> page = store_.list(scan);
  if (!page) {
    return fail(options.continue_token.empty() ? expired_list() : expired_token());
  }
  CollectionPage result{std::move(page->items), page->revision};
  if (page->more) {
    const std::string& last = result.items.back()->key();
    result.continue_token = encode_continue({page->revision, relative_key(collection.ns, last)});
    if (selection.everything()) {
      result.remaining = count_after(store_, scan, page->revision, last);
    }
  }
  return result;
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
