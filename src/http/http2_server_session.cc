#include "http/http2_server_session.h"

#include <fmt/format.h>
#include <nghttp2/nghttp2.h>

#include <array>
#include <map>
#include <utility>

#include "base/check.h"
#include "http/answer_body.h"
#include "http/characters.h"
#include "http/nghttp2_handles.h"
#include "http/response_head.h"

namespace windlass::http {
namespace {

// Reading on after a head is too large costs time alone; this much of it is borne.
constexpr size_t kOversizeFactor = 4;

}  // namespace

class Http2ServerSession::Impl {
 public:
  explicit Impl(const Http2ServerLimits& limits) : limits_(limits) {
    const auto callbacks = make_callbacks();
    const auto option = make_option();
    nghttp2_session* session = nullptr;
    CHECK(nghttp2_session_server_new2(&session, callbacks.get(), this, option.get()) == 0,
          "memory for an HTTP/2 session");
    session_.reset(session);
    const std::array<nghttp2_settings_entry, 3> settings = {{
        {NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, limits.streams},
        {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, static_cast<uint32_t>(limits.stream_window)},
        {NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, static_cast<uint32_t>(limits.request.head_bytes)},
    }};
    must(nghttp2_submit_settings(session, NGHTTP2_FLAG_NONE, settings.data(), settings.size()));
    must(nghttp2_session_set_local_window_size(session, NGHTTP2_FLAG_NONE, 0,
                                               limits.connection_window));
  }

  size_t feed(std::string_view bytes) {
    if (!problem_.empty()) {
      return bytes.size();
    }
    fed_head_bytes_ = 0;
    const ssize_t used = nghttp2_session_mem_recv(session_.get(), bytes_of(bytes), bytes.size());
    if (used < 0) {
      breaks(nghttp2_strerror(static_cast<int>(used)));
    } else if (nghttp2_session_get_outbound_queue_size(session_.get()) > limits_.queued_frames) {
      breaks("more is asked for than is read");
    }
    breaks(flood_.problem());  // what the library cuts by itself comes as no frame
    return problem_.empty() ? static_cast<size_t>(used) : bytes.size();
  }

  std::vector<News> take_news() {
    for (const News& each : news_) {
      if (Stream* stream = stream_of(each.stream)) {
        stream->told_of_body = false;
      }
    }
    return std::exchange(news_, {});
  }

  bool is_open(StreamId id) const { return streams_.contains(id); }
  const Request& request(StreamId id) const { return open(id).request; }
  size_t head_bytes(StreamId id) const { return open(id).head_bytes; }
  size_t waiting_head_bytes() const { return waiting_head_bytes_; }
  const Refusal& refusal(StreamId id) const { return open(id).refusal; }
  Request take(StreamId id) {
    Stream* stream = stream_of(id);
    CHECK(stream != nullptr && stream->complete, "take() what is complete");
    Request request = std::move(stream->request);
    drop_request(*stream);
    return request;
  }

  void mark_refused(StreamId id) {
    if (Stream* stream = stream_of(id)) {
      stream->counts_as_refused = true;
    }
  }

  void welcome_body(StreamId id) {
    const Stream* stream = stream_of(id);
    const auto expects =
        stream == nullptr ? std::nullopt : find_header(stream->request.headers, "expect");
    if (expects && same_ignoring_case(*expects, "100-continue")) {
      const nghttp2_nv status = make_field<nghttp2_nv>(":status", "100");
      must(nghttp2_submit_headers(session_.get(), NGHTTP2_FLAG_NONE, id, nullptr, &status, 1,
                                  nullptr));
    }
  }

  void set_date(std::string_view date) { date_ = date; }

  void respond(StreamId id, int status, const Headers& headers, Chunk body) {
    Stream* stream = stream_of(id);
    if (stream == nullptr) {
      return;
    }
    drop_request(*stream);
    const std::string length = std::to_string(body->size());
    const bool has_body = may_have_body(stream->method, status) && !body->empty();
    if (has_body) {
      stream->body.add(std::move(body));
    }
    stream->ended = true;
    submit(id, status, headers, status == 204 || status == 304 ? "" : length, has_body);
  }

  void start(StreamId id, int status, const Headers& headers, bool has_body) {
    if (Stream* stream = stream_of(id)) {
      drop_request(*stream);
      submit(id, status, headers, "", has_body);
    }
  }

  void write(StreamId id, Chunk chunk) {
    if (Stream* stream = stream_of(id); stream != nullptr && !chunk->empty()) {
      stream->body.add(std::move(chunk));
      resume(id);
    }
  }

  void finish(StreamId id) {
    if (Stream* stream = stream_of(id)) {
      stream->ended = true;
      resume(id);
    }
  }

  void cut(StreamId id) {
    if (Stream* stream = stream_of(id)) {
      stream->cut = true;
      reset(id, NGHTTP2_INTERNAL_ERROR);
    }
  }

  size_t unsent(StreamId id) const {
    const auto found = streams_.find(id);
    return found == streams_.end() ? 0 : found->second.body.unsent();
  }
  std::vector<Sent> take_sent() { return std::exchange(sent_, {}); }

  std::string_view output() {
    while (buffer_.size() - taken_ < kOutputBytes) {
      const uint8_t* bytes = nullptr;
      const ssize_t size = nghttp2_session_mem_send(session_.get(), &bytes);
      if (size < 0) {
        breaks(nghttp2_strerror(static_cast<int>(size)));
      }
      if (size <= 0) {
        break;
      }
      buffer_.append(text_of(bytes, static_cast<size_t>(size)));
    }
    return std::string_view(buffer_).substr(taken_);
  }

  void written(size_t bytes) {
    CHECK(bytes <= buffer_.size() - taken_, "no more is written than there is");
    taken_ += bytes;
    // Also where it never runs empty: what is written is gone.
    if (taken_ == buffer_.size() || taken_ >= kOutputBytes) {
      buffer_.erase(0, taken_);
      taken_ = 0;
    }
  }

  void go_away() {
    going_away_ = true;
    must(nghttp2_submit_goaway(session_.get(), NGHTTP2_FLAG_NONE,
                               nghttp2_session_get_last_proc_stream_id(session_.get()),
                               NGHTTP2_NO_ERROR, nullptr, 0));
  }
  size_t open_streams() const { return streams_.size(); }
  bool finished() const {
    return !problem_.empty() || nghttp2_session_want_read(session_.get()) == 0;
  }
  const std::string& problem() const { return problem_; }

 private:
  struct Stream {
    Request request = {};
    std::string method = {};  // stays when the request is taken
    size_t head_bytes = 0;
    size_t kept_head_bytes = 0;  // of them, as long as the request is here
    bool complete = false;
    bool is_oversize = false;  // its head, of which nothing is kept
    bool told_of_body = false;
    bool counts_as_refused = false;
    Refusal refusal = {};

    AnswerBody body = {};
    bool ended = false;  // nothing more will be added
    bool sent = false;   // and the end of it is on its way
    bool cut = false;    // by us

    bool is_refused() const { return refusal.status != 0; }
    Http2FloodGuard::End end() const {
      using End = Http2FloodGuard::End;
      if (counts_as_refused) {
        return End::refused;
      }
      return sent ? End::answered : cut ? End::cut : End::taken_back;
    }
  };

  static Nghttp2Callbacks make_callbacks() {
    nghttp2_session_callbacks* made = nullptr;
    must(nghttp2_session_callbacks_new(&made));
    Nghttp2Callbacks callbacks(made);
    nghttp2_session_callbacks_set_on_begin_headers_callback(made, on_begin_headers);
    nghttp2_session_callbacks_set_on_header_callback(made, on_header);
    nghttp2_session_callbacks_set_on_frame_recv_callback(made, on_frame);
    nghttp2_session_callbacks_set_on_invalid_frame_recv_callback(made, on_invalid_frame);
    nghttp2_session_callbacks_set_on_frame_send_callback(made, on_frame_sent);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(made, on_data);
    nghttp2_session_callbacks_set_on_stream_close_callback(made, on_stream_close);
    return callbacks;
  }

  Nghttp2Option make_option() const {
    nghttp2_option* made = nullptr;
    must(nghttp2_option_new(&made));
    Nghttp2Option option(made);
    nghttp2_option_set_no_closed_streams(made, 1);
    nghttp2_option_set_max_outbound_ack(made, limits_.unsent_acknowledgements);
    // Ours counts more than the resets that come, and forgives what was answered.
    nghttp2_option_set_stream_reset_rate_limit(made, UINT64_MAX, UINT64_MAX);
    return option;
  }

  static Impl& self(void* user_data) { return *static_cast<Impl*>(user_data); }
  Stream* stream_of(StreamId id) {
    const auto found = streams_.find(id);
    return found == streams_.end() ? nullptr : &found->second;
  }
  const Stream& open(StreamId id) const {
    const auto found = streams_.find(id);
    CHECK(found != streams_.end(), "a stream that is open");
    return found->second;
  }

  // What of it was not taken is not needed any more.
  void drop_request(Stream& stream) {
    stream.request = {};
    waiting_head_bytes_ -= std::exchange(stream.kept_head_bytes, 0);
  }

  void breaks(std::string why) {
    if (problem_.empty()) {
      problem_ = std::move(why);
    }
  }
  void tell(StreamId id, Step step) { news_.push_back({id, step}); }
  void reset(StreamId id, uint32_t code) {
    must(nghttp2_submit_rst_stream(session_.get(), NGHTTP2_FLAG_NONE, id, code));
  }
  // Fails where nothing waits for more, which is no matter.
  void resume(StreamId id) { nghttp2_session_resume_data(session_.get(), id); }

  void submit(StreamId id, int status, const Headers& headers, std::string_view length,
              bool has_body) {
    const std::string code = std::to_string(status);
    const Headers clean = lower_case_headers(headers);
    std::vector<nghttp2_nv> fields = {make_field<nghttp2_nv>(":status", code)};
    for (const auto& [name, value] : clean) {
      fields.push_back(make_field<nghttp2_nv>(name, value));
    }
    if (!date_.empty()) {
      fields.push_back(make_field<nghttp2_nv>("date", date_));
    }
    if (!length.empty()) {
      fields.push_back(make_field<nghttp2_nv>("content-length", length));
    }
    nghttp2_data_provider provider = {};
    provider.read_callback = read_answer;
    if (!has_body) {
      stream_of(id)->ended = true;
    }
    must(nghttp2_submit_response(session_.get(), id, fields.data(), fields.size(),
                                 has_body ? &provider : nullptr));
  }

  void refuse(StreamId id, Stream& stream, Refusal refusal) {
    if (stream.is_refused()) {
      return;
    }
    stream.refusal = std::move(refusal);
    stream.counts_as_refused = true;
    drop_request(stream);
    tell(id, Step::refused);
  }

  bool is_bearable(bool says_nothing) {
    flood_.on_frame(says_nothing);
    breaks(flood_.problem());
    return problem_.empty();
  }

  static ssize_t read_answer(nghttp2_session* /*session*/, StreamId id, uint8_t* out, size_t room,
                             uint32_t* flags, nghttp2_data_source* /*source*/, void* user_data) {
    Impl& impl = self(user_data);
    Stream* stream = impl.stream_of(id);
    if (stream == nullptr) {
      return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
    }
    const size_t filled = stream->body.take(out, room);
    if (filled > 0) {
      impl.sent_.push_back({id, filled});
    }
    if (stream->body.empty() && stream->ended) {
      *flags |= NGHTTP2_DATA_FLAG_EOF;
    } else if (filled == 0) {
      return NGHTTP2_ERR_DEFERRED;
    }
    return static_cast<ssize_t>(filled);
  }

  static int on_begin_headers(nghttp2_session* /*session*/, const nghttp2_frame* frame,
                              void* user_data) {
    Impl& impl = self(user_data);
    // Those behind the last one that a GOAWAY names are for another connection, also while it waits
    // to be written.
    if (frame->headers.cat == NGHTTP2_HCAT_REQUEST && !impl.going_away_) {
      impl.streams_[frame->hd.stream_id] = {};
    }
    return 0;
  }

  static int on_header(nghttp2_session* /*session*/, const nghttp2_frame* frame,
                       const uint8_t* name, size_t name_size, const uint8_t* value,
                       size_t value_size, uint8_t /*flags*/, void* user_data) {
    Impl& impl = self(user_data);
    impl.fed_head_bytes_ += name_size + value_size;
    const int after =
        impl.fed_head_bytes_ < impl.limits_.head_bytes_per_feed ? 0 : int{NGHTTP2_ERR_PAUSE};
    Stream* stream = impl.stream_of(frame->hd.stream_id);
    if (stream == nullptr) {
      return after;
    }
    const ParserLimits& limits = impl.limits_.request;
    stream->head_bytes += name_size + value_size;
    if (stream->head_bytes > kOversizeFactor * limits.head_bytes) {
      impl.drop_request(*stream);
      return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;  // ends the stream alone
    }
    // Trailers tell us nothing, and what is refused once it is there is not kept.
    if (frame->headers.cat == NGHTTP2_HCAT_REQUEST && !stream->is_oversize) {
      impl.keep_field(*stream, text_of(name, name_size), text_of(value, value_size));
    }
    return after;
  }

  void keep_field(Stream& stream, std::string_view name, std::string_view value) {
    const size_t bytes = name.size() + value.size();
    if (stream.head_bytes > limits_.request.head_bytes ||
        waiting_head_bytes_ + bytes > limits_.waiting_head_bytes) {
      stream.is_oversize = true;
      stream.method = stream.request.method;
      drop_request(stream);
      return;
    }
    stream.kept_head_bytes += bytes;
    waiting_head_bytes_ += bytes;
    take_field(stream, name, value);
  }

  void take_field(Stream& stream, std::string_view name, std::string_view value) {
    Request& request = stream.request;
    if (name == ":method") {
      request.method = value;
    } else if (name == ":path") {
      request.target = value;
    } else if (request.headers.size() <= limits_.request.headers && name != ":scheme") {
      request.headers.push_back(
          {std::string(name == ":authority" ? "host" : name), std::string(value)});
    }
  }

  static int on_frame(nghttp2_session* /*session*/, const nghttp2_frame* frame, void* user_data) {
    Impl& impl = self(user_data);
    const StreamId id = frame->hd.stream_id;
    const bool ends = (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0;
    bool says_nothing = false;
    switch (frame->hd.type) {
      case NGHTTP2_HEADERS:
        impl.on_head(id, frame->headers.cat == NGHTTP2_HCAT_REQUEST, ends);
        break;
      case NGHTTP2_DATA:
        says_nothing = frame->hd.length == 0 && !ends;
        if (ends) {
          impl.on_end(id);
        }
        break;
      case NGHTTP2_RST_STREAM:
        break;  // counted when the stream closes
      default:
        says_nothing = true;
        break;
    }
    return impl.is_bearable(says_nothing) ? 0 : NGHTTP2_ERR_CALLBACK_FAILURE;
  }

  void on_head(StreamId id, bool of_request, bool ends) {
    Stream* stream = stream_of(id);
    if (stream == nullptr) {
      return;
    }
    if (of_request) {
      look_at_head(id, *stream);
    }
    if (ends) {
      on_end(id);
    } else if (of_request && !stream->is_refused()) {
      tell(id, Step::head);
    }
  }

  void look_at_head(StreamId id, Stream& stream) {
    if (stream.is_oversize) {
      return refuse(id, stream, head_too_large(limits_.request));
    }
    stream.method = stream.request.method;
    if (auto refusal = refusal_of(stream.request, limits_.request)) {
      refuse(id, stream, *std::move(refusal));
    }
  }

  void on_end(StreamId id) {
    Stream* stream = stream_of(id);
    if (stream != nullptr && !stream->is_refused() && !stream->complete) {
      stream->complete = true;
      tell(id, Step::complete);
    }
  }

  static int on_data(nghttp2_session* /*session*/, uint8_t /*flags*/, StreamId id,
                     const uint8_t* bytes, size_t size, void* user_data) {
    Impl& impl = self(user_data);
    Stream* stream = impl.stream_of(id);
    if (stream == nullptr || stream->is_refused() || stream->ended) {
      return 0;  // answered already: what comes is dropped
    }
    std::string& body = stream->request.body;
    if (body.size() + size > impl.limits_.request.body_bytes) {
      impl.refuse(id, *stream, body_too_large(impl.limits_.request));
      return 0;
    }
    body.append(text_of(bytes, size));
    if (!std::exchange(stream->told_of_body, true)) {
      impl.tell(id, Step::body);
    }
    return 0;
  }

  // The library refuses it, by itself and for this stream alone: one over the limit, or a head that
  // is none. The user of the session does not hear of it.
  static int on_invalid_frame(nghttp2_session* /*session*/, const nghttp2_frame* frame,
                              int /*error*/, void* user_data) {
    Impl& impl = self(user_data);
    Stream* stream = impl.stream_of(frame->hd.stream_id);
    if (stream == nullptr) {
      impl.flood_.on_broken_request();  // the others are counted when they close
    } else if (!stream->complete) {
      impl.drop_request(*stream);  // who was told of a whole one takes it
    }
    return impl.is_bearable(false) ? 0 : NGHTTP2_ERR_CALLBACK_FAILURE;
  }

  // A client that still sends its body when it has the answer may stop.
  static int on_frame_sent(nghttp2_session* session, const nghttp2_frame* frame, void* user_data) {
    Impl& impl = self(user_data);
    const bool data_or_head = frame->hd.type == NGHTTP2_HEADERS || frame->hd.type == NGHTTP2_DATA;
    if (data_or_head) {
      impl.flood_.on_answer_frame();
    }
    if (!data_or_head || (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) == 0) {
      return 0;
    }
    const StreamId id = frame->hd.stream_id;
    if (Stream* stream = impl.stream_of(id)) {
      stream->sent = true;
      if (nghttp2_session_get_stream_remote_close(session, id) == 0) {
        impl.reset(id, NGHTTP2_NO_ERROR);
      }
    }
    return 0;
  }

  static int on_stream_close(nghttp2_session* /*session*/, StreamId id, uint32_t /*error*/,
                             void* user_data) {
    Impl& impl = self(user_data);
    if (const auto found = impl.streams_.find(id); found != impl.streams_.end()) {
      Stream& stream = found->second;
      impl.tell(id, stream.sent ? Step::over : Step::taken_back);
      impl.flood_.on_end(stream.end(), stream.sent, stream.head_bytes);
      impl.drop_request(stream);
      impl.streams_.erase(found);
    }
    return 0;
  }

  const Http2ServerLimits limits_;
  Http2FloodGuard flood_{limits_.flood};
  std::string date_;
  Nghttp2Session session_;
  std::map<StreamId, Stream> streams_;
  std::vector<News> news_;
  std::vector<Sent> sent_;
  std::string buffer_;  // made and not written, from taken_ on
  size_t taken_ = 0;
  size_t waiting_head_bytes_ = 0;  // of all streams
  size_t fed_head_bytes_ = 0;      // by the present feed()
  bool going_away_ = false;
  std::string problem_;  // set: it is over
};

Http2ServerSession::Http2ServerSession(const Http2ServerLimits& limits)
    : impl_(std::make_unique<Impl>(limits)) {}
Http2ServerSession::~Http2ServerSession() = default;

size_t Http2ServerSession::feed(std::string_view bytes) {
  return impl_->feed(bytes);
}
std::vector<Http2ServerSession::News> Http2ServerSession::take_news() {
  return impl_->take_news();
}
bool Http2ServerSession::is_open(StreamId stream) const {
  return impl_->is_open(stream);
}
const Request& Http2ServerSession::request(StreamId stream) const {
  return impl_->request(stream);
}
size_t Http2ServerSession::head_bytes(StreamId stream) const {
  return impl_->head_bytes(stream);
}
size_t Http2ServerSession::waiting_head_bytes() const {
  return impl_->waiting_head_bytes();
}
const Refusal& Http2ServerSession::refusal(StreamId stream) const {
  return impl_->refusal(stream);
}
Request Http2ServerSession::take(StreamId stream) {
  return impl_->take(stream);
}
void Http2ServerSession::mark_refused(StreamId stream) {
  impl_->mark_refused(stream);
}
void Http2ServerSession::welcome_body(StreamId stream) {
  impl_->welcome_body(stream);
}
void Http2ServerSession::set_date(std::string_view date) {
  impl_->set_date(date);
}
void Http2ServerSession::respond(StreamId stream, int status, const Headers& headers, Chunk body) {
  impl_->respond(stream, status, headers, std::move(body));
}
void Http2ServerSession::start(StreamId stream, int status, const Headers& headers, bool has_body) {
  impl_->start(stream, status, headers, has_body);
}
void Http2ServerSession::write(StreamId stream, Chunk chunk) {
  impl_->write(stream, std::move(chunk));
}
void Http2ServerSession::finish(StreamId stream) {
  impl_->finish(stream);
}
void Http2ServerSession::cut(StreamId stream) {
  impl_->cut(stream);
}
size_t Http2ServerSession::unsent(StreamId stream) const {
  return impl_->unsent(stream);
}
std::vector<Http2ServerSession::Sent> Http2ServerSession::take_sent() {
  return impl_->take_sent();
}
std::string_view Http2ServerSession::output() {
  return impl_->output();
}
void Http2ServerSession::written(size_t bytes) {
  impl_->written(bytes);
}
void Http2ServerSession::go_away() {
  impl_->go_away();
}
size_t Http2ServerSession::open_streams() const {
  return impl_->open_streams();
}
bool Http2ServerSession::finished() const {
  return impl_->finished();
}
const std::string& Http2ServerSession::problem() const {
  return impl_->problem();
}

}  // namespace windlass::http
