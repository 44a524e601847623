#include "remote/remote_watch.h"

#include <optional>
#include <utility>

#include "base/generator.h"
#include "remote/watch_reader.h"
#include "remote/wire.h"

namespace windlass::remote {

class RemoteWatch::Session final : public AnswerSink, public std::enable_shared_from_this<Session> {
 public:
  Session(Transport& transport, const api::Kind& kind, const api::Outline* outline,
          HttpRequest request, Duration lifetime, client::WatchHandler handler)
      : transport_(transport),
        kind_(kind),
        outline_(outline),
        request_(std::move(request)),
        lifetime_(lifetime),
        handler_(std::move(handler)) {}
  ~Session() override { stop(); }

  void begin() {
    line_ = transport_.watch_connections().obtain(
        [this](Result<std::shared_ptr<ClientConnection>> channel) {
          const auto self = shared_from_this();
          on_line(std::move(channel));
        });
  }

  // The handler hears nothing any more.
  void stop() {
    transport_.loop().cancel(std::exchange(timer_, env::TimerId::none));
    line_.reset();
    if (const auto channel = std::exchange(channel_, nullptr)) {
      channel->cancel(*this);
    }
    ended_ = true;
  }

  bool on_more(HttpAnswer& answer) override {
    const auto self = shared_from_this();
    if (answer.status != 200) {
      return answer.body.size() <= kMaxErrorBytes;
    }
    if (!reader_) {
      reader_.emplace(kind_, is_protobuf(answer.headers), outline_, transport_.server_text());
      arm(lifetime_ + kOverdue);
    }
    while (true) {
      auto event = reader_->next(answer.body);
      if (!event) {
        end(event.error());
        return false;
      }
      if (!*event) {
        break;
      }
      handler_.on_event(**event);
      if (ended_) {
        return false;
      }
    }
    reader_->compact(answer.body);
    return true;
  }

  void on_complete(HttpAnswer answer) override {
    const auto self = shared_from_this();
    if (answer.status == 401) {
      transport_.dialer().credentials().reread();
    }
    end(answer.status == 200
            ? plain_error("the server has ended the watch")
            : decode_error(answer.status, answer.headers, answer.body, transport_.server_text()));
  }

  void on_lost(const Loss& loss) override {
    const auto self = shared_from_this();
    end(plain_error("the watch is lost: " + loss.why));
  }

 private:
  static constexpr size_t kMaxErrorBytes = size_t{1} << 20;

  void on_line(Result<std::shared_ptr<ClientConnection>> channel) {
    if (!channel) {
      return end(channel.error());
    }
    Credentials& credentials = transport_.dialer().credentials();
    credentials.refresh();
    if (!credentials.ready()) {
      return wait_for(credentials);
    }
    const auto head = transport_.head_of(request_);
    if (!head) {
      return end(head.error());
    }
    channel_ = *std::move(channel);
    arm(kHeadTimeout);
    channel_->send(*head, "", *this);
  }

  // A line that was kept may be older than what the server accepts: the plugin is asked, and may
  // tell a certificate, for which there is another line.
  void wait_for(Credentials& credentials) {
    credentials.prepare([weak = weak_from_this()](const Result<void>& ready) {
      const auto self = weak.lock();
      if (self != nullptr && !self->ended_) {
        ready ? self->begin() : self->end(ready.error());
      }
    });
  }

  void arm(Duration delay) {
    transport_.loop().cancel(timer_);
    timer_ = transport_.loop().schedule(delay, [this] {
      const auto self = shared_from_this();
      end(plain_error("the watch has not ended in time, or never began"));
    });
  }

  void end(const Status& why) {
    if (!ended_) {
      stop();
      handler_.on_end(why);
    }
  }

  Transport& transport_;
  const api::Kind& kind_;
  const api::Outline* outline_;
  const HttpRequest request_;
  const Duration lifetime_;
  client::WatchHandler handler_;
  std::shared_ptr<void> line_;
  std::shared_ptr<ClientConnection> channel_;
  std::optional<WatchReader> reader_;
  env::TimerId timer_ = env::TimerId::none;
  bool ended_ = false;
};

RemoteWatch::RemoteWatch(Transport& transport, env::Random& random,
                         const client::Collection& collection,
                         const std::optional<std::string>& resource_version, const Reading& reading,
                         client::WatchHandler handler) {
  const auto spread = static_cast<int64_t>(uniform(random, kMaxSeconds - kMinSeconds));
  HttpRequest request;
  request.target = collection_path(*collection.kind, collection.ns) +
                   watch_query(collection, resource_version.value_or(""), kMinSeconds + spread);
  if (!resource_version) {
    request.target += kAsList;
  }
  request.accept = reading.accept;
  stream_ =
      std::make_shared<Session>(transport, *collection.kind, reading.outline, std::move(request),
                                seconds(kMinSeconds + spread), std::move(handler));
  stream_->begin();
}

RemoteWatch::~RemoteWatch() {
  stream_->stop();
}

}  // namespace windlass::remote
