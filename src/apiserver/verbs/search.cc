#include "apiserver/verbs/search.h"

#include <google/protobuf/message.h>

#include "apiserver/verbs/continue_token.h"
#include "apiserver/verbs/request_errors.h"

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

Result<CollectionSearch> CollectionSearch::begin(Server& server, const Collection& collection,
                                                 const ReadOptions& options) {
  if (find_strategy(*collection.kind) == nullptr) {
    return fail(no_such_resource());
  }
  TRY(Selection selection, Selection::parse(collection));
  ContinueToken from{options.exact, ""};
  std::string after;
  if (!options.continue_token.empty()) {
    TRY(from, decode_continue(options.continue_token));
    after = absolute_key(collection.ns, from.after);
  }
  const bool everything = selection.everything();
  const size_t limit = options.limit > 0 ? static_cast<size_t>(options.limit) : 0;
  CollectionSearch search(server, collection, std::move(selection), limit);
  store::Scan scan{.resource = collection.kind->plural, .ns = collection.ns, .after = after};
  scan.revision = from.revision;
  scan.limit = everything ? limit : 0;
  const store::Store& store = server.store();
  std::optional<store::VersionPage> found = store.list(scan);
  if (!found) {
    return fail(options.continue_token.empty() ? expired_list() : expired_token());
  }
  search.page_.revision = found->revision;
  if (!everything) {
    search.candidates_ = std::move(found->items);
    return search;
  }
  search.page_.items = std::move(found->items);
  if (found->more) {
    // Only of a snapshot, which has not changed since.
    const auto before = from.revision == 0 ? std::nullopt : from.left;
    const auto of_this_page = static_cast<int64_t>(search.page_.items.size());
    search.page_.remaining =
        before && *before > of_this_page
            ? *before - of_this_page
            : count_after(store, scan, found->revision, search.page_.items.back()->key());
    search.end_with_more();
  }
  return search;
}

bool CollectionSearch::look(size_t objects) {
  for (; objects > 0 && next_ < candidates_.size(); --objects, ++next_) {
    const store::VersionPtr& version = candidates_[next_];
    if (!selection_.matches(*server_->decode(*kind_, *version))) {
      continue;
    }
    if (limit_ != 0 && page_.items.size() == limit_) {
      end_with_more();
      next_ = candidates_.size();
      return true;
    }
    page_.items.push_back(version);
  }
  return next_ == candidates_.size();
}

void CollectionSearch::end_with_more() {
  const std::string& last = page_.items.back()->key();
  page_.continue_token =
      encode_continue({page_.revision, relative_key(ns_, last), page_.remaining});
}

CollectionPage CollectionSearch::take() {
  candidates_.clear();
  return std::move(page_);
}

}  // namespace windlass::apiserver
