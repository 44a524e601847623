// The answer that shows a page of a collection: a small one whole, made on the transport's thread;
// a big one in pieces, of which only as many exist as the client has room for. That holds for every
// encoding and form, so no answer holds a list a second time. Core executor only.
#pragma once

#include <memory>

#include "apiserver/rest/answers/reply.h"
#include "apiserver/rest/answers/stream_hub.h"
#include "apiserver/rest/answers/views.h"
#include "apiserver/verbs/search.h"

namespace windlass::apiserver {

// A page of kubectl's size is one answer, unless its objects are big.
inline constexpr size_t kMaxBufferedItems = 500;
inline constexpr size_t kMaxBufferedBytes = 1U << 20;  // as stored

// Looks for what belongs to the page, then shows it.
void stream_search(StreamHub& streams, const ViewOptions& view, const api::Kind& kind,
                   CollectionSearch search, const Reply& reply);
void stream_page(StreamHub& streams, const ViewOptions& view, const api::Kind& kind,
                 CollectionPage page, const Reply& reply, const Warnings& warnings);

}  // namespace windlass::apiserver
