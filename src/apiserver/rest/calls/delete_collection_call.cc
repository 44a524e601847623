// DELETE of a collection: api.md M55. What was there before is the answer, as one list; each object
// is deleted by itself, and one that is gone by then, or may not go, does not keep the others. A
// big collection goes in batches, each begun when the one before it is durable, so that it neither
// fills the queue of the store nor holds up the core.
#include <google/protobuf/message.h>

#include <algorithm>
#include <optional>

#include "apiserver/rest/answers/list_stream.h"
#include "apiserver/rest/answers/reply.h"
#include "apiserver/rest/calls/calls.h"
#include "apiserver/rest/calls/delete_options.h"
#include "apiserver/rest/options.h"
#include "apiserver/verbs/deletion.h"
#include "apiserver/verbs/search.h"
#include "client/object_identity.h"

namespace windlass::apiserver {
namespace {

constexpr size_t kRemovalsPerBatch = 500;

class CollectionDeletion : public std::enable_shared_from_this<CollectionDeletion> {
 public:
  CollectionDeletion(RestContext& context, StreamHub& streams, const api::Kind& kind,
                     DeleteRequest wanted, CollectionSearch search, Reply reply)
      : context_(context.shared_from_this()),
        streams_(streams),
        kind_(kind),
        wanted_(std::move(wanted)),
        search_(std::move(search)),
        reply_(std::move(reply)) {
    const Strategy* strategy = find_strategy(kind_);
    const std::string warning =
        strategy == nullptr ? "" : orphan_warning(*strategy, wanted_.options);
    if (!warning.empty()) {
      warnings_.push_back(warning);  // also when there is nothing to delete
    }
  }

  // Looks for what belongs to it, then removes that.
  void begin() {
    if (search_.look(CollectionSearch::kLooksPerTask)) {
      page_ = search_.take();
      run();
    } else {
      post(&CollectionDeletion::begin);
    }
  }

 private:
  void post(void (CollectionDeletion::*step)()) {
    context_->executor.post([self = shared_from_this(), step] {
      if (self->context_->open) {
        (self.get()->*step)();
      }
    });
  }

  void run() {
    const size_t end = std::min(page_.items.size(), next_ + kRemovalsPerBatch);
    while (next_ < end && remove(*page_.items[next_])) {
      ++next_;
    }
    store::Store& store = context_->server.store();
    store.when_committed(store.head_revision(),
                         [self = shared_from_this()](const Result<void>& committed) {
                           self->on_committed(committed);
                         });
  }

  // False when the store takes no more now.
  bool remove(const store::Version& version) {
    const client::KeyParts key = client::split_key(version.key());
    const WriteResult result =
        context_->server.remove({&kind_, key.ns, key.name}, wanted_.options, wanted_.write);
    if (!result.answer) {
      const Status& why = result.answer.error();
      if (why.code == 429) {
        return false;
      }
      if (!is_not_found(why) && !failed_) {
        failed_ = why;
      }
    }
    for (const std::string& warning : result.warnings) {
      if (std::ranges::find(warnings_, warning) == warnings_.end()) {
        warnings_.push_back(warning);
      }
    }
    return true;
  }

  void on_committed(const Result<void>& committed) {
    if (!committed) {
      reply_.fail(committed.error(), warnings_);
    } else if (next_ < page_.items.size()) {
      post(&CollectionDeletion::run);
    } else if (failed_) {
      reply_.fail(*failed_, warnings_);
    } else if (context_->open) {
      stream_page(streams_, {reply_.format(), IncludeObject::metadata, context_->clock.now()},
                  kind_, std::move(page_), reply_, warnings_);
    }
  }

  std::shared_ptr<RestContext> context_;
  StreamHub& streams_;  // while the context is open
  const api::Kind& kind_;
  DeleteRequest wanted_;
  CollectionSearch search_;
  CollectionPage page_;
  Reply reply_;
  size_t next_ = 0;
  Warnings warnings_;
  std::optional<Status> failed_;
};

}  // namespace

Prepared prepare_delete_collection(RestContext& context, StreamHub& streams, RestRequest request) {
  auto wanted = read_delete_request(request);
  const auto query = parse_read_query(request.target, false);
  if (!wanted || !query) {
    return failure_response(wanted ? query.error() : wanted.error(), request.format);
  }
  return make_call([&context, &streams, wanted = *std::move(wanted), query = *query,
                    request = std::move(request)](std::shared_ptr<http::Exchange> exchange) {
    Reply reply(context, request, std::move(exchange));
    const Collection collection{&request.kind(), request.info.ns, query.label_selector,
                                query.field_selector};
    auto search =
        CollectionSearch::begin(context.server, collection, {query.limit, query.continue_token});
    if (!search) {
      reply.fail(search.error());
      return;
    }
    std::make_shared<CollectionDeletion>(context, streams, request.kind(), wanted,
                                         *std::move(search), std::move(reply))
        ->begin();
  });
}

}  // namespace windlass::apiserver
