#include "http/response_parser.h"

#include <gtest/gtest.h>

namespace windlass::http {
namespace {

struct ParsedAnswer {
  ResponseParser parser;
  std::string body;
  size_t used = 0;
};

ParsedAnswer parse_answer(std::string_view bytes, std::string_view method = "GET",
                          size_t step = 0) {
  ParsedAnswer answer;
  answer.parser.begin(method);
  for (size_t at = 0; at < bytes.size();) {
    const std::string_view piece = bytes.substr(at, step == 0 ? bytes.size() : step);
    const size_t used = answer.parser.feed(piece, answer.body);
    answer.used += used;
    if (used < piece.size()) {
      break;
    }
    at += piece.size();
  }
  return answer;
}

TEST(ResponseParser, ReadsAnswersHoweverTheyAreCut) {
  const std::string plain =
      "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 5\r\n\r\nhello";
  const std::string chunked =
      "HTTP/1.1 200\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n2;x=y\r\nlo\r\n0\r\nT: "
      "u\r\n\r\n";
  const std::string interim = "HTTP/1.1 100 Continue\r\n\r\n" + plain;
  for (const std::string& bytes : {plain, chunked, interim}) {
    for (const size_t step : {size_t{0}, size_t{1}, size_t{2}, size_t{7}}) {
      const ParsedAnswer answer = parse_answer(bytes + "HTTP/1.1 404", "GET", step);
      EXPECT_EQ(answer.parser.state(), ResponseParser::State::complete) << bytes;
      EXPECT_EQ(answer.body, "hello");
      EXPECT_EQ(answer.used, bytes.size());
      EXPECT_EQ(answer.parser.status(), 200);
      EXPECT_TRUE(answer.parser.keep_alive());
    }
  }
}

TEST(ResponseParser, KnowsWhereABodyEnds) {
  EXPECT_EQ(parse_answer("HTTP/1.1 204 No Content\r\n\r\n").parser.state(),
            ResponseParser::State::complete);
  EXPECT_EQ(parse_answer("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n", "HEAD").parser.state(),
            ResponseParser::State::complete);
  ParsedAnswer open = parse_answer("HTTP/1.1 200 OK\r\n\r\nall of it");
  EXPECT_EQ(open.parser.state(), ResponseParser::State::body);
  open.parser.end();
  EXPECT_EQ(open.parser.state(), ResponseParser::State::complete);
  EXPECT_FALSE(open.parser.keep_alive());
  ParsedAnswer cut = parse_answer("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf");
  cut.parser.end();
  EXPECT_EQ(cut.parser.state(), ResponseParser::State::broken);
  EXPECT_FALSE(parse_answer("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
                   .parser.keep_alive());
}

TEST(ResponseParser, RefusesWhatHasTwoReadings) {
  for (const char* bytes :
       {"HTTP/2 200 OK\r\n\r\n", "ICY 200 OK\r\n\r\n", "HTTP/1.1 20 OK\r\n\r\n", "\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", "HTTP/1.1 200 OK\r\nNo colon\r\n\r\n",
        "HTTP/1.1 101 Switching\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nabc\r\n"}) {
    EXPECT_EQ(parse_answer(bytes).parser.state(), ResponseParser::State::broken) << bytes;
  }
}

TEST(ResponseParser, EverythingHasALimit) {
  EXPECT_EQ(parse_answer("HTTP/1.1 200 OK\r\nA: " + std::string(100'000, 'x')).parser.state(),
            ResponseParser::State::broken);
  std::string many = "HTTP/1.1 200 OK\r\n";
  std::string interims;
  for (int i = 0; i < 200; ++i) {
    many += "A: b\r\n";
    interims += "HTTP/1.1 103 Early Hints\r\n\r\n";
  }
  EXPECT_EQ(parse_answer(many + "\r\n").parser.state(), ResponseParser::State::broken);
  EXPECT_EQ(parse_answer(interims).parser.state(), ResponseParser::State::broken);
  EXPECT_EQ(parse_answer("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;" +
                         std::string(2000, 'x'))
                .parser.state(),
            ResponseParser::State::broken);
}

}  // namespace
}  // namespace windlass::http
