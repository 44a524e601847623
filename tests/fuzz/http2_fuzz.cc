// Bytes from a server to answers over HTTP/2: however they are cut, the same comes of each request,
// none is told twice that it has ended, and what was never handed over was never applied.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "http/http2_session.h"

namespace {

using windlass::http::Http2Session;

constexpr std::array<Http2Session::Field, 4> kHead = {
    {{":method", "POST"}, {":scheme", "https"}, {":authority", "a"}, {":path", "/"}}};

void must(bool good) {
  if (!good) {
    std::abort();
  }
}

// Only some of what it says arrives, so that there is always more.
void write(Http2Session& session, size_t at_most) {
  session.written(std::min(session.output().size(), at_most));
}

std::vector<std::string> read_all(std::string_view bytes, size_t step) {
  Http2Session session;
  std::vector<Http2Session::StreamId> ids;
  for (int i = 0; i < 3; ++i) {
    ids.push_back(session.open(kHead, i == 0 ? "" : "body"));
  }
  write(session, SIZE_MAX);
  for (size_t at = 0; at < bytes.size(); at += step) {
    session.feed(bytes.substr(at, step));
  }
  write(session, SIZE_MAX);
  const bool finished = session.finished();
  session.end("end");
  must(session.open_streams() == 0 && session.room() == 0);
  auto news = session.take_news();
  std::sort(news.begin(), news.end());
  must(news == ids && session.take_news().empty());
  std::vector<std::string> all = {finished ? "finished" : "open"};
  for (const auto id : ids) {
    const auto& answer = *session.find(id);
    must(answer.state != Http2Session::State::open);
    must(answer.state == Http2Session::State::lost || (answer.has_head && answer.status >= 200));
    // All of it was written: only the server's own word counts.
    must(session.certainly_not_applied(id) == answer.refused);
    // Of a lost one more or less may have come, by where the bytes were cut.
    const bool complete = answer.state == Http2Session::State::complete;
    all.push_back(std::to_string(answer.status) + (answer.refused ? " refused " : " ") +
                  (complete ? "complete " + answer.body : "lost"));
    for (const auto& header : answer.headers) {
      all.push_back(header.name + "=" + header.value);
    }
  }
  return all;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto whole = read_all(bytes, std::max<size_t>(size, 1));
  must(read_all(bytes, 1) == whole && read_all(bytes, 7) == whole);
  return 0;
}
