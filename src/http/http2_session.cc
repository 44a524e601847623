#include "http/http2_session.h"

#include <fmt/format.h>
#include <nghttp2/nghttp2.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <utility>

#include "base/check.h"
#include "http/nghttp2_handles.h"

namespace windlass::http {
namespace {

constexpr int32_t kDefaultWindow = NGHTTP2_INITIAL_CONNECTION_WINDOW_SIZE;

}  // namespace

class Http2Session::Impl {
 public:
  explicit Impl(const Http2Limits& limits) : limits_(limits) {
    const auto callbacks = make_callbacks();
    const auto option = make_option();
    nghttp2_session* session = nullptr;
    CHECK(nghttp2_session_client_new2(&session, callbacks.get(), this, option.get()) == 0,
          "memory for an HTTP/2 session");
    session_.reset(session);
    const std::array<nghttp2_settings_entry, 3> settings = {{
        {NGHTTP2_SETTINGS_ENABLE_PUSH, 0},
        {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, static_cast<uint32_t>(limits.stream_window)},
        {NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, static_cast<uint32_t>(limits.head_bytes)},
    }};
    must(nghttp2_submit_settings(session, NGHTTP2_FLAG_NONE, settings.data(), settings.size()));
    if (limits.connection_window > kDefaultWindow) {
      must(nghttp2_session_set_local_window_size(session, NGHTTP2_FLAG_NONE, 0,
                                                 limits.connection_window));
    }
  }

  size_t room() const {
    if (going_away_ || finished() || nghttp2_session_check_request_allowed(session_.get()) == 0) {
      return 0;
    }
    const size_t told = settings_seen_
                            ? nghttp2_session_get_remote_settings(
                                  session_.get(), NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS)
                            : kStreamsBeforeSettings;
    const size_t most = std::min(limits_.streams, told);
    return most > open_ ? most - open_ : 0;
  }

  size_t open_streams() const { return open_; }

  StreamId open(std::span<const Field> fields, std::string body) {
    CHECK(room() > 0, "no more requests than are allowed");
    fields_.clear();
    for (const Field& field : fields) {
      fields_.push_back(make_field<nghttp2_nv>(field.name, field.value));
    }
    nghttp2_data_provider provider = {};
    provider.read_callback = read_body;
    const StreamId id =
        nghttp2_submit_request(session_.get(), nullptr, fields_.data(), fields_.size(),
                               body.empty() ? nullptr : &provider, nullptr);
    CHECK(id > 0, "a request can be submitted");
    streams_[id].request_body = std::move(body);
    ++open_;
    return id;
  }

  bool cancel(StreamId id) {
    const auto found = streams_.find(id);
    if (found == streams_.end()) {
      return true;
    }
    // What is in the buffer goes out before the cancellation does.
    const bool begun = found->second.begun;
    if (found->second.answer.state == State::open) {
      reset(id);
    }
    forget(id);
    return begun;
  }

  void feed(std::string_view bytes) {
    if (finished()) {
      return;
    }
    const ssize_t used = nghttp2_session_mem_recv(session_.get(), bytes_of(bytes), bytes.size());
    if (used < 0) {
      breaks(fmt::format("the server breaks HTTP/2: {}", nghttp2_strerror(static_cast<int>(used))));
    }
    look_for_the_end();
  }

  void end(const std::string& why) {
    breaks(why);
    for (auto& [id, stream] : streams_) {
      lose(id, stream, problem_, false);
    }
  }

  std::vector<StreamId> take_news() {
    for (const StreamId id : news_) {
      if (const auto found = streams_.find(id); found != streams_.end()) {
        found->second.has_news = false;
      }
    }
    return std::exchange(news_, {});
  }

  Answer* find(StreamId id) {
    const auto found = streams_.find(id);
    return found == streams_.end() ? nullptr : &found->second.answer;
  }

  void forget(StreamId id) {
    const auto found = streams_.find(id);
    if (found != streams_.end()) {
      open_ -= found->second.answer.state == State::open ? size_t{1} : size_t{0};
      streams_.erase(found);
    }
  }

  bool certainly_not_applied(StreamId id) const {
    const auto found = streams_.find(id);
    return found != streams_.end() && (found->second.answer.refused || !found->second.begun ||
                                       found->second.begins_at >= written_);
  }

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
      produced_ += static_cast<uint64_t>(size);
    }
    look_for_the_end();
    return std::string_view(buffer_).substr(taken_);
  }

  void written(size_t bytes) {
    CHECK(bytes <= buffer_.size() - taken_, "no more is written than there is");
    taken_ += bytes;
    written_ += bytes;
    if (taken_ == buffer_.size()) {
      buffer_.clear();
      taken_ = 0;
    } else if (taken_ > kOutputBytes) {
      buffer_.erase(0, taken_);
      taken_ = 0;
    }
  }

  void ping() { must(nghttp2_submit_ping(session_.get(), NGHTTP2_FLAG_NONE, nullptr)); }
  uint64_t pings_answered() const { return pings_answered_; }
  bool going_away() const { return going_away_; }
  bool finished() const { return !problem_.empty(); }
  const std::string& problem() const { return problem_; }

 private:
  struct Stream {
    Answer answer;
    std::string request_body;
    size_t body_sent = 0;    // of it, given to the library
    bool begun = false;      // its head is among the bytes made so far
    uint64_t begins_at = 0;  // where, of all bytes of the connection
    bool has_news = false;
    size_t head_bytes = 0;
    size_t interim = 0;
  };
  static Nghttp2Callbacks make_callbacks() {
    nghttp2_session_callbacks* made = nullptr;
    must(nghttp2_session_callbacks_new(&made));
    Nghttp2Callbacks callbacks(made);
    nghttp2_session_callbacks_set_before_frame_send_callback(made, before_frame);
    nghttp2_session_callbacks_set_on_frame_not_send_callback(made, on_frame_not_sent);
    nghttp2_session_callbacks_set_on_invalid_frame_recv_callback(made, on_invalid_frame);
    nghttp2_session_callbacks_set_on_begin_headers_callback(made, on_begin_headers);
    nghttp2_session_callbacks_set_on_header_callback(made, on_header);
    nghttp2_session_callbacks_set_on_frame_recv_callback(made, on_frame);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(made, on_data);
    nghttp2_session_callbacks_set_on_stream_close_callback(made, on_stream_close);
    return callbacks;
  }

  Nghttp2Option make_option() const {
    nghttp2_option* made = nullptr;
    must(nghttp2_option_new(&made));
    Nghttp2Option option(made);
    nghttp2_option_set_no_closed_streams(made, 1);
    nghttp2_option_set_max_reserved_remote_streams(made, 0);  // nothing is to be pushed
    nghttp2_option_set_max_outbound_ack(made, limits_.unsent_acknowledgements);
    return option;
  }

  static Impl& self(void* user_data) { return *static_cast<Impl*>(user_data); }
  Stream* stream_of(StreamId id) {
    const auto found = streams_.find(id);
    return found == streams_.end() ? nullptr : &found->second;
  }

  void breaks(std::string why) {
    if (problem_.empty()) {
      problem_ = std::move(why);
    }
  }

  // What was wrong is known at once; that it is over, when the server has been told so.
  void look_for_the_end() {
    if (nghttp2_session_want_read(session_.get()) == 0) {
      breaks(going_away_ ? "the server has ended the connection"
                         : "the server breaks HTTP/2" + invalid_);
    }
  }

  void reset(StreamId id) {
    must(nghttp2_submit_rst_stream(session_.get(), NGHTTP2_FLAG_NONE, id, NGHTTP2_CANCEL));
  }

  void tell(StreamId id, Stream& stream) {
    if (!std::exchange(stream.has_news, true)) {
      news_.push_back(id);
    }
  }

  void lose(StreamId id, Stream& stream, std::string why, bool refused) {
    if (stream.answer.state == State::open) {
      stream.answer.state = State::lost;
      stream.answer.problem = std::move(why);
      stream.answer.refused = refused;
      --open_;
      tell(id, stream);
    }
  }

  void complete(StreamId id, Stream& stream) {
    if (stream.answer.state != State::open) {
      return;
    }
    if (!stream.answer.has_head) {
      return lose(id, stream, "the server has ended its answer before it began", false);
    }
    stream.answer.state = State::complete;
    --open_;
    tell(id, stream);
    // A server that has answered early does not need the rest.
    if (nghttp2_session_get_stream_local_close(session_.get(), id) == 0) {
      reset(id);
    }
  }

  // False for one too many.
  bool is_bearable(bool says_nothing) {
    idle_frames_ = says_nothing ? idle_frames_ + 1 : 0;
    if (idle_frames_ > limits_.idle_frames) {
      breaks("the server sends frames that say nothing, too many in a row");
      return false;
    }
    return true;
  }

  static ssize_t read_body(nghttp2_session* /*session*/, StreamId id, uint8_t* out, size_t room,
                           uint32_t* flags, nghttp2_data_source* /*source*/, void* user_data) {
    Stream* stream = self(user_data).stream_of(id);
    if (stream == nullptr) {
      return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
    }
    const std::string_view rest = std::string_view(stream->request_body).substr(stream->body_sent);
    const size_t taken = std::min(room, rest.size());
    std::memcpy(out, rest.data(), taken);
    stream->body_sent += taken;
    if (taken == rest.size()) {
      *flags |= NGHTTP2_DATA_FLAG_EOF;
    }
    return static_cast<ssize_t>(taken);
  }

  static int before_frame(nghttp2_session* /*session*/, const nghttp2_frame* frame,
                          void* user_data) {
    Impl& impl = self(user_data);
    if (frame->hd.type == NGHTTP2_HEADERS) {
      if (Stream* stream = impl.stream_of(frame->hd.stream_id)) {
        stream->begun = true;
        stream->begins_at = impl.produced_;
      }
    }
    return 0;
  }

  static int on_frame_not_sent(nghttp2_session* /*session*/, const nghttp2_frame* frame, int error,
                               void* user_data) {
    Impl& impl = self(user_data);
    if (frame->hd.type == NGHTTP2_HEADERS) {
      if (Stream* stream = impl.stream_of(frame->hd.stream_id)) {
        impl.lose(frame->hd.stream_id, *stream,
                  fmt::format("it could not be sent: {}", nghttp2_strerror(error)), true);
      }
    }
    return 0;
  }

  // Remembered for what is said when it turns out to have broken the connection.
  static int on_invalid_frame(nghttp2_session* /*session*/, const nghttp2_frame* /*frame*/,
                              int error, void* user_data) {
    self(user_data).invalid_ = std::string(": ") + nghttp2_strerror(error);
    return 0;
  }

  static int on_begin_headers(nghttp2_session* /*session*/, const nghttp2_frame* frame,
                              void* user_data) {
    if (Stream* stream = self(user_data).stream_of(frame->hd.stream_id)) {
      stream->head_bytes = 0;
      if (!stream->answer.has_head) {
        stream->answer.status = 0;
        stream->answer.headers.clear();
      }
    }
    return 0;
  }

  static int on_header(nghttp2_session* /*session*/, const nghttp2_frame* frame,
                       const uint8_t* name, size_t name_size, const uint8_t* value,
                       size_t value_size, uint8_t /*flags*/, void* user_data) {
    const Impl& impl = self(user_data);
    Stream* stream = self(user_data).stream_of(frame->hd.stream_id);
    if (stream == nullptr) {
      return 0;
    }
    Answer& answer = stream->answer;
    stream->head_bytes += name_size + value_size;
    if (stream->head_bytes > impl.limits_.head_bytes ||
        answer.headers.size() == impl.limits_.headers) {
      return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;  // ends the stream alone
    }
    if (answer.has_head) {
      return 0;  // trailers tell us nothing
    }
    const std::string_view text = text_of(value, value_size);
    const std::string_view field = text_of(name, name_size);
    if (field == ":status") {  // three digits, as the library has seen
      answer.status = (text[0] - '0') * 100 + (text[1] - '0') * 10 + (text[2] - '0');
    } else {
      answer.headers.push_back({std::string(field), std::string(text)});
    }
    return 0;
  }

  static int on_frame(nghttp2_session* /*session*/, const nghttp2_frame* frame, void* user_data) {
    Impl& impl = self(user_data);
    const StreamId id = frame->hd.stream_id;
    bool says_nothing = false;
    switch (frame->hd.type) {
      case NGHTTP2_HEADERS:
        impl.on_head(id);
        break;
      case NGHTTP2_DATA:
        says_nothing = frame->hd.length == 0 && (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) == 0;
        break;
      case NGHTTP2_SETTINGS:
        impl.settings_seen_ = true;
        says_nothing = true;
        break;
      case NGHTTP2_PING:
        impl.pings_answered_ += (frame->hd.flags & NGHTTP2_FLAG_ACK) != 0 ? 1 : 0;
        says_nothing = true;
        break;
      case NGHTTP2_GOAWAY:
        impl.going_away_ = true;
        break;
      default:
        says_nothing = true;
        break;
    }
    const bool data_or_head = frame->hd.type == NGHTTP2_HEADERS || frame->hd.type == NGHTTP2_DATA;
    if (data_or_head && (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0) {
      if (Stream* stream = impl.stream_of(id)) {
        impl.complete(id, *stream);
      }
    }
    return impl.is_bearable(says_nothing) ? 0 : NGHTTP2_ERR_CALLBACK_FAILURE;
  }

  void on_head(StreamId id) {
    Stream* stream = stream_of(id);
    if (stream == nullptr || stream->answer.has_head) {
      return;
    }
    if (stream->answer.status < 200) {
      if (++stream->interim > limits_.interim_answers) {
        lose(id, *stream, "too many interim answers", false);
        reset(id);
      }
      return;
    }
    stream->answer.has_head = true;
    tell(id, *stream);
  }

  static int on_data(nghttp2_session* /*session*/, uint8_t /*flags*/, StreamId id,
                     const uint8_t* bytes, size_t size, void* user_data) {
    Impl& impl = self(user_data);
    Stream* stream = impl.stream_of(id);
    if (stream != nullptr && stream->answer.state == State::open) {
      stream->answer.body.append(text_of(bytes, size));
      impl.tell(id, *stream);
    }
    return 0;
  }

  static int on_stream_close(nghttp2_session* /*session*/, StreamId id, uint32_t error,
                             void* user_data) {
    Impl& impl = self(user_data);
    if (Stream* stream = impl.stream_of(id)) {
      // Also those beyond the last one of a GOAWAY are closed so.
      const bool refused = error == NGHTTP2_REFUSED_STREAM && !stream->answer.has_head;
      impl.lose(id, *stream,
                fmt::format("the request was ended: {}", nghttp2_http2_strerror(error)), refused);
    }
    return 0;
  }

  const Http2Limits limits_;
  Nghttp2Session session_;
  std::map<StreamId, Stream> streams_;
  size_t open_ = 0;  // of streams_
  std::vector<StreamId> news_;
  std::vector<nghttp2_nv> fields_;  // of one call, kept for the next
  std::string buffer_;              // made and not written, from taken_ on
  size_t taken_ = 0;
  uint64_t produced_ = 0;  // bytes of the connection
  uint64_t written_ = 0;
  bool settings_seen_ = false;
  bool going_away_ = false;
  size_t idle_frames_ = 0;
  uint64_t pings_answered_ = 0;
  std::string invalid_;  // what was wrong with the last wrong frame
  std::string problem_;  // set: it is over
};

Http2Session::Http2Session(const Http2Limits& limits) : impl_(std::make_unique<Impl>(limits)) {}
Http2Session::~Http2Session() = default;

size_t Http2Session::room() const {
  return impl_->room();
}
size_t Http2Session::open_streams() const {
  return impl_->open_streams();
}
Http2Session::StreamId Http2Session::open(std::span<const Field> fields, std::string body) {
  return impl_->open(fields, std::move(body));
}
bool Http2Session::cancel(StreamId stream) {
  return impl_->cancel(stream);
}
void Http2Session::feed(std::string_view bytes) {
  impl_->feed(bytes);
}
void Http2Session::end(const std::string& why) {
  impl_->end(why);
}
std::vector<Http2Session::StreamId> Http2Session::take_news() {
  return impl_->take_news();
}
Http2Session::Answer* Http2Session::find(StreamId stream) {
  return impl_->find(stream);
}
void Http2Session::forget(StreamId stream) {
  impl_->forget(stream);
}
bool Http2Session::certainly_not_applied(StreamId stream) const {
  return impl_->certainly_not_applied(stream);
}
std::string_view Http2Session::output() {
  return impl_->output();
}
void Http2Session::written(size_t bytes) {
  impl_->written(bytes);
}
void Http2Session::ping() {
  impl_->ping();
}
uint64_t Http2Session::pings_answered() const {
  return impl_->pings_answered();
}
bool Http2Session::going_away() const {
  return impl_->going_away();
}
bool Http2Session::finished() const {
  return impl_->finished();
}
const std::string& Http2Session::problem() const {
  return impl_->problem();
}

}  // namespace windlass::http
