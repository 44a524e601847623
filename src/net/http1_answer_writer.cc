#include "net/http1_answer_writer.h"

#include <utility>

#include "http/response_head.h"

namespace windlass::net {

void Http1AnswerWriter::begin(std::string method, bool http_1_0, bool keep_alive) {
  method_ = std::move(method);
  http_1_0_ = http_1_0;
  keep_alive_ = keep_alive;
  streaming_ = false;
  has_body_ = true;
}

void Http1AnswerWriter::respond(http::Response response, std::string_view date) {
  http::Framing framing;
  framing.date = date;
  framing.close = !keep_alive_;
  if (response.status != 204 && response.status != 304) {
    framing.content_length = response.shared ? response.shared->size() : response.body.size();
  }
  output_.add(http::response_head(response.status, response.headers, framing));
  if (!http::may_have_body(method_, response.status)) {
    return;
  }
  if (response.shared) {
    output_.add_chunk(std::move(response.shared), false);
  } else {
    output_.add(std::move(response.body));
  }
}

void Http1AnswerWriter::start(const StartAnswer& start, std::string_view date) {
  streaming_ = true;
  has_body_ = http::may_have_body(method_, start.status);
  if (http_1_0_) {
    keep_alive_ = false;  // the end of the connection is the end of the answer
  }
  http::Framing framing;
  framing.date = date;
  framing.chunked = chunked();
  framing.close = !keep_alive_;
  output_.add(http::response_head(start.status, start.headers, framing));
}

void Http1AnswerWriter::upgrade(const UpgradeAnswer& upgrade, std::string_view date) {
  constexpr int kSwitchingProtocols = 101;
  streaming_ = true;
  upgraded_ = true;
  has_body_ = true;
  keep_alive_ = false;
  http::Framing framing;
  framing.date = date;
  framing.upgrade = upgrade.protocol;
  output_.add(http::response_head(kSwitchingProtocols, upgrade.headers, framing));
}

void Http1AnswerWriter::write(http::Chunk chunk) {
  output_.add_chunk(std::move(chunk), chunked());
}

void Http1AnswerWriter::finish() {
  if (chunked()) {
    output_.add_last_chunk();
  }
}

}  // namespace windlass::net
