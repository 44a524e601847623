#include "net/checks/health_call.h"

#include <fmt/format.h>
#include <nghttp2/nghttp2.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <optional>
#include <utility>

#include "base/check.h"
#include "net/checks/grpc_message.h"

namespace windlass::net {
namespace {

constexpr int kHttpOk = 200;
// gRPC's names for what can go wrong before a server's own status comes.
constexpr int kUnknown = 2;
constexpr int kPermissionDenied = 7;
constexpr int kUnimplemented = 12;
constexpr int kInternal = 13;
constexpr int kUnavailable = 14;
constexpr int kUnauthenticated = 16;

// What an answer without a gRPC status means, as gRPC's HTTP mapping says.
int code_of_http(int status) {
  switch (status) {
    case 400:
      return kInternal;
    case 401:
      return kUnauthenticated;
    case 403:
      return kPermissionDenied;
    case 404:
      return kUnimplemented;
    case 429:
    case 502:
    case 503:
    case 504:
      return kUnavailable;
    default:
      return kUnknown;
  }
}

std::optional<int> number_of(std::string_view text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(number)
                                                                  : std::nullopt;
}

nghttp2_nv field(std::string_view name, std::string_view value) {
  const auto bytes = [](std::string_view text) {
    // libnghttp2 only reads what it is given.
    return reinterpret_cast<uint8_t*>(const_cast<char*>(text.data()));
  };
  return {bytes(name), bytes(value), name.size(), value.size(), NGHTTP2_NV_FLAG_NONE};
}

// What one stream has said so far.
struct HealthAnswer {
  std::optional<int> http_status;
  std::optional<int> code;
  std::string message;
  std::string body;
  bool too_long = false;
  bool over = false;
  uint32_t error = NGHTTP2_NO_ERROR;  // it was broken off
};

env::GrpcHealth health_of(const HealthAnswer& answer) {
  env::GrpcHealth health;
  health.code = answer.code.value_or(kUnknown);
  health.message = grpc_message_text(answer.message);
  if (!answer.code) {
    if (answer.error != NGHTTP2_NO_ERROR) {
      health.code = kUnavailable;
      health.message = fmt::format("stream terminated by RST_STREAM with error code: {}",
                                   ::nghttp2_http2_strerror(answer.error));
    } else if (answer.http_status.value_or(kHttpOk) != kHttpOk) {
      health.code = code_of_http(*answer.http_status);
      health.message =
          fmt::format("unexpected HTTP status code received from server: {}", *answer.http_status);
    } else {
      health.code = kInternal;
      health.message = "server closed the stream without sending trailers";
    }
  } else if (*answer.code == 0) {
    const auto status = answer.too_long ? std::nullopt : health_status(answer.body);
    health.code = status ? 0 : kInternal;
    health.message = status ? "" : "the answer is no HealthCheckResponse";
    health.serving = status.value_or(0);
  }
  return health;
}

}  // namespace

class HealthCall::Session {
 public:
  Session(const std::string& authority, std::string_view service, Duration timeout)
      : request_(health_request(service)) {
    nghttp2_session_callbacks* callbacks = nullptr;
    CHECK(::nghttp2_session_callbacks_new(&callbacks) == 0, "out of memory");
    ::nghttp2_session_callbacks_set_on_header_callback(callbacks, on_header);
    ::nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, on_data);
    ::nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, on_close);
    const int made = ::nghttp2_session_client_new(&session_, callbacks, this);
    ::nghttp2_session_callbacks_del(callbacks);
    CHECK(made == 0, "out of memory");
    CHECK(::nghttp2_submit_settings(session_, NGHTTP2_FLAG_NONE, nullptr, 0) == 0, "out of memory");
    submit(authority, timeout);
  }
  ~Session() { ::nghttp2_session_del(session_); }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  std::string_view output() {
    if (sent_ == output_.size()) {
      output_.clear();
      sent_ = 0;
      drain();
    }
    return std::string_view(output_).substr(sent_);
  }
  void sent(size_t bytes) { sent_ += bytes; }

  Result<bool> received(std::string_view bytes) {
    const auto taken = ::nghttp2_session_mem_recv(
        session_, reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
    if (taken < 0) {
      return fail(plain_error(::nghttp2_strerror(static_cast<int>(taken))));
    }
    if (answer_.over) {
      health_ = health_of(answer_);
      return true;
    }
    if (answer_.too_long) {
      answer_.code = 0;  // whatever is said at its end
      health_ = health_of(answer_);
      return true;
    }
    received_ += bytes.size();
    if (received_ > kMaxReceived) {
      return fail(plain_error("the server says much, but gives no answer"));
    }
    drain();
    if (::nghttp2_session_want_read(session_) == 0) {
      return fail(plain_error("the server does not speak HTTP/2"));
    }
    return false;
  }

  const env::GrpcHealth& health() const { return health_; }

 private:
  void submit(const std::string& authority, Duration timeout) {
    const std::string limit = fmt::format(
        "{}m", std::max<int64_t>(std::chrono::duration_cast<milliseconds>(timeout).count(), 1));
    const std::array fields = {field(":method", "POST"),
                               field(":scheme", "http"),
                               field(":path", "/grpc.health.v1.Health/Check"),
                               field(":authority", authority),
                               field("content-type", "application/grpc"),
                               field("user-agent", "kube-probe/windlass"),
                               field("te", "trailers"),
                               field("grpc-timeout", limit)};
    nghttp2_data_provider body{};
    body.source.ptr = this;
    body.read_callback = on_body;
    CHECK(::nghttp2_submit_request(session_, nullptr, fields.data(), fields.size(), &body,
                                   nullptr) > 0,
          "out of memory");
  }

  void drain() {
    const uint8_t* bytes = nullptr;
    for (ssize_t size = 1; size > 0;) {
      size = ::nghttp2_session_mem_send(session_, &bytes);
      if (size > 0) {
        output_.append(reinterpret_cast<const char*>(bytes), static_cast<size_t>(size));
      }
    }
  }

  static Session& of(void* user) { return *static_cast<Session*>(user); }

  static ssize_t on_body(nghttp2_session*, int32_t, uint8_t* buffer, size_t room, uint32_t* flags,
                         nghttp2_data_source* source, void*) {
    Session& self = of(source->ptr);
    const size_t size = std::min(room, self.request_.size() - self.given_);
    std::memcpy(buffer, self.request_.data() + self.given_, size);
    self.given_ += size;
    if (self.given_ == self.request_.size()) {
      *flags |= NGHTTP2_DATA_FLAG_EOF;
    }
    return static_cast<ssize_t>(size);
  }

  // The head of the answer and its trailers.
  static int on_header(nghttp2_session*, const nghttp2_frame*, const uint8_t* name_bytes,
                       size_t name_size, const uint8_t* value_bytes, size_t value_size, uint8_t,
                       void* user) {
    const std::string_view name(reinterpret_cast<const char*>(name_bytes), name_size);
    const std::string_view value(reinterpret_cast<const char*>(value_bytes), value_size);
    HealthAnswer& answer = of(user).answer_;
    if (name == ":status") {
      answer.http_status = number_of(value);
    } else if (name == "grpc-status") {
      answer.code = number_of(value).value_or(kUnknown);
    } else if (name == "grpc-message") {
      answer.message = value.substr(0, kMaxMessage);
    }
    return 0;
  }

  static int on_data(nghttp2_session*, uint8_t, int32_t, const uint8_t* bytes, size_t size,
                     void* user) {
    HealthAnswer& answer = of(user).answer_;
    answer.too_long = answer.too_long || answer.body.size() + size > kMaxBody;
    if (!answer.too_long) {
      answer.body.append(reinterpret_cast<const char*>(bytes), size);
    }
    return 0;
  }

  static int on_close(nghttp2_session*, int32_t, uint32_t error, void* user) {
    of(user).answer_.over = true;
    of(user).answer_.error = error;
    return 0;
  }

  const std::string request_;
  size_t given_ = 0;  // of the request
  nghttp2_session* session_ = nullptr;
  std::string output_;
  size_t sent_ = 0;  // of the output
  size_t received_ = 0;
  HealthAnswer answer_;
  env::GrpcHealth health_;
};

HealthCall::HealthCall(const std::string& authority, std::string_view service, Duration timeout)
    : session_(std::make_unique<Session>(authority, service, timeout)) {}

HealthCall::~HealthCall() = default;

std::string_view HealthCall::output() {
  return session_->output();
}

void HealthCall::sent(size_t bytes) {
  session_->sent(bytes);
}

Result<bool> HealthCall::received(std::string_view bytes) {
  return session_->received(bytes);
}

const env::GrpcHealth& HealthCall::answer() const {
  return session_->health();
}

}  // namespace windlass::net
