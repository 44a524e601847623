// For tests only: the server's side of an HTTP/2 connection without I/O, which says what it is told
// to say, also what no good server would.
#pragma once

#include <gtest/gtest.h>
#include <nghttp2/nghttp2.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace windlass::http::testing {

class Http2Server {
 public:
  struct Request {
    std::map<std::string, std::string> headers = {};
    std::string body = {};
    bool whole = false;
    bool has_head = false;
    uint32_t reset = 0;  // by the client, with this code
  };
  struct Settings {
    uint32_t streams = 100;
    int32_t window = 65535;  // for the body of each request
    bool takes_bodies = true;
  };

  Http2Server() : Http2Server(Settings()) {}
  explicit Http2Server(const Settings& settings) {
    nghttp2_session_callbacks* callbacks = nullptr;
    nghttp2_session_callbacks_new(&callbacks);
    nghttp2_session_callbacks_set_on_header_callback(callbacks, on_header);
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, on_frame);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, on_data);
    nghttp2_option* option = nullptr;
    nghttp2_option_new(&option);
    nghttp2_option_set_no_auto_window_update(option, settings.takes_bodies ? 0 : 1);
    nghttp2_option_set_no_http_messaging(option, 1);  // it may say anything
    nghttp2_option_set_max_send_header_block_length(option, size_t{1} << 20);
    nghttp2_session_server_new2(&session_, callbacks, this, option);
    nghttp2_option_del(option);
    nghttp2_session_callbacks_del(callbacks);
    const nghttp2_settings_entry entries[] = {
        {NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, settings.streams},
        {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, static_cast<uint32_t>(settings.window)}};
    nghttp2_submit_settings(session_, NGHTTP2_FLAG_NONE, entries, 2);
  }
  ~Http2Server() { nghttp2_session_del(session_); }
  Http2Server(const Http2Server&) = delete;
  Http2Server& operator=(const Http2Server&) = delete;

  // False once the client breaks HTTP/2.
  bool feed(std::string_view bytes) {
    return nghttp2_session_mem_recv(session_, reinterpret_cast<const uint8_t*>(bytes.data()),
                                    bytes.size()) >= 0;
  }
  std::string output() {
    std::string all;
    const uint8_t* bytes = nullptr;
    for (ssize_t size = 0; (size = nghttp2_session_mem_send(session_, &bytes)) > 0;) {
      all.append(reinterpret_cast<const char*>(bytes), static_cast<size_t>(size));
    }
    return all;
  }

  // The head of an answer whose body follows with say() and ends with end().
  void begin(int32_t stream, int status, const std::string& type = "application/json",
             std::vector<std::pair<std::string, std::string>> more = {}) {
    more.insert(more.begin(), {{":status", std::to_string(status)}, {"content-type", type}});
    answers_[stream] = {};
    nghttp2_data_provider provider = {};
    provider.read_callback = read_answer;
    auto fields = to_fields(more);
    EXPECT_EQ(nghttp2_submit_response(session_, stream, fields.data(), fields.size(), &provider),
              0);
  }
  void interim(int32_t stream, int status) {
    std::vector<std::pair<std::string, std::string>> head = {{":status", std::to_string(status)}};
    auto fields = to_fields(head);
    nghttp2_submit_headers(session_, NGHTTP2_FLAG_NONE, stream, nullptr, fields.data(),
                           fields.size(), nullptr);
  }
  void say(int32_t stream, std::string_view bytes) {
    answers_[stream].bytes += bytes;
    nghttp2_session_resume_data(session_, stream);
  }
  void end(int32_t stream) {
    answers_[stream].ended = true;
    nghttp2_session_resume_data(session_, stream);
  }
  void answer(int32_t stream, int status, std::string_view body,
              const std::vector<std::pair<std::string, std::string>>& more = {}) {
    begin(stream, status, "application/json", more);
    say(stream, body);
    end(stream);
  }
  void reset(int32_t stream, uint32_t code) {
    nghttp2_submit_rst_stream(session_, NGHTTP2_FLAG_NONE, stream, code);
  }
  void go_away(int32_t last, uint32_t code = NGHTTP2_NO_ERROR) {
    nghttp2_submit_goaway(session_, NGHTTP2_FLAG_NONE, last, code, nullptr, 0);
  }
  // That the client has sent.
  size_t pings() const { return pings_; }
  void ping() { nghttp2_submit_ping(session_, NGHTTP2_FLAG_NONE, nullptr); }

  // By stream.
  const std::map<int32_t, Request>& requests() const { return requests_; }
  size_t whole_requests() const {
    return static_cast<size_t>(std::count_if(requests_.begin(), requests_.end(),
                                             [](const auto& each) { return each.second.whole; }));
  }

  // A frame as it is on the wire, for what the library would not say.
  static std::string frame(uint8_t type, uint8_t flags, uint32_t stream, std::string_view payload) {
    std::string out;
    for (int shift = 16; shift >= 0; shift -= 8) {
      out += static_cast<char>(payload.size() >> shift & 0xFF);
    }
    out += static_cast<char>(type);
    out += static_cast<char>(flags);
    for (int shift = 24; shift >= 0; shift -= 8) {
      out += static_cast<char>(stream >> shift & 0xFF);
    }
    return out.append(payload);
  }

 private:
  struct Answer {
    std::string bytes = {};
    bool ended = false;
  };

  static std::vector<nghttp2_nv> to_fields(
      std::vector<std::pair<std::string, std::string>>& headers) {
    std::vector<nghttp2_nv> fields;
    for (auto& [name, value] : headers) {
      fields.push_back({reinterpret_cast<uint8_t*>(name.data()),
                        reinterpret_cast<uint8_t*>(value.data()), name.size(), value.size(),
                        NGHTTP2_NV_FLAG_NONE});
    }
    return fields;
  }
  static Http2Server& self(void* user_data) { return *static_cast<Http2Server*>(user_data); }

  static ssize_t read_answer(nghttp2_session* /*session*/, int32_t stream, uint8_t* out,
                             size_t room, uint32_t* flags, nghttp2_data_source* /*source*/,
                             void* user_data) {
    Answer& answer = self(user_data).answers_[stream];
    const size_t taken = std::min(room, answer.bytes.size());
    if (taken == 0 && !answer.ended) {
      return NGHTTP2_ERR_DEFERRED;
    }
    std::memcpy(out, answer.bytes.data(), taken);
    answer.bytes.erase(0, taken);
    if (answer.ended && answer.bytes.empty()) {
      *flags |= NGHTTP2_DATA_FLAG_EOF;
    }
    return static_cast<ssize_t>(taken);
  }
  static int on_header(nghttp2_session* /*session*/, const nghttp2_frame* frame,
                       const uint8_t* name, size_t name_size, const uint8_t* value,
                       size_t value_size, uint8_t /*flags*/, void* user_data) {
    self(user_data).requests_[frame->hd.stream_id].headers[std::string(name, name + name_size)] =
        std::string(value, value + value_size);
    return 0;
  }
  static int on_frame(nghttp2_session* /*session*/, const nghttp2_frame* frame, void* user_data) {
    const int32_t stream = frame->hd.stream_id;
    const bool of_request = frame->hd.type == NGHTTP2_HEADERS || frame->hd.type == NGHTTP2_DATA;
    if (frame->hd.type == NGHTTP2_HEADERS) {
      self(user_data).requests_[stream].has_head = true;
    }
    if (of_request && (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0) {
      self(user_data).requests_[stream].whole = true;
    }
    if (frame->hd.type == NGHTTP2_RST_STREAM) {
      self(user_data).requests_[stream].reset = frame->rst_stream.error_code;
    }
    if (frame->hd.type == NGHTTP2_PING && (frame->hd.flags & NGHTTP2_FLAG_ACK) == 0) {
      ++self(user_data).pings_;
    }
    return 0;
  }
  static int on_data(nghttp2_session* /*session*/, uint8_t /*flags*/, int32_t stream,
                     const uint8_t* bytes, size_t size, void* user_data) {
    self(user_data).requests_[stream].body.append(reinterpret_cast<const char*>(bytes), size);
    return 0;
  }

  nghttp2_session* session_ = nullptr;
  std::map<int32_t, Request> requests_;
  std::map<int32_t, Answer> answers_;
  size_t pings_ = 0;
};

}  // namespace windlass::http::testing
