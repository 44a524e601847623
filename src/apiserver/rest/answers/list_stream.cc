#include "apiserver/rest/answers/list_stream.h"

#include <optional>
#include <utility>

#include "apiserver/rest/answers/list_encoder.h"

namespace windlass::apiserver {
namespace {

// What one turn on the core makes, in bytes of the answer.
constexpr size_t kPieceBytes = 64U << 10;
// Indenting takes several times as long as encoding.
constexpr size_t kStyledPieceBytes = 32U << 10;
constexpr size_t kMeasuredPerTurn = 500;

bool is_small(const CollectionPage& page) {
  size_t bytes = 0;
  for (const store::VersionPtr& version : page.items) {
    bytes += version->bytes().size();
  }
  return page.items.size() <= kMaxBufferedItems && bytes <= kMaxBufferedBytes;
}

http::Response whole_list(const ViewOptions& view, const api::Kind& kind, CollectionPage page,
                          const Warnings& warnings) {
  http::Response response;
  response.headers = answer_headers(view.format.content_type(), warnings);
  response.make_body = [view, kind = &kind, page = std::move(page)] {
    ListEncoder encoder(view, *kind, page);
    encoder.measure(SIZE_MAX);
    return encoder.next(SIZE_MAX);
  };
  return response;
}

// A list in the making: what belongs to it is looked for, then it is one answer or goes out in
// pieces.
class ListStream final : public Stream {
 public:
  ListStream(const ViewOptions& view, const api::Kind& kind, Reply reply, Warnings warnings)
      : view_(view),
        kind_(kind),
        piece_bytes_(view.format.encoding == Encoding::yaml || view.format.pretty
                         ? kStyledPieceBytes
                         : kPieceBytes),
        reply_(std::move(reply)),
        warnings_(std::move(warnings)) {}

  void look_in(CollectionSearch search) { search_.emplace(std::move(search)); }
  Next show(CollectionPage page) {
    if (is_small(page)) {
      reply_.respond(whole_list(view_, kind_, std::move(page), warnings_));
      return Next::finished;
    }
    encoder_.emplace(view_, kind_, std::move(page));
    return Next::again;
  }

  Next run() override {
    if (!encoder_) {
      return search_->look(CollectionSearch::kLooksPerTask) ? show(search_->take()) : Next::again;
    }
    if (!started_) {
      if (encoder_->measure(kMeasuredPerTurn)) {
        started_ = true;
        reply_.note(200);
        reply_.exchange()->start(200, answer_headers(view_.format.content_type(), warnings_));
      }
      return Next::again;
    }
    std::string piece = encoder_->next(piece_bytes_);
    if (piece.empty()) {
      reply_.exchange()->finish();
      return Next::finished;
    }
    reply_.exchange()->write(std::make_shared<const std::string>(std::move(piece)));
    return Next::again;
  }

 private:
  const ViewOptions view_;
  const api::Kind& kind_;
  const size_t piece_bytes_;
  const Reply reply_;
  const Warnings warnings_;
  std::optional<CollectionSearch> search_;
  std::optional<ListEncoder> encoder_;  // once all that belongs to it is found
  bool started_ = false;
};

}  // namespace

void stream_search(StreamHub& streams, const ViewOptions& view, const api::Kind& kind,
                   CollectionSearch search, const Reply& reply) {
  const auto list = std::make_shared<ListStream>(view, kind, reply, Warnings());
  list->look_in(std::move(search));
  // Mostly that is all; what is not takes its turns with others.
  if (list->run() == Stream::Next::again) {
    streams.add(list, reply.exchange());
  }
}

void stream_page(StreamHub& streams, const ViewOptions& view, const api::Kind& kind,
                 CollectionPage page, const Reply& reply, const Warnings& warnings) {
  const auto list = std::make_shared<ListStream>(view, kind, reply, warnings);
  if (list->show(std::move(page)) == Stream::Next::again) {
    streams.add(list, reply.exchange());
  }
}

}  // namespace windlass::apiserver
