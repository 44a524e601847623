// For tests only: a gRPC server of one method, as far as a health check sees it: the server's side
// of HTTP/2 (libnghttp2) over plain TCP, in a thread of its own, one connection at a time.
#pragma once

#include <gtest/gtest.h>
#include <nghttp2/nghttp2.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "net/stream/endpoint.h"

namespace windlass::net::testing {

struct GrpcReply {
  std::string http_status = "200";
  std::string body = {};
  std::vector<std::pair<std::string, std::string>> trailers = {};  // in the head without a body
  uint32_t reset = NGHTTP2_NO_ERROR;                               // instead of an answer
  bool silent = false;
};

struct GrpcAsked {
  std::map<std::string, std::string> head;
  std::string body;
};

class GrpcServer {
 public:
  explicit GrpcServer(GrpcReply reply) : reply_(std::move(reply)) {
    auto made = listen_on(endpoint_);
    EXPECT_TRUE(made);
    listener_ = *std::move(made);
    EXPECT_EQ(::pipe(stop_.data()), 0);
    thread_ = std::thread([this] { serve(); });
  }
  ~GrpcServer() {
    ::close(stop_[1]);
    thread_.join();
    ::close(stop_[0]);
  }
  GrpcServer(const GrpcServer&) = delete;
  GrpcServer& operator=(const GrpcServer&) = delete;

  uint16_t port() const { return endpoint_.port; }
  std::vector<GrpcAsked> asked() {
    const std::lock_guard lock(mutex_);
    return asked_;
  }

 private:
  // False once the test is over.
  bool wait_for(int fd) {
    std::array<pollfd, 2> both = {pollfd{fd, POLLIN, 0}, pollfd{stop_[0], POLLIN, 0}};
    ::poll(both.data(), both.size(), -1);
    return both[1].revents == 0;
  }

  void serve() {
    while (wait_for(listener_.get())) {
      const posix::FileDescriptor socket(::accept(listener_.get(), nullptr, nullptr));
      talk(socket.get());
    }
  }

  void talk(int socket) {
    nghttp2_session_callbacks* callbacks = nullptr;
    ::nghttp2_session_callbacks_new(&callbacks);
    ::nghttp2_session_callbacks_set_on_header_callback(callbacks, on_header);
    ::nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, on_data);
    ::nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, on_frame);
    nghttp2_session* session = nullptr;
    ::nghttp2_session_server_new(&session, callbacks, this);
    ::nghttp2_session_callbacks_del(callbacks);
    ::nghttp2_submit_settings(session, NGHTTP2_FLAG_NONE, nullptr, 0);
    now_ = {};
    std::array<uint8_t, 4096> buffer;
    while (true) {
      const uint8_t* bytes = nullptr;
      for (ssize_t size = 0; (size = ::nghttp2_session_mem_send(session, &bytes)) > 0;) {
        // A client that has heard enough hangs up; reading then says so.
        ::send(socket, bytes, static_cast<size_t>(size), MSG_NOSIGNAL);
      }
      const ssize_t size = wait_for(socket) ? ::recv(socket, buffer.data(), buffer.size(), 0) : 0;
      if (size <= 0 ||
          ::nghttp2_session_mem_recv(session, buffer.data(), static_cast<size_t>(size)) < 0) {
        break;
      }
    }
    ::nghttp2_session_del(session);
  }

  static nghttp2_nv field(const std::string& name, const std::string& value) {
    const auto bytes = [](const std::string& text) {
      return reinterpret_cast<uint8_t*>(const_cast<char*>(text.data()));
    };
    return {bytes(name), bytes(value), name.size(), value.size(), NGHTTP2_NV_FLAG_NONE};
  }

  std::vector<nghttp2_nv> trailers() const {
    std::vector<nghttp2_nv> fields;
    for (const auto& [name, value] : reply_.trailers) {
      fields.push_back(field(name, value));
    }
    return fields;
  }

  void answer(nghttp2_session* session, int32_t stream) {
    if (reply_.silent) {
      return;
    }
    if (reply_.reset != NGHTTP2_NO_ERROR) {
      ::nghttp2_submit_rst_stream(session, NGHTTP2_FLAG_NONE, stream, reply_.reset);
      return;
    }
    static const std::string kStatus = ":status";
    static const std::string kType = "content-type";
    static const std::string kGrpc = "application/grpc";
    std::vector<nghttp2_nv> head = {field(kStatus, reply_.http_status), field(kType, kGrpc)};
    if (reply_.body.empty()) {
      const auto more = trailers();
      head.insert(head.end(), more.begin(), more.end());
      ::nghttp2_submit_response(session, stream, head.data(), head.size(), nullptr);
      return;
    }
    nghttp2_data_provider body{};
    body.source.ptr = this;
    body.read_callback = on_body;
    given_ = 0;
    ::nghttp2_submit_response(session, stream, head.data(), head.size(), &body);
  }

  static ssize_t on_body(nghttp2_session* session, int32_t stream, uint8_t* buffer, size_t room,
                         uint32_t* flags, nghttp2_data_source* source, void*) {
    auto& self = *static_cast<GrpcServer*>(source->ptr);
    const size_t size = std::min(room, self.reply_.body.size() - self.given_);
    std::memcpy(buffer, self.reply_.body.data() + self.given_, size);
    self.given_ += size;
    if (self.given_ == self.reply_.body.size()) {
      *flags |= NGHTTP2_DATA_FLAG_EOF;
      if (const auto fields = self.trailers(); !fields.empty()) {
        *flags |= NGHTTP2_DATA_FLAG_NO_END_STREAM;
        ::nghttp2_submit_trailer(session, stream, fields.data(), fields.size());
      }
    }
    return static_cast<ssize_t>(size);
  }

  static int on_header(nghttp2_session*, const nghttp2_frame*, const uint8_t* name,
                       size_t name_size, const uint8_t* value, size_t value_size, uint8_t,
                       void* user) {
    static_cast<GrpcServer*>(user)->now_.head[{reinterpret_cast<const char*>(name), name_size}] = {
        reinterpret_cast<const char*>(value), value_size};
    return 0;
  }

  static int on_data(nghttp2_session*, uint8_t, int32_t, const uint8_t* bytes, size_t size,
                     void* user) {
    static_cast<GrpcServer*>(user)->now_.body.append(reinterpret_cast<const char*>(bytes), size);
    return 0;
  }

  static int on_frame(nghttp2_session* session, const nghttp2_frame* frame, void* user) {
    auto& self = *static_cast<GrpcServer*>(user);
    const bool message = frame->hd.type == NGHTTP2_HEADERS || frame->hd.type == NGHTTP2_DATA;
    if (message && (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0) {
      {
        const std::lock_guard lock(self.mutex_);
        self.asked_.push_back(self.now_);
      }
      self.answer(session, frame->hd.stream_id);
    }
    return 0;
  }

  const GrpcReply reply_;
  Endpoint endpoint_;
  posix::FileDescriptor listener_;
  std::array<int, 2> stop_{};
  GrpcAsked now_;
  size_t given_ = 0;
  std::mutex mutex_;
  std::vector<GrpcAsked> asked_;  // under mutex_
  std::thread thread_;
};

}  // namespace windlass::net::testing
