#include "http/response_head.h"

#include <gtest/gtest.h>

#include "http/status_response.h"
#include "http/target.h"

namespace windlass::http {
namespace {

TEST(ResponseHead, FramingIsTheTransports) {
  Framing framing;
  framing.content_length = 5;
  framing.close = true;
  framing.date = "now";
  EXPECT_EQ(
      response_head(200, {{"X", "y"}, {"content-length", "9"}, {"Connection", "x"}}, framing),
      "HTTP/1.1 200 OK\r\nX: y\r\nDate: now\r\nContent-Length: 5\r\nConnection: close\r\n\r\n");
  Framing chunked;
  chunked.chunked = true;
  EXPECT_EQ(response_head(299, {{"Transfer-Encoding", "x"}}, chunked),
            "HTTP/1.1 299 \r\nTransfer-Encoding: chunked\r\n\r\n");
}

TEST(ResponseHead, NoHeaderBreaksOutOfItsLine) {
  EXPECT_EQ(response_head(404, {{"Warning", "299 - \"a\r\nSet-Cookie: b\""}, {"A\r\nB", "c"}}, {}),
            "HTTP/1.1 404 Not Found\r\nWarning: 299 - \"a  Set-Cookie: b\"\r\n\r\n");
}

TEST(ResponseHead, DatesAreGmt) {
  EXPECT_EQ(http_date(time_from_unix(784111777)), "Sun, 06 Nov 1994 08:49:37 GMT");
  EXPECT_EQ(http_date(time_from_unix(0)), "Thu, 01 Jan 1970 00:00:00 GMT");
}

TEST(ResponseHead, WhichAnswersHaveABody) {
  EXPECT_TRUE(may_have_body("GET", 200));
  EXPECT_FALSE(may_have_body("HEAD", 200));
  EXPECT_FALSE(may_have_body("GET", 204));
  EXPECT_FALSE(may_have_body("GET", 304));
}

TEST(StatusResponse, IsAStatusInJson) {
  const Response response = status_response({400, "BadRequest", "say \"a\"\n\\", {}});
  EXPECT_EQ(response.status, 400);
  EXPECT_EQ(response.body, R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure",)"
                           R"("message":"say \"a\"\n\\","reason":"BadRequest","code":400})"
                           "\n");
  EXPECT_EQ(find_header(response.headers, "Content-Type"), "application/json");
  EXPECT_EQ(find_header(response.headers, "Retry-After"), std::nullopt);
}

TEST(StatusResponse, M28_TooManyRequestsSaysWhenToComeAgain) {
  const Response response = status_response(too_many_requests("wait"));
  EXPECT_EQ(response.status, 429);
  EXPECT_EQ(find_header(response.headers, "Retry-After"), "1");
  EXPECT_NE(response.body.find(R"("details":{"retryAfterSeconds":1},"code":429)"),
            std::string::npos);
}

TEST(RequestClass, WatchesAndFollowedLogsAreLongRunning) {
  const auto of = [](const char* method, const char* target) { return classify({method, target}); };
  EXPECT_EQ(of("GET", "/api/v1/pods"), RequestClass::read);
  EXPECT_EQ(of("HEAD", "/api/v1/pods"), RequestClass::read);
  EXPECT_EQ(of("GET", "/api/v1/pods?limit=500"), RequestClass::read);
  EXPECT_EQ(of("GET", "/api/v1/pods?watch=false"), RequestClass::read);
  EXPECT_EQ(of("GET", "/api/v1/namespaces/a/pods/watch"), RequestClass::read);
  EXPECT_EQ(of("GET", "/api/v1/namespaces/a/pods/p?follow=1"), RequestClass::read);
  EXPECT_EQ(of("GET", "/bad%?watch=1"), RequestClass::read);
  EXPECT_EQ(of("POST", "/api/v1/pods?watch=1"), RequestClass::mutating);
  EXPECT_EQ(of("BREW", "/"), RequestClass::mutating);
  EXPECT_EQ(of("GET", "/api/v1/pods?watch=1"), RequestClass::long_running);
  EXPECT_EQ(of("GET", "/api/v1/pods?limit=1&w%61tch=true"), RequestClass::long_running);
  EXPECT_EQ(of("GET", "/api/v1/watch/pods"), RequestClass::long_running);
  EXPECT_EQ(of("GET", "/apis/batch/v1/watch/jobs"), RequestClass::long_running);
  EXPECT_EQ(of("GET", "/api/v1/namespaces/a/pods/p/log?follow=true"), RequestClass::long_running);
  EXPECT_EQ(of("GET", "/api/v1/namespaces/a/pods/p/log"), RequestClass::read);
}

}  // namespace
}  // namespace windlass::http
