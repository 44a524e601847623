#include "http/websocket/websocket_frames.h"

#include <gtest/gtest.h>

#include <vector>

namespace windlass::http {
namespace {

using Kind = WebSocketPiece::Kind;

// A client's frame, with a mask.
std::string client_frame(uint8_t start, std::string_view payload) {
  constexpr char kMask[] = {0x37, static_cast<char>(0xfa), 0x21, 0x3d};
  std::string out(1, static_cast<char>(start));
  if (payload.size() < 126) {
    out.push_back(static_cast<char>(0x80 | payload.size()));
  } else if (payload.size() <= 0xffff) {
    out.push_back(static_cast<char>(0x80 | 126));
    out.push_back(static_cast<char>(payload.size() >> 8));
    out.push_back(static_cast<char>(payload.size()));
  } else {
    out.push_back(static_cast<char>(0x80 | 127));
    for (int shift = 56; shift >= 0; shift -= 8) {
      out.push_back(static_cast<char>(static_cast<uint64_t>(payload.size()) >> shift));
    }
  }
  out.append(kMask, 4);
  for (size_t i = 0; i < payload.size(); ++i) {
    out.push_back(static_cast<char>(payload[i] ^ kMask[i % 4]));
  }
  return out;
}

std::vector<WebSocketPiece> read_all(WebSocketReader& reader, std::string_view bytes, size_t step) {
  std::vector<WebSocketPiece> pieces;
  while (!bytes.empty() && !reader.failed()) {
    std::string_view some = bytes.substr(0, step);
    bytes.remove_prefix(some.size());
    while (auto piece = reader.next(some)) {
      pieces.push_back(*std::move(piece));
    }
  }
  return pieces;
}

TEST(WebSocketReader, GivesTheSameMessagesHoweverTheyAreCut) {
  const std::string bytes = client_frame(0x82, std::string("\0hello", 6)) + client_frame(0x81, "") +
                            client_frame(0x82, std::string(70'000, 'x')) +
                            client_frame(0x82, std::string(300, 'y'));
  for (const size_t step : {size_t{1}, size_t{7}, size_t{4096}, bytes.size()}) {
    WebSocketReader reader;
    std::vector<std::string> messages;
    for (const WebSocketPiece& piece : read_all(reader, bytes, step)) {
      EXPECT_EQ(piece.kind, Kind::data);
      if (piece.first) {
        messages.emplace_back();
      }
      messages.back() += piece.bytes;
    }
    EXPECT_FALSE(reader.failed());
    EXPECT_EQ(messages, (std::vector<std::string>{std::string("\0hello", 6), "",
                                                  std::string(70'000, 'x'), std::string(300, 'y')}))
        << step;
  }
}

TEST(WebSocketReader, TakesControlFramesBetweenTheFragmentsOfAMessage) {
  WebSocketReader reader;
  const auto pieces = read_all(
      reader, client_frame(0x02, "ab") + client_frame(0x89, "ping") + client_frame(0x80, "c"), 1);
  std::string message;
  std::string ping;
  for (const WebSocketPiece& piece : pieces) {
    (piece.kind == Kind::ping ? ping : message) += piece.bytes;
  }
  EXPECT_EQ(message, "abc");
  EXPECT_EQ(ping, "ping");
  EXPECT_TRUE(pieces.front().first);
  EXPECT_TRUE(pieces.back().last);
}

TEST(WebSocketReader, ReadsNothingAfterAClose) {
  WebSocketReader reader;
  const auto pieces = read_all(
      reader, client_frame(0x88, std::string("\x03\xe8", 2)) + client_frame(0x82, "more"), 1000);
  ASSERT_EQ(pieces.size(), 1U);
  EXPECT_EQ(pieces[0].kind, Kind::close);
  EXPECT_TRUE(reader.failed());
}

TEST(WebSocketReader, FailsForWhatIsNotTheProtocol) {
  std::string without_mask = client_frame(0x82, "x");
  without_mask[1] = 1;
  std::string long_form = client_frame(0x82, std::string(300, 'x'));
  long_form[2] = 0;
  long_form[3] = 5;
  std::string huge = client_frame(0x82, std::string(70'000, 'x'));
  huge[2] = static_cast<char>(0x80);
  const std::vector<std::pair<const char*, std::string>> bad = {
      {"no mask", without_mask},
      {"a length in a longer form", long_form},
      {"more than 63 bits", huge},
      {"a reserved bit", client_frame(0xc2, "x")},
      {"an unknown opcode", client_frame(0x83, "x")},
      {"a continuation of nothing", client_frame(0x80, "x")},
      {"a message inside a message", client_frame(0x02, "x") + client_frame(0x82, "y")},
      {"a ping in fragments", client_frame(0x09, "x")},
      {"a long ping", client_frame(0x89, std::string(126, 'x'))},
  };
  for (const auto& [what, bytes] : bad) {
    WebSocketReader reader;
    read_all(reader, bytes, 3);
    EXPECT_TRUE(reader.failed()) << what;
  }
}

TEST(WebSocketWriter, WritesTheThreeFormsOfALength) {
  EXPECT_EQ(websocket_message("\1", "hi"), std::string("\x82\x03\1hi"));
  EXPECT_EQ(websocket_message(std::string(126, 'x')).substr(0, 4),
            std::string("\x82\x7e\0\x7e", 4));
  EXPECT_EQ(websocket_message(std::string(65536, 'x')).substr(0, 10),
            std::string("\x82\x7f\0\0\0\0\0\1\0\0", 10));
  EXPECT_EQ(websocket_pong("p"), std::string("\x8a\x01p"));
  EXPECT_EQ(websocket_close(kNormalClosure, "ok"), std::string("\x88\x04\x03\xe8ok"));
}

}  // namespace
}  // namespace windlass::http
