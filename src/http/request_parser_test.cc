#include "http/request_parser.h"

#include <gtest/gtest.h>

#include <vector>

namespace windlass::http {
namespace {

using State = RequestParser::State;

// A request as a client writes it: lines joined by CRLF, then the body.
std::string text_of(const std::vector<std::string>& lines, std::string_view body = "") {
  std::string text;
  for (const auto& line : lines) {
    text += line + "\r\n";
  }
  return text + "\r\n" + std::string(body);
}

// Fed in pieces of `step` bytes, as a network may deliver it.
RequestParser fed(std::string_view text, size_t step, const ParserLimits& limits = {}) {
  RequestParser parser(limits);
  while (!text.empty()) {
    const size_t used = parser.feed(text.substr(0, step));
    if (used == 0 || parser.state() == State::refused) {
      break;
    }
    text.remove_prefix(used);
  }
  return parser;
}

int refusal_of(std::string_view text, const ParserLimits& limits = {}) {
  const RequestParser whole = fed(text, text.size() + 1, limits);
  const RequestParser bytewise = fed(text, 1, limits);
  EXPECT_EQ(whole.state(), bytewise.state()) << text.substr(0, 200);
  if (whole.state() != State::refused) {
    return 0;
  }
  EXPECT_EQ(whole.refusal().status, bytewise.refusal().status);
  EXPECT_EQ(whole.refusal().message, bytewise.refusal().message);
  return whole.refusal().status;
}

TEST(RequestParser, ReadsARequestHoweverItIsCut) {
  const std::string text = text_of({"POST /api/v1/pods?a=b HTTP/1.1", "Host: x",
                                    "Content-Length: 5", "X-Y:  two words\t", "X-Empty:"},
                                   "hello");
  for (size_t step = 1; step <= text.size(); ++step) {
    RequestParser parser = fed(text, step);
    ASSERT_EQ(parser.state(), State::complete) << step;
    EXPECT_TRUE(parser.keep_alive());
    const Request request = parser.take();
    EXPECT_EQ(request.method, "POST");
    EXPECT_EQ(request.target, "/api/v1/pods?a=b");
    EXPECT_EQ(request.body, "hello");
    EXPECT_EQ(find_header(request.headers, "x-y"), "two words");
    EXPECT_EQ(find_header(request.headers, "x-empty"), "");
    EXPECT_TRUE(parser.idle());
  }
}

TEST(RequestParser, StopsAtTheEndOfEachRequest) {
  const std::string one = text_of({"GET /a HTTP/1.1", "Host: x"});
  const std::string two = text_of({"PUT /b HTTP/1.1", "Host: x", "Content-Length: 2"}, "hi");
  const std::string text = one + two + one;
  RequestParser parser((ParserLimits()));
  size_t at = 0;
  for (const char* target : {"/a", "/b", "/a"}) {
    at += parser.feed(std::string_view(text).substr(at));
    ASSERT_EQ(parser.state(), State::complete);
    EXPECT_EQ(parser.take().target, target);
  }
  EXPECT_EQ(at, text.size());
}

TEST(RequestParser, ReadsChunksHoweverTheyAreCut) {
  const std::string text = text_of({"POST / HTTP/1.1", "Host: x", "Transfer-Encoding: CHUNKED"},
                                   "5\r\nhello\r\n00001;ext=\"v\"\r\n!\r\nA\r\n0123456789\r\n"
                                   "0\r\nTrailer: read over\r\n\r\n");
  for (size_t step = 1; step <= text.size(); ++step) {
    RequestParser parser = fed(text, step);
    ASSERT_EQ(parser.state(), State::complete) << step;
    const Request request = parser.take();
    EXPECT_EQ(request.body, "hello!0123456789");
    EXPECT_EQ(find_header(request.headers, "trailer"), std::nullopt);
  }
}

// safety.md Q12: framing with two readings is refused.
TEST(RequestParser, FramingWithTwoReadingsIsRefused) {
  const std::string host = "Host: x";
  const std::string get = "GET / HTTP/1.1";
  const std::string post = "POST / HTTP/1.1";
  const std::string chunked = "Transfer-Encoding: chunked";
  struct Case {
    std::string text;
    int status;
  };
  const Case cases[] = {
      {text_of({post, host, "Content-Length: 5", chunked}, "0\r\n\r\n"), 400},
      {text_of({post, host, chunked, "Content-Length: 5"}, "0\r\n\r\n"), 400},
      {text_of({post, host, "Content-Length: 5", "Content-Length: 5"}, "hello"), 400},
      {text_of({post, host, "Content-Length: 5", "content-length: 6"}, "hello"), 400},
      {text_of({post, host, "Content-Length: 5, 5"}, "hello"), 400},
      {text_of({post, host, "Content-Length: +5"}, "hello"), 400},
      {text_of({post, host, "Content-Length: -1"}), 400},
      {text_of({post, host, "Content-Length: 0x5"}), 400},
      {text_of({post, host, "Content-Length:"}), 400},
      {text_of({post, host, "Content-Length: 99999999999999999999"}), 400},
      {text_of({post, host, chunked, chunked}, "0\r\n\r\n"), 400},
      {text_of({post, host, "Transfer-Encoding: gzip, chunked"}), 501},
      {text_of({post, host, "Transfer-Encoding: identity"}), 501},
      {text_of({post, host, "Transfer-Encoding: chunked, chunked"}), 501},
      {text_of({post, host,
                "Transfer-Encoding: \x0b"
                "chunked"}),
       400},
      {text_of({post, host, "Transfer-Encoding : chunked"}), 400},
      {text_of({"POST / HTTP/1.0", host, chunked}, "0\r\n\r\n"), 400},
      {"GET / HTTP/1.1\nHost: x\n\n", 400},
      {"GET / HTTP/1.1\r\nHost: x\n\r\n", 400},
      {"GET / HTTP/1.1\r\nHost: x\r\n\n", 400},
      {"\n", 400},
      {"\r\n" + text_of({get, host}), 400},
      {"GET / HTTP/1.1\r\nHost: x\rX: y\r\n\r\n", 400},
      {text_of({get, host, " folded: yes"}), 400},
      {text_of({get, " Host: x"}), 400},
      {text_of({get, host, "X: a", "\tb"}), 400},
      {text_of({get, host, std::string("X: a\0b", 6)}), 400},
      {text_of({get, host, std::string("X\0: a", 5)}), 400},
      {text_of({get, host, "X: a\x7f"}), 400},
      {text_of({get, host, "no colon"}), 400},
      {text_of({get, host, ": no name"}), 400},
      {text_of({get, host, "a b: c"}), 400},
      {text_of({get}), 400},
      {text_of({get, host, host}), 400},
      {text_of({"GET http://x/ HTTP/1.1", host}), 400},
      {text_of({"CONNECT x:443 HTTP/1.1", host}), 400},
      {text_of({"OPTIONS * HTTP/1.1", host}), 400},
      {text_of({"GET /a b HTTP/1.1", host}), 400},
      {text_of({"GET  / HTTP/1.1", host}), 400},
      {text_of({"GET /\xc3\xa4 HTTP/1.1", host}), 400},
      {text_of({"GET / HTTP/1.1 ", host}), 400},
      {text_of({"GET /", host}), 400},
      {text_of({"GET", host}), 400},
      {text_of({"G@T / HTTP/1.1", host}), 400},
      {text_of({"GET / http/1.1", host}), 400},
      {text_of({"GET / HTTP/1.2", host}), 505},
      {text_of({"GET / HTTP/2.0", host}), 505},
      {text_of({"PRI * HTTP/2.0"}), 505},
      {text_of({post, host, "Content-Encoding: gzip", "Content-Length: 1"}), 415},
      {text_of({post, host, "Expect: a-miracle", "Content-Length: 1"}), 417},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(refusal_of(c.text), c.status) << c.text;
  }
}

TEST(RequestParser, ChunkedFramingIsReadStrictly) {
  const auto chunks = [](std::string_view body) {
    return refusal_of(text_of({"POST / HTTP/1.1", "Host: x", "Transfer-Encoding: chunked"}, body));
  };
  EXPECT_EQ(chunks("0\r\n\r\n"), 0);
  EXPECT_EQ(chunks("\r\n"), 400);
  EXPECT_EQ(chunks(" 5\r\nhello\r\n"), 400);
  EXPECT_EQ(chunks("-1\r\n"), 400);
  EXPECT_EQ(chunks("0x5\r\nhello\r\n"), 400);
  EXPECT_EQ(chunks("5\nhello\r\n"), 400);
  EXPECT_EQ(chunks("5\rhello\r\n"), 400);
  EXPECT_EQ(chunks("5\r\nhello!\r\n"), 400);
  EXPECT_EQ(chunks("5\r\nhello\n"), 400);
  EXPECT_EQ(chunks("ffffffffffffffff\r\n"), 400);
  EXPECT_EQ(chunks("100000000\r\n"), 400);
  EXPECT_EQ(chunks("ffffffff\r\n"), 413);
  EXPECT_EQ(chunks("300001\r\n"), 413);
  EXPECT_EQ(chunks("1;" + std::string(300, 'x') + "\r\n"), 400);
  EXPECT_EQ(chunks("0\r\n folded: x\r\n\r\n"), 400);
  EXPECT_EQ(chunks("0\r\nno colon\r\n\r\n"), 400);
}

TEST(RequestParser, EveryLimitHolds) {
  ParserLimits limits;
  limits.head_bytes = 200;
  limits.headers = 3;
  limits.body_bytes = 10;
  limits.trailer_bytes = 20;
  const std::string get = "GET / HTTP/1.1";
  const std::string host = "Host: x";
  EXPECT_EQ(refusal_of(text_of({get, host, "A: b", "C: d"}), limits), 0);
  EXPECT_EQ(refusal_of(text_of({get, host, "A: b", "C: d", "E: f"}), limits), 431);
  EXPECT_EQ(refusal_of(text_of({get, host, "A: " + std::string(200, 'b')}), limits), 431);
  EXPECT_EQ(refusal_of("GET /" + std::string(300, 'a'), limits), 431);

  const std::string post = "POST / HTTP/1.1";
  EXPECT_EQ(refusal_of(text_of({post, host, "Content-Length: 10"}, "0123456789"), limits), 0);
  EXPECT_EQ(refusal_of(text_of({post, host, "Content-Length: 11"}), limits), 413);
  const std::string chunked = "Transfer-Encoding: chunked";
  EXPECT_EQ(refusal_of(text_of({post, host, chunked}, "a\r\n0123456789\r\n0\r\n\r\n"), limits), 0);
  EXPECT_EQ(refusal_of(text_of({post, host, chunked}, "a\r\n0123456789\r\n1\r\n"), limits), 413);
  EXPECT_EQ(
      refusal_of(text_of({post, host, chunked}, "0\r\na: 1234567890\r\nb: 1234567890\r\n\r\n"),
                 limits),
      431);

  const RequestParser too_large = fed(text_of({post, host, "Content-Length: 11"}), 1000, limits);
  EXPECT_EQ(too_large.refusal().message, "Request entity too large: limit is 10");
  EXPECT_EQ(too_large.refusal().reason, "RequestEntityTooLarge");
}

TEST(RequestParser, APromisedBodyCostsNothingBeforeItComes) {
  const RequestParser parser =
      fed(text_of({"POST / HTTP/1.1", "Host: x", "Content-Length: 3000000"}), 1000);
  EXPECT_EQ(parser.state(), State::body);
  EXPECT_LE(parser.request().body.capacity(), size_t{64} * 1024);
}

TEST(RequestParser, SaysWhenTheClientWaits) {
  const std::vector<std::string> head = {"PUT / HTTP/1.1", "Host: x", "Expect: 100-Continue"};
  auto with_length = head;
  with_length.push_back("Content-Length: 2");
  EXPECT_TRUE(fed(text_of(with_length), 1000).expects_continue());
  EXPECT_FALSE(fed(text_of(with_length, "h"), 1000).expects_continue());
  EXPECT_FALSE(fed(text_of(head), 1000).expects_continue());  // no body, nothing to wait for
}

TEST(RequestParser, ConnectionsEndWhenTheClientSaysSo) {
  const auto keeps = [](const std::vector<std::string>& lines) {
    const RequestParser parser = fed(text_of(lines), 1000);
    EXPECT_EQ(parser.state(), State::complete);
    return parser.keep_alive();
  };
  EXPECT_TRUE(keeps({"GET / HTTP/1.1", "Host: x"}));
  EXPECT_FALSE(keeps({"GET / HTTP/1.1", "Host: x", "Connection: upgrade, Close"}));
  EXPECT_TRUE(keeps({"GET / HTTP/1.1", "Host: x", "Connection: keep-alive"}));
  EXPECT_FALSE(keeps({"GET / HTTP/1.0"}));
}

}  // namespace
}  // namespace windlass::http
