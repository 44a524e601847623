// Bytes from a client to requests over HTTP/2: however they are cut, the same streams make
// requests, within the limits; of each stream the last news is told once, and nothing after it; and
// whatever is answered meanwhile, nothing is left when the client has taken everything.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "http/http2_server_session.h"
#include "http/target.h"

namespace {

using windlass::http::Http2ServerLimits;
using windlass::http::Http2ServerSession;
using windlass::http::Request;
using Step = Http2ServerSession::Step;

constexpr std::string_view kMagic = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

void must(bool good) {
  if (!good) {
    std::abort();
  }
}

Http2ServerLimits small_limits() {
  Http2ServerLimits limits;
  limits.request.head_bytes = 2048;
  limits.request.headers = 16;
  limits.request.body_bytes = 1024;
  limits.streams = 20;
  limits.flood.idle_frames = 100;
  limits.flood.resets = 50;
  return limits;
}

void check(const Request& request, const Http2ServerLimits& limits) {
  must(request.body.size() <= limits.request.body_bytes);
  must(request.headers.size() <= limits.request.headers);
  must(request.target.starts_with('/') && !request.method.empty());
  for (const auto& header : request.headers) {
    must(header.value.find_first_of(std::string_view("\r\n\0", 3)) == std::string::npos);
  }
  windlass::http::classify(request);
}

std::vector<std::string> requests_of(std::string_view bytes, size_t step) {
  const Http2ServerLimits limits = small_limits();
  Http2ServerSession session(limits);
  session.feed(kMagic);
  std::vector<std::string> all;
  for (size_t at = 0; at < bytes.size(); at += step) {
    session.feed(bytes.substr(at, step));
    for (const auto& news : session.take_news()) {
      if (news.step != Step::complete) {
        continue;
      }
      all.push_back(std::to_string(news.stream));
      // Otherwise taken back by now, or not, by where the bytes were cut.
      if (session.is_open(news.stream)) {
        check(session.take(news.stream), limits);
      }
    }
  }
  return all;
}

void answer_all(std::string_view bytes, size_t step) {
  Http2ServerSession session(small_limits());
  session.feed(kMagic);
  std::map<int32_t, Step> last;
  const auto look = [&] {
    for (const auto& news : session.take_news()) {
      const auto before = last.find(news.stream);
      must(before == last.end() ||
           (before->second != Step::over && before->second != Step::taken_back));
      last[news.stream] = news.step;
      if (!session.is_open(news.stream) ||
          (news.step != Step::complete && news.step != Step::refused)) {
        continue;
      }
      const auto body = std::make_shared<const std::string>(std::string(100, 'x'));
      switch (news.stream % 8) {
        case 1:
          session.respond(news.stream, 200, {{"A", "b\n"}}, body);
          break;
        case 3:
          session.start(news.stream, 200, {}, true);
          session.write(news.stream, body);
          session.finish(news.stream);
          break;
        case 5:
          session.start(news.stream, 200, {}, true);
          session.write(news.stream, body);
          session.cut(news.stream);
          break;
        default:
          session.respond(news.stream, 204, {}, body);
          break;
      }
    }
  };
  for (size_t at = 0; at < bytes.size(); at += step) {
    session.feed(bytes.substr(at, step));
    look();
    session.written(std::min(session.output().size(), step * 8));
    look();
  }
  for (size_t rounds = 0; rounds < 1000 && !session.output().empty(); ++rounds) {
    session.written(session.output().size());
    look();
  }
  must(session.open_streams() <= small_limits().streams);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) {
    return 0;
  }
  const size_t step = 1 + data[0] % 32;
  const std::string_view bytes(reinterpret_cast<const char*>(data + 1), size - 1);
  must(requests_of(bytes, bytes.size() + 1) == requests_of(bytes, step));
  answer_all(bytes, step);
  return 0;
}
