// GET of a collection with watch=true: api.md M75-M85.
#include <google/protobuf/message.h>

#include "apiserver/rest/answers/reply.h"
#include "apiserver/rest/answers/watch_frames.h"
#include "apiserver/rest/calls/calls.h"
#include "apiserver/rest/calls/versioned_call.h"
#include "apiserver/rest/options.h"
#include "apiserver/verbs/watch_stream.h"

namespace windlass::apiserver {
namespace {

// What goes to a client in one piece, by number and by size in the store; at least one event.
constexpr size_t kEventsPerRun = 100;
constexpr size_t kBatchBytes = 64U << 10;
// As many as a server of this size can hold; each costs a connection.
constexpr size_t kMaxStreams = 10'000;
constexpr Duration kBookmarkPeriod = seconds(60);
constexpr Duration kLastBookmark = seconds(2);  // before the time-out
constexpr Duration kMinTimeout = minutes(30);   // without one in the request, up to twice this

struct WatchPlan {
  ReadQuery query;
  store::Revision at_least = 0;
  InitialEvents initial = InitialEvents::as_version_says;
};

Result<WatchPlan> plan_watch(const http::Target& target) {
  WatchPlan plan;
  TRY(plan.query, parse_read_query(target, true));
  TRY(const store::Revision version, parse_version(plan.query.version, false));
  const bool initial = plan.query.send_initial_events.value_or(false);
  if (initial) {
    plan.initial = InitialEvents::send;
    plan.at_least = version;
  } else if (plan.query.send_initial_events && version == 0) {
    plan.initial = InitialEvents::skip;
  }
  return plan;
}

class WatchSession final : public Stream, public std::enable_shared_from_this<WatchSession> {
 public:
  WatchSession(RestContext& context, const ViewOptions& view, const api::Kind& kind,
               const WatchPlan& plan)
      : context_(context),
        frames_({context.encoded, context.batches}, context.clock, view, kind),
        bookmarks_(plan.query.allow_bookmarks),
        owes_initial_bookmark_(bookmarks_ && plan.query.send_initial_events.value_or(false)) {}

  ~WatchSession() override {
    context_.executor.cancel(timeout_);
    context_.executor.cancel(bookmark_timer_);
  }

  Result<void> open(const Collection& collection, const WatchPlan& plan) {
    // The hub wakes all who watch the resource.
    auto stream =
        WatchStream::open(context_.server, collection, plan.query.version, nullptr, plan.initial);
    if (stream) {
      stream_ = *std::move(stream);
    } else if (is_gone(stream.error())) {
      failure_ = stream.error();  // M79: told inside the stream
    } else {
      return fail(std::move(stream).error());
    }
    return {};
  }

  void start_timers(Duration timeout) {
    const auto after = [this](Duration delay, void (WatchSession::*step)()) {
      return context_.executor.schedule(delay, [weak = weak_from_this(), step] {
        if (const auto self = weak.lock()) {
          (self.get()->*step)();
        }
      });
    };
    timeout_ = after(timeout, &WatchSession::on_timeout);
    if (bookmarks_) {
      const Duration first = timeout > kLastBookmark ? timeout - kLastBookmark : timeout / 2;
      bookmark_timer_ = after(std::min(kBookmarkPeriod, first), &WatchSession::on_bookmark_due);
      last_bookmark_ = context_.clock.monotonic() + first;
    }
  }

  Next run() override {
    if (failure_) {
      return fail_with(*failure_);
    }
    const bool live = stream_->initial_done();
    size_t bytes = 0;
    int looks = WatchStream::kLooksPerTask;
    std::optional<Next> next;
    while (!next && batch_.size() < kEventsPerRun && bytes < kBatchBytes) {
      auto event = stream_->next_version(looks);
      if (!event) {
        failure_ = event.error();
        next = Next::again;
      } else if (!*event) {
        next = looks > 0 ? Next::wait : Next::again;
      } else {
        bytes += (*event)->version->bytes().size();
        batch_.push_back(**std::move(event));
      }
    }
    if (!batch_.empty()) {
      exchange()->write(frames_.events(*stream_, batch_, live));
      batch_.clear();
    }
    return next == Next::wait ? caught_up() : Next::again;
  }

 private:
  Next fail_with(const Status& failure) {
    exchange()->write(frames_.error(failure));
    exchange()->finish();
    return Next::finished;
  }

  // All that is committed has been sent.
  Next caught_up() {
    if (owes_initial_bookmark_) {
      owes_initial_bookmark_ = false;
      exchange()->write(frames_.bookmark(context_.server.store().revision(), true));
    } else if (bookmark_due_) {
      exchange()->write(frames_.bookmark(context_.server.store().revision(), false));
    }
    bookmark_due_ = false;
    if (timed_out_) {
      exchange()->finish();
      return Next::finished;
    }
    return Next::wait;
  }

  void on_timeout() {
    timed_out_ = true;
    wake();
  }

  // Every minute, and once more shortly before the end (M80).
  void on_bookmark_due() {
    bookmark_due_ = true;
    const Duration left = last_bookmark_ - context_.clock.monotonic();
    if (left > Duration::zero()) {
      bookmark_timer_ =
          context_.executor.schedule(std::min(kBookmarkPeriod, left), [weak = weak_from_this()] {
            if (const auto self = weak.lock()) {
              self->on_bookmark_due();
            }
          });
    }
    wake();
  }

  RestContext& context_;
  WatchFrames frames_;
  std::unique_ptr<WatchStream> stream_;
  std::vector<VersionEvent> batch_;  // empty between runs
  std::optional<Status> failure_;
  const bool bookmarks_;
  bool owes_initial_bookmark_;
  bool bookmark_due_ = false;
  bool timed_out_ = false;
  MonotonicTime last_bookmark_ = {};
  env::TimerId timeout_ = env::TimerId::none;
  env::TimerId bookmark_timer_ = env::TimerId::none;
};

Status too_many_streams() {
  Status status;
  status.code = 429;
  status.reason = "TooManyRequests";
  status.message = "too many watches are open, please try again later";
  status.details.retry_after_seconds = 1;
  return status;
}

// M83.
Duration timeout_of(const WatchPlan& plan, env::Random& random) {
  const int64_t asked = plan.query.timeout_seconds.value_or(0);
  if (asked > 0) {
    return seconds(std::min<int64_t>(asked, 24 * 3600));
  }
  return kMinTimeout + seconds(random.next() % static_cast<uint64_t>(kMinTimeout / seconds(1)));
}

void run_watch(RestContext& context, StreamHub& streams, const RestRequest& request,
               const WatchPlan& plan, const Reply& reply) {
  const auto view = view_options(
      request.format, request.target.parameter("includeObject").value_or(""), context.clock.now());
  if (!view) {
    reply.fail(view.error());
    return;
  }
  if (streams.size() >= kMaxStreams) {
    reply.fail(too_many_streams());
    return;
  }
  const auto session = std::make_shared<WatchSession>(context, *view, request.kind(), plan);
  const Collection collection{&request.kind(), request.info.ns, plan.query.label_selector,
                              plan.query.field_selector};
  if (const auto opened = session->open(collection, plan); !opened) {
    reply.fail(opened.error());
    return;
  }
  reply.note(200);
  // M75: the head goes out at once.
  reply.exchange()->start(200, answer_headers(request.format.stream_content_type()));
  session->start_timers(timeout_of(plan, context.random));
  streams.add(session, reply.exchange(), request.kind().plural);
}

}  // namespace

Prepared prepare_watch(RestContext& context, StreamHub& streams, RestRequest request) {
  auto plan = plan_watch(request.target);
  if (!plan) {
    return failure_response(plan.error(), request.format);
  }
  const store::Revision at_least = plan->at_least;
  return versioned_call(
      context, std::move(request), at_least,
      [&context, &streams, plan = *std::move(plan)](const RestRequest& found, const Reply& reply) {
        run_watch(context, streams, found, plan, reply);
      });
}

}  // namespace windlass::apiserver
