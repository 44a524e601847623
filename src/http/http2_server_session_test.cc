#include "http/http2_server_session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nghttp2/nghttp2.h>

#include "http/http2_session.h"

namespace windlass::http {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Step = Http2ServerSession::Step;
using StreamId = Http2ServerSession::StreamId;
using ClientState = Http2Session::State;

Chunk chunk(std::string text) {
  return std::make_shared<const std::string>(std::move(text));
}

// One frame, as a client writes it that keeps to no rules.
std::string frame(uint8_t type, uint8_t flags, StreamId stream, std::string_view payload) {
  std::string bytes;
  for (const size_t number : {payload.size() >> 16, payload.size() >> 8, payload.size()}) {
    bytes.push_back(static_cast<char>(number & 0xFF));
  }
  bytes.push_back(static_cast<char>(type));
  bytes.push_back(static_cast<char>(flags));
  for (const int shift : {24, 16, 8, 0}) {
    bytes.push_back(static_cast<char>(stream >> shift));
  }
  return bytes.append(payload);
}

// GET / of a, nearly all of it from HPACK's static table.
std::string get_frame(StreamId stream,
                      uint8_t flags = NGHTTP2_FLAG_END_HEADERS | NGHTTP2_FLAG_END_STREAM) {
  return frame(NGHTTP2_HEADERS, flags, stream,
               "\x82\x84\x87\x41\x01"
               "a");
}

std::string greeting(std::string_view settings = "") {
  return std::string(NGHTTP2_CLIENT_MAGIC) + frame(NGHTTP2_SETTINGS, 0, 0, settings);
}

class Http2ServerTest : public ::testing::Test {
 protected:
  StreamId ask(const std::string& method, const std::string& path, std::string body = "",
               std::vector<Http2Session::Field> more = {}) {
    std::vector<Http2Session::Field> fields = {
        {":method", method}, {":scheme", "https"}, {":authority", "a:6443"}, {":path", path}};
    fields.insert(fields.end(), more.begin(), more.end());
    return client.open(fields, std::move(body));
  }

  // What waits on both sides arrives, in pieces of this size, until neither has anything to say.
  void exchange(size_t step = SIZE_MAX) {
    bool moved = true;
    while (moved) {
      moved = false;
      for (std::string_view bytes; !(bytes = client.output()).empty(); moved = true) {
        const size_t size = std::min(step, bytes.size());
        session.feed(bytes.substr(0, size));
        client.written(size);
        note_news();
      }
      for (std::string_view bytes; !(bytes = session.output()).empty(); moved = true) {
        const size_t size = std::min(step, bytes.size());
        client.feed(bytes.substr(0, size));
        session.written(size);
        note_news();
      }
    }
  }
  void note_news() {
    for (const auto& each : session.take_news()) {
      // How often a body comes in pieces is no matter.
      if (each.step != Step::body || steps.empty() || steps.back() != Step::body) {
        steps.push_back(each.step);
      }
    }
  }
  // Bytes of a client of no rules.
  void feed(const std::string& bytes) {
    session.feed(bytes);
    note_news();
  }
  std::string take_output() {
    std::string all;
    for (std::string_view bytes; !(bytes = session.output()).empty();) {
      all += bytes;
      session.written(bytes.size());
    }
    note_news();
    return all;
  }

  std::vector<Step> steps;
  Http2ServerSession session;
  Http2Session client;
};

TEST_F(Http2ServerTest, RequestAndAnswer) {
  const StreamId id = ask("GET", "/api/v1/pods?limit=1", "", {{"accept", "application/json"}});
  exchange();
  ASSERT_THAT(steps, ElementsAre(Step::complete));
  const Request request = session.take(id);
  EXPECT_EQ(request.method, "GET");
  EXPECT_EQ(request.target, "/api/v1/pods?limit=1");
  EXPECT_EQ(find_header(request.headers, "Host"), "a:6443");
  EXPECT_EQ(find_header(request.headers, "Accept"), "application/json");
  EXPECT_EQ(request.headers.size(), 2u);
  session.respond(id, 201,
                  {{"Content-Type", "application/json"},
                   {"X-Split", "a\r\nb"},
                   {"Connection", "close"},
                   {"bad name", "x"}},
                  chunk("{}"));
  exchange();
  const auto* answer = client.find(id);
  EXPECT_EQ(answer->state, ClientState::complete);
  EXPECT_EQ(answer->status, 201);
  EXPECT_EQ(answer->body, "{}");
  EXPECT_EQ(find_header(answer->headers, "content-type"), "application/json");
  EXPECT_EQ(find_header(answer->headers, "content-length"), "2");
  EXPECT_EQ(find_header(answer->headers, "x-split"), "a  b");
  EXPECT_EQ(answer->headers.size(), 3u);
  EXPECT_THAT(steps, ElementsAre(Step::complete, Step::over));
  EXPECT_FALSE(session.is_open(id));
  EXPECT_EQ(session.open_streams(), 0u);
}

// Wherever the bytes are cut, the same comes out.
TEST_F(Http2ServerTest, BodiesAndStreamsInPieces) {
  for (const size_t step : {size_t{1}, size_t{9}, size_t{4096}, SIZE_MAX}) {
    steps.clear();
    const StreamId id = ask("POST", "/x", std::string(100'000, 'b'));
    exchange(step);
    ASSERT_THAT(steps, ElementsAre(Step::head, Step::body, Step::complete));
    EXPECT_EQ(session.take(id).body.size(), 100'000u);
    session.start(id, 200, {}, true);
    std::string all;
    for (int i = 0; i < 20; ++i) {
      all += "event " + std::to_string(i) + "\n";
      session.write(id, chunk("event " + std::to_string(i) + "\n"));
      exchange(step);
      EXPECT_EQ(client.find(id)->body, all);
    }
    EXPECT_EQ(session.unsent(id), 0u);
    size_t sent = 0;
    for (const auto& each : session.take_sent()) {
      sent += each.bytes;
    }
    EXPECT_EQ(sent, all.size());
    session.finish(id);
    exchange(step);
    EXPECT_EQ(client.find(id)->state, ClientState::complete);
    EXPECT_THAT(steps, ElementsAre(Step::head, Step::body, Step::complete, Step::over));
    client.forget(id);
  }
}

TEST_F(Http2ServerTest, ManyAtATimeInAnyOrder) {
  std::vector<StreamId> ids;
  for (int i = 0; i < 90; ++i) {
    ids.push_back(ask("GET", "/" + std::to_string(i)));
  }
  exchange();
  std::reverse(ids.begin(), ids.end());
  for (const StreamId id : ids) {
    session.respond(id, 200, {}, chunk(session.take(id).target + std::string(20'000, '.')));
  }
  exchange();
  for (const StreamId id : ids) {
    EXPECT_EQ(client.find(id)->body.size(), 20'000u + (id < 20 ? 2 : 3)) << id;
  }
}

TEST_F(Http2ServerTest, SomeAnswersHaveNoBody) {
  const StreamId head = ask("HEAD", "/");
  const StreamId empty = ask("GET", "/");
  const StreamId stream = ask("HEAD", "/stream");
  exchange();
  session.respond(head, 200, {}, chunk("not sent"));
  session.respond(empty, 204, {}, chunk("not sent"));
  session.start(stream, 200, {}, false);
  exchange();
  EXPECT_EQ(client.find(head)->state, ClientState::complete);
  EXPECT_EQ(client.find(head)->body, "");
  EXPECT_EQ(find_header(client.find(head)->headers, "content-length"), "8");
  EXPECT_EQ(client.find(empty)->state, ClientState::complete);
  EXPECT_EQ(find_header(client.find(empty)->headers, "content-length"), std::nullopt);
  EXPECT_EQ(client.find(stream)->state, ClientState::complete);
}

TEST_F(Http2ServerTest, WhatIsCutIsSeenToBe) {
  const StreamId id = ask("GET", "/");
  const StreamId other = ask("GET", "/");
  exchange();
  session.start(id, 200, {}, true);
  session.write(id, chunk("half"));
  exchange();
  session.cut(id);
  exchange();
  EXPECT_EQ(client.find(id)->state, ClientState::lost);
  EXPECT_EQ(client.find(id)->body, "half");
  session.respond(other, 200, {}, chunk("whole"));
  exchange();
  EXPECT_EQ(client.find(other)->body, "whole");
  EXPECT_THAT(steps, ElementsAre(Step::complete, Step::complete, Step::taken_back, Step::over));
}

TEST_F(Http2ServerTest, LargeRequestsAreRefusedAndTheOthersAreNot) {
  Http2ServerLimits limits;
  limits.request.body_bytes = 1000;
  limits.request.head_bytes = 500;
  limits.request.headers = 5;
  const std::string long_value(600, 'x');
  struct Row {
    std::vector<Http2Session::Field> headers;
    std::string path;
    std::string body;
    int status;
    const char* why;
  };
  const Row rows[] = {
      {{}, "/", std::string(1001, 'x'), 413, "limit is 1000"},
      {{{"a", long_value}}, "/", "", 431, "limit is 500"},
      {{{"a", "1"}, {"b", "1"}, {"c", "1"}, {"d", "1"}, {"e", "1"}}, "/", "", 431, "limit is 5"},
      {{}, "*", "", 400, "not a path"},
      {{{"content-encoding", "gzip"}}, "/", "x", 415, "compressed"},
      {{{"expect", "a miracle"}}, "/", "x", 417, "expectation"},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.why);
    Http2ServerSession strict(limits);
    Http2Session other;
    std::vector<Http2Session::Field> fields = {{":method", row.path == "*" ? "OPTIONS" : "POST"},
                                               {":scheme", "https"},
                                               {":authority", "a"},
                                               {":path", row.path}};
    fields.insert(fields.end(), row.headers.begin(), row.headers.end());
    const StreamId id = other.open(fields, row.body);
    const StreamId good = other.open(
        std::vector<Http2Session::Field>{
            {":method", "GET"}, {":scheme", "https"}, {":authority", "a"}, {":path", "/"}},
        "");
    const auto exchange_all = [&] {
      for (int i = 0; i < 4; ++i) {
        strict.feed(other.output());
        other.written(other.output().size());
        other.feed(strict.output());
        strict.written(strict.output().size());
      }
    };
    exchange_all();
    std::vector<Step> of_bad;
    for (const auto& news : strict.take_news()) {
      if (news.stream == id) {
        of_bad.push_back(news.step);
      } else {
        EXPECT_EQ(news.step, Step::complete);
      }
    }
    ASSERT_FALSE(of_bad.empty());
    EXPECT_EQ(of_bad.back(), Step::refused);
    EXPECT_EQ(strict.refusal(id).status, row.status);
    EXPECT_THAT(strict.refusal(id).message, HasSubstr(row.why));
    strict.respond(id, row.status, {}, chunk("no"));
    strict.respond(good, 200, {}, chunk("yes"));
    exchange_all();
    EXPECT_EQ(other.find(id)->state, ClientState::complete);
    EXPECT_EQ(other.find(id)->status, row.status);
    EXPECT_EQ(other.find(good)->body, "yes");
    EXPECT_EQ(strict.open_streams(), 0u);
  }
}

// A client that is answered before its body has gone out is told to stop.
TEST_F(Http2ServerTest, AnEarlyAnswerEndsTheRequest) {
  feed(greeting() + get_frame(1, NGHTTP2_FLAG_END_HEADERS));
  EXPECT_THAT(steps, ElementsAre(Step::head));
  session.respond(1, 401, {}, chunk("who are you"));
  take_output();
  EXPECT_THAT(steps, ElementsAre(Step::head, Step::over));
  feed(frame(NGHTTP2_DATA, 0, 1, std::string(100, 'x')));
  EXPECT_THAT(steps, ElementsAre(Step::head, Step::over)) << "what comes late is dropped";
  EXPECT_EQ(session.problem(), "");
}

TEST_F(Http2ServerTest, WhatIsTakenBackNeedsNoAnswer) {
  const StreamId id = ask("GET", "/?watch=1");
  exchange();
  session.take(id);
  client.cancel(id);
  exchange();
  EXPECT_THAT(steps, ElementsAre(Step::complete, Step::taken_back));
  session.respond(id, 200, {}, chunk("x"));
  session.start(id, 200, {}, true);
  session.write(id, chunk("x"));
  session.finish(id);
  session.cut(id);
  exchange();
  EXPECT_EQ(session.open_streams(), 0u);
}

TEST_F(Http2ServerTest, WhoWaitsForAWordBeforeTheBodyGetsIt) {
  const StreamId id = ask("POST", "/", "body", {{"expect", "100-continue"}});
  const StreamId other = ask("POST", "/", "body");
  exchange();
  session.welcome_body(id);
  session.welcome_body(other);
  session.respond(id, 200, {}, chunk("done"));
  session.respond(other, 200, {}, chunk("done"));
  exchange();
  EXPECT_EQ(client.find(id)->body, "done");
  EXPECT_EQ(client.find(other)->body, "done");
}

TEST_F(Http2ServerTest, GoingAwayAnswersWhatIsHere) {
  const StreamId id = ask("GET", "/");
  exchange();
  session.go_away();
  exchange();
  EXPECT_TRUE(client.going_away());
  EXPECT_EQ(client.room(), 0u);
  session.respond(id, 200, {}, chunk("last"));
  exchange();
  EXPECT_EQ(client.find(id)->body, "last");
  EXPECT_TRUE(session.finished());
  EXPECT_EQ(session.problem(), "");
}

// A window of nothing holds up an answer for ever: its bytes stay where they are counted.
TEST_F(Http2ServerTest, WhatTheClientDoesNotTakeWaits) {
  const std::string no_window("\x00\x04\x00\x00\x00\x00", 6);
  feed(greeting(no_window) + get_frame(1) + get_frame(3));
  session.respond(1, 200, {}, chunk(std::string(1000, 'x')));
  session.start(3, 200, {}, true);
  session.write(3, chunk(std::string(70, 'x')));
  take_output();
  EXPECT_EQ(session.unsent(1), 1000u);
  EXPECT_EQ(session.unsent(3), 70u);
  EXPECT_EQ(session.open_streams(), 2u);
  feed(frame(NGHTTP2_WINDOW_UPDATE, 0, 3, std::string("\x00\x00\x00\x40", 4)));
  take_output();
  EXPECT_EQ(session.unsent(3), 6u);
  EXPECT_EQ(session.unsent(1), 1000u);
}

TEST_F(Http2ServerTest, FloodsEndIt) {
  const std::string ping = frame(NGHTTP2_PING, 0, 0, std::string(8, 'p'));
  const std::string settings = frame(NGHTTP2_SETTINGS, 0, 0, "");
  const std::string room = frame(NGHTTP2_WINDOW_UPDATE, 0, 0, std::string("\x00\x00\x00\x01", 4));
  for (const std::string& each : {ping, settings, room}) {
    Http2ServerSession flooded({.flood = {.idle_frames = 50}, .unsent_acknowledgements = 1000});
    flooded.feed(greeting());
    for (int i = 0; i < 60; ++i) {
      flooded.feed(each);
      flooded.written(flooded.output().size());
    }
    EXPECT_NE(flooded.problem(), "");
    EXPECT_TRUE(flooded.finished());
  }
  // Acknowledgements that are not read are bounded, too.
  Http2ServerSession unread({.unsent_acknowledgements = 20});
  unread.feed(greeting());
  for (int i = 0; i < 30; ++i) {
    unread.feed(ping);
  }
  EXPECT_TRUE(unread.finished());
}

// Told of and not yet taken, when the client breaks it.
TEST_F(Http2ServerTest, AWholeRequestStaysWholeUntilItIsTaken) {
  const std::string too_much_room("\x7f\xff\xff\xff", 4);
  feed(greeting() + get_frame(1) + frame(NGHTTP2_WINDOW_UPDATE, 0, 1, too_much_room));
  ASSERT_TRUE(session.is_open(1));
  EXPECT_EQ(session.take(1).target, "/");
  session.respond(1, 200, {}, chunk("x"));
  take_output();
  EXPECT_THAT(steps, ElementsAre(Step::complete, Step::taken_back));
}

const std::string kCancel("\x00\x00\x00\x08", 4);

// What asks and takes back at once makes work for nothing; so does what makes us take it back.
TEST_F(Http2ServerTest, RequestsTakenBackInARowEndIt) {
  const std::string too_much_room("\x7f\xff\xff\xff", 4);
  for (const bool by_client : {true, false}) {
    Http2ServerSession flooded({.flood = {.resets = 100}});
    flooded.feed(greeting());
    for (StreamId id = 1; id < 2 * 105; id += 2) {
      flooded.feed(get_frame(id) + (by_client
                                        ? frame(NGHTTP2_RST_STREAM, 0, id, kCancel)
                                        : frame(NGHTTP2_WINDOW_UPDATE, 0, id, too_much_room)));
      flooded.written(flooded.output().size());
    }
    EXPECT_THAT(flooded.problem(), HasSubstr("taken back"));
  }
}

// A client that is answered in between may take back as many.
TEST_F(Http2ServerTest, RequestsTakenBackNowAndThenAreNoFlood) {
  feed(greeting());
  size_t answered = 0;
  for (StreamId id = 1; id < 4 * 2000; id += 4) {
    feed(get_frame(id) + frame(NGHTTP2_RST_STREAM, 0, id, kCancel) + get_frame(id + 2));
    session.respond(id + 2, 200, {}, chunk("x"));
    take_output();
    answered += static_cast<size_t>(std::count(steps.begin(), steps.end(), Step::over));
    steps.clear();
  }
  EXPECT_EQ(session.problem(), "");
  EXPECT_EQ(answered, 2000u);
}

// A client that never agrees to our limits has its requests refused one by one, and does not read
// that.
TEST_F(Http2ServerTest, RefusalsThatNobodyReadsAreBounded) {
  Http2ServerSession flooded({.streams = 2, .flood = {.resets = 1'000'000}, .queued_frames = 100});
  flooded.feed(greeting());
  for (StreamId id = 1; id < 2 * 200 && flooded.problem().empty(); id += 2) {
    flooded.feed(get_frame(id));
  }
  EXPECT_THAT(flooded.problem(), HasSubstr("more is asked for than is read"));
  Http2ServerSession counted({.streams = 2, .flood = {.resets = 100}});
  counted.feed(greeting());
  for (StreamId id = 1; id < 2 * 200 && counted.problem().empty(); id += 2) {
    counted.feed(get_frame(id));
    counted.written(counted.output().size());
  }
  EXPECT_THAT(counted.problem(), HasSubstr("taken back"));
}

// A field of nearly 4 KiB goes into the table that the compression has; one byte then stands for
// it.
constexpr size_t kLargeField = 3900;

std::string large_field_frame(StreamId stream) {
  std::string head(
      "\x82\x84\x87\x01\x01"
      "a"
      "\x40\x01v\x7f",
      10);
  for (size_t rest = kLargeField - 127; rest > 0; rest >>= 7) {
    head.push_back(static_cast<char>((rest & 0x7F) | (rest > 0x7F ? 0x80 : 0)));
  }
  return frame(NGHTTP2_HEADERS, NGHTTP2_FLAG_END_HEADERS | NGHTTP2_FLAG_END_STREAM, stream,
               head + std::string(kLargeField, 'v'));
}

std::string repeated_field_frame(StreamId stream, size_t times) {
  return frame(NGHTTP2_HEADERS, NGHTTP2_FLAG_END_HEADERS | NGHTTP2_FLAG_END_STREAM, stream,
               std::string("\x82\x84\x87\x01\x01"
                           "a") +
                   std::string(times, '\xBE'));
}

// Such heads cost more to read than to send. Who sends only what is refused is not heard for long.
TEST_F(Http2ServerTest, HeadsThatAreRefusedAgainAndAgainEndIt) {
  for (const size_t times : {size_t{40}, size_t{200}}) {  // answered with 431, and cut
    Http2ServerSession flooded;
    flooded.feed(greeting() + large_field_frame(1));
    size_t sent = 0;
    for (StreamId id = 3; flooded.problem().empty() && sent < 1000; id += 2, ++sent) {
      flooded.feed(repeated_field_frame(id, times));
      for (const auto& news : flooded.take_news()) {
        if (news.step == Step::refused) {
          EXPECT_EQ(flooded.refusal(news.stream).status, 431);
          flooded.respond(news.stream, 431, {}, chunk("too large"));
        }
      }
      while (!flooded.output().empty()) {
        flooded.written(flooded.output().size());
      }
    }
    EXPECT_THAT(flooded.problem(), HasSubstr("refused")) << times;
    EXPECT_LE(sent * times * kLargeField, size_t{8} * 1024 * 1024);
  }
}

TEST_F(Http2ServerTest, RequestsWithoutGoodCredentialsEndItAsWell) {
  Http2ServerSession flooded({.flood = {.refused_head_bytes = 800'000}});
  flooded.feed(greeting());
  size_t sent = 0;
  for (StreamId id = 1; flooded.problem().empty() && sent < 1000; id += 2, ++sent) {
    flooded.feed(get_frame(id));
    flooded.mark_refused(id);
    flooded.respond(id, 401, {}, chunk("who"));
    flooded.written(flooded.output().size());
  }
  EXPECT_THAT(flooded.problem(), HasSubstr("refused"));
  EXPECT_NEAR(static_cast<double>(sent), 800'000.0 / 8192, 3);
}

TEST_F(Http2ServerTest, RefusalsNowAndThenAreNoFlood) {
  Http2ServerSession patient({.flood = {.refused_head_bytes = 200'000}});
  patient.feed(greeting());
  StreamId id = 1;
  for (int i = 0; i < 1000; ++i) {
    for (const bool refused : {true, false}) {
      patient.feed(get_frame(id));
      if (refused) {
        patient.mark_refused(id);
      }
      patient.respond(id, refused ? 401 : 200, {}, chunk("x"));
      patient.written(patient.output().size());
      id += 2;
    }
  }
  EXPECT_EQ(patient.problem(), "");
}

// Others have their turn before the rest of it.
TEST_F(Http2ServerTest, AFeedStopsWhereHeadsHaveGrownEnough) {
  Http2ServerSession careful({.head_bytes_per_feed = size_t{64} * 1024});
  careful.feed(greeting() + large_field_frame(1));
  std::string bytes;
  for (StreamId id = 3; id < 23; id += 2) {
    bytes += repeated_field_frame(id, 20);
  }
  std::string_view left = bytes;
  size_t feeds = 0;
  size_t complete = 0;
  careful.take_news();
  while (!left.empty() && feeds < 1000) {
    left.remove_prefix(careful.feed(left));
    ++feeds;
    for (const auto& news : careful.take_news()) {
      complete += news.step == Step::complete ? 1 : 0;
      EXPECT_EQ(find_header(careful.request(news.stream).headers, "v")->size(), kLargeField);
    }
  }
  EXPECT_EQ(complete, 10u);
  EXPECT_GE(feeds, 10 * 20 * kLargeField / (64 * 1024 + kLargeField));
  EXPECT_EQ(careful.problem(), "");
}

// However long it goes on without a pause, what is written is not kept.
TEST_F(Http2ServerTest, WhatIsWrittenIsGone) {
  const std::string much_room("\x00\x04\x7f\xff\xff\xff", 6);
  feed(greeting(much_room) + get_frame(1) +
       frame(NGHTTP2_WINDOW_UPDATE, 0, 0, std::string("\x70\x00\x00\x00", 4)));
  session.respond(1, 200, {}, chunk(std::string(10'000'000, 'x')));
  size_t largest = 0;
  while (!session.output().empty()) {
    largest = std::max(largest, session.output().size());
    session.written(std::min(session.output().size(), Http2ServerSession::kOutputBytes));
    note_news();
  }
  EXPECT_LE(largest, 3 * Http2ServerSession::kOutputBytes);
  EXPECT_THAT(steps, ElementsAre(Step::complete, Step::over));
}

// What is answered, or refused, is not held any more, whether the client takes the answer or not.
TEST_F(Http2ServerTest, HeadsAreHeldUntilTheyAreAnsweredAndNotBeyondALimit) {
  Http2ServerSession other({.waiting_head_bytes = 10'000});
  // A literal field whose value has 127 bytes and more.
  const auto head_of = [](StreamId id, size_t bytes, uint8_t flags) {
    std::string head(
        "\x82\x84\x87\x41\x01"
        "a"
        "\x00\x01v\x7f",
        10);
    size_t rest = bytes - 127;
    for (; rest > 0x7F; rest >>= 7) {
      head.push_back(static_cast<char>((rest & 0x7F) | 0x80));
    }
    head.push_back(static_cast<char>(rest));
    return frame(NGHTTP2_HEADERS, flags, id, head + std::string(bytes, 'v'));
  };
  other.feed(greeting() + head_of(1, 4000, NGHTTP2_FLAG_END_HEADERS) +
             head_of(3, 4000, NGHTTP2_FLAG_END_HEADERS));
  EXPECT_GT(other.waiting_head_bytes(), 8000u);
  other.feed(head_of(5, 4000, NGHTTP2_FLAG_END_HEADERS));
  ASSERT_EQ(other.take_news().back().step, Step::refused);
  EXPECT_EQ(other.refusal(5).status, 431);
  EXPECT_LT(other.waiting_head_bytes(), 9000u);
  other.respond(1, 401, {}, chunk("x"));
  EXPECT_LT(other.waiting_head_bytes(), 5000u);
  other.feed(frame(NGHTTP2_RST_STREAM, 0, 3, kCancel));
  EXPECT_EQ(other.waiting_head_bytes(), 0u);
  other.feed(head_of(7, 4000, NGHTTP2_FLAG_END_HEADERS | NGHTTP2_FLAG_END_STREAM));
  EXPECT_GT(other.waiting_head_bytes(), 4000u);
  EXPECT_EQ(find_header(other.take(7).headers, "v")->size(), 4000u);
  EXPECT_EQ(other.waiting_head_bytes(), 0u);
}

// What comes behind the last request of a GOAWAY is for another connection, also when the GOAWAY
// itself still waits.
TEST_F(Http2ServerTest, NothingBeginsBehindAGoaway) {
  feed(greeting() + get_frame(1));
  session.go_away();
  feed(get_frame(3));
  EXPECT_THAT(steps, ElementsAre(Step::complete));
  EXPECT_FALSE(session.is_open(3));
  session.respond(1, 200, {}, chunk("last"));
  take_output();
  EXPECT_THAT(steps, ElementsAre(Step::complete, Step::over));
  EXPECT_TRUE(session.finished());
}

TEST_F(Http2ServerTest, ABodyThatIsAnnouncedAsTooLargeIsRefusedAtOnce) {
  const StreamId id = ask("POST", "/", "x", {{"content-length", "3145729"}});
  session.feed(client.output());
  const auto news = session.take_news();
  ASSERT_FALSE(news.empty());
  EXPECT_EQ(news.front().step, Step::refused);
  EXPECT_EQ(session.refusal(id).status, 413);
}

// A watch may go on for ever: room is all that its client ever speaks of.
TEST_F(Http2ServerTest, ALongStreamIsNoFlood) {
  Http2ServerSession patient({.flood = {.idle_frames = 50}});
  patient.feed(greeting() + get_frame(1));
  patient.start(1, 200, {}, true);
  for (int i = 0; i < 200; ++i) {
    patient.write(1, chunk("x"));
    while (!patient.output().empty()) {
      patient.written(patient.output().size());
    }
    patient.feed(frame(NGHTTP2_WINDOW_UPDATE, 0, 1, std::string("\x00\x00\x00\x01", 4)));
  }
  EXPECT_EQ(patient.problem(), "");
  EXPECT_EQ(patient.open_streams(), 1u);
}

TEST_F(Http2ServerTest, WhatIsNoHttp2EndsIt) {
  for (const std::string& bytes :
       {std::string("GET / HTTP/1.1\r\nHost: x\r\n\r\n"),
        greeting() + frame(NGHTTP2_DATA, 0, 1, "x"),            // of no stream
        greeting() + frame(NGHTTP2_HEADERS, 5, 2, "\x82"),      // a stream of the server's
        greeting() + frame(NGHTTP2_HEADERS, 5, 1, "\xff\xff"),  // no HPACK
        greeting() + frame(NGHTTP2_PUSH_PROMISE, 4, 1, std::string("\0\0\0\2\x82", 5))}) {
    Http2ServerSession other;
    other.feed(bytes);
    while (!other.output().empty()) {
      other.written(other.output().size());
    }
    EXPECT_TRUE(other.finished());
    EXPECT_TRUE(other.take_news().empty());
  }
}

// Heads that HTTP does not allow end their stream, and no request comes of them.
TEST_F(Http2ServerTest, BrokenHeadsAreNoRequests) {
  const std::string connection(
      "\x82\x84\x87\x41\x01"
      "a\x00\x0a"
      "connection\x05"
      "close",
      24);
  const std::string no_path(
      "\x82\x87\x41\x01"
      "a",
      5);
  feed(greeting() + frame(NGHTTP2_HEADERS, 5, 1, connection) +
       frame(NGHTTP2_HEADERS, 5, 3, no_path) + get_frame(5));
  for (const Step step : steps) {
    EXPECT_TRUE(step == Step::complete || step == Step::taken_back);
  }
  EXPECT_EQ(std::count(steps.begin(), steps.end(), Step::complete), 1);
  EXPECT_TRUE(session.is_open(5));
}

}  // namespace
}  // namespace windlass::http
