#include "http/http2_session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "http/http2_testing.h"

namespace windlass::http {
namespace {

using ::testing::HasSubstr;
using testing::Http2Server;
using Http2State = Http2Session::State;
using StreamId = Http2Session::StreamId;

StreamId get(Http2Session& session) {
  return session.open(
      std::vector<Http2Session::Field>{
          {":method", "GET"}, {":scheme", "https"}, {":authority", "a:6443"}, {":path", "/api"}},
      "");
}

StreamId post(Http2Session& session, std::string body) {
  return session.open(
      std::vector<Http2Session::Field>{
          {":method", "POST"}, {":scheme", "https"}, {":authority", "a:6443"}, {":path", "/api"}},
      std::move(body));
}

size_t to_server(Http2Session& session, Http2Server& server) {
  size_t sent = 0;
  for (std::string_view bytes; !(bytes = session.output()).empty();) {
    EXPECT_TRUE(server.feed(bytes));
    sent += bytes.size();
    session.written(bytes.size());
  }
  return sent;
}

size_t from_server(Http2Session& session, Http2Server& server, size_t step = SIZE_MAX) {
  const std::string bytes = server.output();
  for (size_t at = 0; at < bytes.size(); at += std::min(step, bytes.size() - at)) {
    session.feed(std::string_view(bytes).substr(at, step));
  }
  return bytes.size();
}

// What waits on both sides arrives, in pieces of this size, until neither has anything to say.
void exchange(Http2Session& session, Http2Server& server, size_t step = SIZE_MAX) {
  while (to_server(session, server) + from_server(session, server, step) > 0) {
  }
}

class Http2 : public ::testing::Test {
 protected:
  Http2Server server;
  Http2Session session;
};

TEST_F(Http2, RequestAndAnswer) {
  const StreamId id = post(session, "body");
  exchange(session, server);
  ASSERT_EQ(server.whole_requests(), 1u);
  EXPECT_EQ(server.requests().at(id).headers.at(":path"), "/api");
  EXPECT_EQ(server.requests().at(id).body, "body");
  EXPECT_EQ(session.open_streams(), 1u);
  server.answer(id, 201, "{}", {{"retry-after", "3"}});
  exchange(session, server);
  EXPECT_EQ(session.take_news(), std::vector<StreamId>{id});
  const auto* answer = session.find(id);
  ASSERT_NE(answer, nullptr);
  EXPECT_EQ(answer->state, Http2State::complete);
  EXPECT_EQ(answer->status, 201);
  EXPECT_EQ(answer->body, "{}");
  EXPECT_EQ(find_header(answer->headers, "Retry-After"), "3");
  EXPECT_EQ(session.open_streams(), 0u);
  session.forget(id);
  EXPECT_EQ(session.find(id), nullptr);
}

// Wherever the bytes are cut, the same comes out.
TEST_F(Http2, AnswersInPieces) {
  for (const size_t step : {size_t{1}, size_t{2}, size_t{9}, size_t{4096}}) {
    Http2Server other;
    Http2Session cut;
    const StreamId first = get(cut);
    const StreamId second = get(cut);
    exchange(cut, other, step);
    other.interim(first, 103);
    other.begin(first, 200);
    std::string all;
    for (int i = 0; i < 50; ++i) {
      other.say(first, "event " + std::to_string(i) + "\n");
      exchange(cut, other, step);
      all += "event " + std::to_string(i) + "\n";
    }
    other.answer(second, 200, std::string(100'000, 'x'));
    exchange(cut, other, step);
    EXPECT_EQ(cut.find(first)->body, all);
    EXPECT_EQ(cut.find(first)->state, Http2State::open);
    EXPECT_EQ(cut.find(second)->body.size(), 100'000u);
    EXPECT_EQ(cut.find(second)->state, Http2State::complete);
  }
}

TEST_F(Http2, NoMoreRequestsThanTheServerAllows) {
  Http2Server narrow({.streams = 3});
  EXPECT_EQ(session.room(), Http2Session::kStreamsBeforeSettings);
  exchange(session, narrow);
  EXPECT_EQ(session.room(), 3u);
  const StreamId id = get(session);
  EXPECT_EQ(session.room(), 2u);
  exchange(session, narrow);
  narrow.answer(id, 200, "");
  exchange(session, narrow);
  EXPECT_EQ(session.room(), 3u);
}

// A body that the server does not take yet waits, and others are not held up by it.
TEST_F(Http2, AFullWindowHoldsUpOneRequestAlone) {
  Http2Server small({.window = 1000, .takes_bodies = false});
  exchange(session, small);
  const StreamId large = post(session, std::string(5000, 'x'));
  const StreamId other = post(session, "small");
  exchange(session, small);
  EXPECT_EQ(small.requests().at(large).body.size(), 1000u);
  EXPECT_FALSE(small.requests().at(large).whole);
  EXPECT_TRUE(small.requests().at(other).whole);
  // It answers without having read all: the rest is not sent any more.
  small.answer(large, 413, "too large");
  exchange(session, small);
  EXPECT_EQ(session.find(large)->state, Http2State::complete);
  EXPECT_EQ(session.find(large)->status, 413);
  EXPECT_EQ(small.requests().at(large).reset, static_cast<uint32_t>(NGHTTP2_CANCEL));
}

// Decision 29: what may have been applied, in each state of a write.
TEST_F(Http2, AResetRequestMayHaveBeenAppliedUnlessItWasRefused) {
  for (const uint32_t code : {NGHTTP2_REFUSED_STREAM, NGHTTP2_CANCEL, NGHTTP2_INTERNAL_ERROR,
                              NGHTTP2_ENHANCE_YOUR_CALM, NGHTTP2_NO_ERROR}) {
    for (const bool answers_first : {false, true}) {
      Http2Server other;
      Http2Session one;
      const StreamId id = post(one, "body");
      exchange(one, other);
      if (answers_first) {
        other.begin(id, 201);
        other.say(id, "{");
        exchange(one, other);
      }
      other.reset(id, code);
      exchange(one, other);
      const auto* answer = one.find(id);
      EXPECT_EQ(answer->state, Http2State::lost);
      const bool refused = code == NGHTTP2_REFUSED_STREAM && !answers_first;
      EXPECT_EQ(one.certainly_not_applied(id), refused) << code << answers_first;
      EXPECT_EQ(answer->refused, refused);
      EXPECT_THAT(answer->problem, HasSubstr("the request was ended"));
    }
  }
}

// Byte for byte: one byte of its head is enough for a doubt.
TEST_F(Http2, ARequestOfWhichNothingWasWrittenIsCertainlyNotApplied) {
  exchange(session, server);
  const StreamId first = post(session, "first");
  const size_t of_first = session.output().size();
  const StreamId second = post(session, "second");
  ASSERT_GT(session.output().size(), of_first);
  EXPECT_TRUE(session.certainly_not_applied(first));
  session.written(1);
  EXPECT_FALSE(session.certainly_not_applied(first));
  session.written(of_first - 1);
  EXPECT_TRUE(session.certainly_not_applied(second));
  session.end("cut");
  EXPECT_FALSE(session.certainly_not_applied(first));
  EXPECT_TRUE(session.certainly_not_applied(second));
  EXPECT_EQ(session.find(second)->problem, "cut");
  EXPECT_EQ(session.take_news(), (std::vector<StreamId>{first, second}));
}

TEST_F(Http2, CancelledRequestsAreForgottenAndTheServerHearsOfIt) {
  exchange(session, server);
  const StreamId never = post(session, "x");
  EXPECT_FALSE(session.cancel(never));  // it had not begun, and never will
  exchange(session, server);
  EXPECT_EQ(server.requests().count(never), 0u);
  // One whose head waits in the buffer goes out before its cancellation does.
  const StreamId waiting = post(session, "y");
  ASSERT_FALSE(session.output().empty());
  EXPECT_TRUE(session.cancel(waiting));
  exchange(session, server);
  EXPECT_EQ(server.requests().at(waiting).reset, static_cast<uint32_t>(NGHTTP2_CANCEL));
  EXPECT_EQ(session.find(waiting), nullptr);
  EXPECT_EQ(session.open_streams(), 0u);
  // What comes for it all the same is read over.
  server.answer(waiting, 200, "late");
  exchange(session, server);
  EXPECT_TRUE(session.take_news().empty());
  EXPECT_FALSE(session.finished());
}

TEST_F(Http2, AServerThatGoesAwayFinishesWhatItBeganAndRefusesTheRest) {
  const StreamId begun = post(session, "1");
  const StreamId refused = post(session, "2");
  exchange(session, server);
  server.go_away(begun);
  exchange(session, server);
  EXPECT_TRUE(session.going_away());
  EXPECT_EQ(session.room(), 0u);
  EXPECT_EQ(session.find(refused)->state, Http2State::lost);
  EXPECT_TRUE(session.find(refused)->refused);
  EXPECT_TRUE(session.certainly_not_applied(refused));
  EXPECT_EQ(session.find(begun)->state, Http2State::open);
  EXPECT_FALSE(session.finished());
  server.answer(begun, 200, "done");
  exchange(session, server);
  EXPECT_EQ(session.find(begun)->state, Http2State::complete);
  EXPECT_TRUE(session.finished());
}

// As a server does that is told to stop: first it says that it will, then up to where.
TEST_F(Http2, GoingAwayInTwoSteps) {
  const StreamId id = post(session, "1");
  exchange(session, server);
  server.go_away(INT32_MAX);
  exchange(session, server);
  EXPECT_EQ(session.room(), 0u);
  EXPECT_EQ(session.find(id)->state, Http2State::open);
  server.go_away(id);
  server.answer(id, 200, "");
  exchange(session, server);
  EXPECT_EQ(session.find(id)->state, Http2State::complete);
}

TEST_F(Http2, PingsAreAnsweredOnBothSides) {
  exchange(session, server);
  session.ping();
  server.ping();
  exchange(session, server);
  EXPECT_EQ(session.pings_answered(), 1u);
}

TEST_F(Http2, WhatIsNotHttp2EndsIt) {
  const StreamId id = get(session);
  to_server(session, server);
  session.feed("HTTP/1.1 400 Bad Request\r\n\r\n");
  session.written(session.output().size());
  EXPECT_TRUE(session.finished());
  EXPECT_THAT(session.problem(), HasSubstr("the server breaks HTTP/2"));
  session.end(session.problem());
  EXPECT_EQ(session.find(id)->state, Http2State::lost);
  EXPECT_FALSE(session.certainly_not_applied(id));
}

TEST_F(Http2, AFloodOfFramesThatSayNothingEndsIt) {
  const std::string ping = Http2Server::frame(6, 0, 0, "12345678");
  const std::string settings = Http2Server::frame(4, 0, 0, "");
  const std::string no_data = Http2Server::frame(0, 0, 1, "");
  const std::string window = Http2Server::frame(8, 0, 0, std::string("\0\0\0\1", 4));
  for (const std::string& frame : {ping, settings, no_data, window}) {
    Http2Server other;
    Http2Session flooded;
    const StreamId id = get(flooded);
    ASSERT_EQ(id, 1);
    exchange(flooded, other);
    other.begin(id, 200);
    exchange(flooded, other);
    size_t sent = 0;
    while (!flooded.finished() && ++sent < 20'000) {
      flooded.feed(frame);
      flooded.written(flooded.output().size());
    }
    EXPECT_LE(sent, Http2Limits().idle_frames + 1);
  }
  // And acknowledgements that are not taken are not kept without end.
  Http2Session unread;
  unread.feed(server.output());
  size_t sent = 0;
  while (!unread.finished() && ++sent < 20'000) {
    unread.feed(ping);
  }
  EXPECT_LE(sent, Http2Limits().unsent_acknowledgements + 1);
}

TEST_F(Http2, HeadsAreLimited) {
  for (const bool many : {true, false}) {
    Http2Server other;
    Http2Session one;
    const StreamId id = get(one);
    const StreamId good = get(one);
    exchange(one, other);
    std::vector<std::pair<std::string, std::string>> headers;
    for (int i = 0; i < (many ? 200 : 20); ++i) {
      headers.push_back({"x-" + std::to_string(i), std::string(many ? 10 : 4000, 'v')});
    }
    other.answer(id, 200, "", headers);
    other.answer(good, 200, "good");
    exchange(one, other);
    EXPECT_EQ(one.find(id)->state, Http2State::lost);
    EXPECT_EQ(one.find(good)->body, "good");
    EXPECT_FALSE(one.finished());
  }
  const StreamId id = get(session);
  exchange(session, server);
  for (size_t i = 0; i <= Http2Limits().interim_answers; ++i) {
    server.interim(id, 102);
  }
  exchange(session, server);
  EXPECT_EQ(session.find(id)->problem, "too many interim answers");
}

// A body that is shorter or longer than the head said is none.
TEST_F(Http2, ABodyOfAnotherLengthIsLost) {
  const StreamId id = get(session);
  exchange(session, server);
  server.answer(id, 200, "four", {{"content-length", "5"}});
  exchange(session, server);
  EXPECT_EQ(session.find(id)->state, Http2State::lost);
  EXPECT_FALSE(session.certainly_not_applied(id));
}

TEST_F(Http2, MoreThanAWindowOfAnAnswerComesWhole) {
  Http2Limits limits;
  limits.stream_window = 70'000;
  Http2Session small(limits);
  const StreamId id = get(small);
  exchange(small, server);
  server.answer(id, 200, std::string(3'000'000, 'x'));
  exchange(small, server);
  EXPECT_EQ(small.find(id)->body.size(), 3'000'000u);
  EXPECT_EQ(small.find(id)->state, Http2State::complete);
}

}  // namespace
}  // namespace windlass::http
